// Every host that `xtask` built, opened and found drawn, in light and in dark.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, frame, open } from '../browser/page.mjs';

const HOSTS = {
  sphinx: 'sphinx/out/index.html',
  mkdocs: 'mkdocs/out/index.html',
  mdbook: 'mdbook/out/index.html',
  docusaurus: 'docusaurus/out/',
  jupyter: 'jupyter/out/index.html',
  vite: 'vite/out/index.html',
  plain: 'plain/index.html',
};

// What the element looks like, and the page around it.
const look = (page) => page.evaluate(() => {
  const view = document.querySelector('packscope-view');
  const light = (color) => {
    const [red, green, blue] = color.match(/[\d.]+/g).map(Number);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 127;
  };
  const colours = [...view.shadowRoot.querySelectorAll('canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  return {
    colours,
    ground: light(getComputedStyle(view).backgroundColor),
    around: light(getComputedStyle(view.parentElement).color),
    words: view.shadowRoot.textContent,
  };
});

for (const [host, path] of Object.entries(HOSTS)) {
  for (const scheme of ['light', 'dark']) {
    test(`${host} shows the element, ${scheme}`, async () => {
      const page = await open({ path, scheme });
      await page.waitForSelector('packscope-view[data-ready]');
      // A site may set its theme after it has loaded, and with a transition.
      await page.waitForTimeout(900);
      await frame(page);
      const seen = await look(page);
      assert.ok(seen.colours.length === 3 && seen.colours.every((count) => count > 4), `drawn in ${seen.colours} colours`);
      assert.match(seen.words, /12 tokens, 2 sequences, tp 2 cp 2/);
      // Jupyter's pages are light only.
      assert.equal(seen.around, scheme === 'dark' && host !== 'jupyter', 'the page is not in the theme that was asked for');
      assert.equal(seen.ground, !seen.around, 'the element is not in the theme of its page');
      // nbconvert's own template asks a public host for RequireJS and MathJax.
      const own = host === 'jupyter' ? /cdnjs\.cloudflare\.com|ERR_NAME_NOT_RESOLVED/ : /^$/;
      assert.deepEqual(page.faults.filter((fault) => !own.test(fault)), []);
    });
  }
}

test('the package works without the element', async () => {
  const page = await open({ path: HOSTS.vite });
  await page.waitForFunction(() => document.querySelector('#findings').textContent !== '');
  assert.match(await page.textContent('#findings'), /PSP010/);
});

test('the element follows a page that switches its theme', async () => {
  const page = await open({ path: HOSTS.plain });
  await page.waitForSelector('packscope-view[data-ready]');
  await page.evaluate(() => { document.documentElement.style.colorScheme = 'dark'; });
  await page.waitForFunction(() => document.querySelector('packscope-view').classList.contains('dark'));
});

test('the zip works from any path, and without a network after the first load', async () => {
  const path = 'site/some/deep/path/index.html';
  const page = await open({ path });
  await page.waitForSelector('html[data-ready]');
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => {
    const [name] = await caches.keys();
    return name !== undefined && (await (await caches.open(name)).keys()).length > 100;
  });
  await page.context().setOffline(true);
  await page.goto(`${address}site/some/deep/path/index.html?lesson=zigzag/1`);
  await page.waitForSelector('html[data-ready]');
  assert.match(await page.textContent('#pack-sentence'), /1 sequence in 16 tokens/);
  await page.goto(`${address}site/some/deep/path/rules/PSP201.html`);
  assert.match(await page.textContent('h1'), /PSP201/);
  assert.deepEqual(page.faults, []);
});
