// Keeps the site for work offline. A new version replaces all of the old one at once.
const cacheName = 'packscope-' + 'VERSION';
const files = ['FILES'];

addEventListener('install', (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)).then(() => skipWaiting()));
});

addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith('packscope-') && name !== cacheName) await caches.delete(name);
    }
    await clients.claim();
  })());
});

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(registration.scope)) return;
  event.respondWith((async () => {
    const cache = await caches.open(cacheName);
    const address = new URL(request.url);
    if (address.pathname.endsWith('/')) address.pathname += 'index.html';
    return (await cache.match(address, { ignoreSearch: true })) ?? fetch(request);
  })());
});
