// Packscope in other pages: the element, and the frame.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASTE, address, frame, open, text, type } from './page.mjs';

// A page of somebody else's, at an address of the same server, and JSON files beside it.
async function host(body, { files = {}, ...options } = {}) {
  const page = await open({ path: 'rules/index.html', ...options });
  await page.route(`${address}host.html`, (route) => route.fulfill({ contentType: 'text/html', body: `<!doctype html><html lang="en"><title>host</title><link rel="icon" href="icon.svg"><style>canvas { display: none } p { color: red }</style><body>${body}` }));
  for (const [name, json] of Object.entries(files)) await page.route(`${address}${name}`, (route) => route.fulfill({ json }));
  await page.goto(`${address}host.html`);
  return page;
}

const script = `<script type="module" src="packscope-view.js"></script>`;
const painted = (page, n) => page.evaluate((n) => {
  const canvas = document.querySelectorAll('packscope-view')[n].shadowRoot.querySelector('canvas');
  return new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size > 8;
}, n);

test('two elements share one WebAssembly and draw', async () => {
  for (const scheme of ['light', 'dark']) {
    const page = await host(`${script}<packscope-view cu-seqlens="0 5 7 11" total-tokens="16">3 sequences</packscope-view><packscope-view cu-seqlens="[0, 8, 16]" tp="2" cp="2" readonly views="lanes"></packscope-view>`, { scheme });
    await page.waitForFunction(() => document.querySelectorAll('packscope-view[data-ready]').length === 2);
    await frame(page);
    const fetched = await page.evaluate(() => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('.wasm')).length);
    assert.equal(fetched, 1);
    assert.equal(await painted(page, 0), true);
    assert.equal(await painted(page, 1), true);
    // The host's styles stay outside, and the element's inside.
    assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('packscope-view').shadowRoot.querySelector('canvas')).display), 'block');
    assert.deepEqual(page.faults, []);
  }
});

test('attributes are followed, and edits tell the page', async () => {
  const page = await host(`${script}<packscope-view cu-seqlens="0 8 16" cp="2"></packscope-view>`);
  await page.waitForSelector('packscope-view[data-ready]');
  await page.evaluate(() => {
    window.changes = [];
    document.querySelector('packscope-view').addEventListener('change', (event) => event.detail && window.changes.push(event.detail));
  });
  await page.locator('packscope-view input[name="cp"]').fill('4');
  assert.equal(await page.evaluate(() => window.changes.at(-1).topology.context_parallel_size), 4);
  await page.evaluate(() => document.querySelector('packscope-view').setAttribute('cu-seqlens', '0 8 4'));
  await frame(page);
  assert.match(await page.evaluate(() => document.querySelector('packscope-view').shadowRoot.textContent), /PSP005/);
});

test('before it is upgraded its own text shows', async () => {
  const page = await host('<packscope-view cu-seqlens="0 5">one sequence of 5 tokens</packscope-view>');
  assert.equal(await page.getByText('one sequence of 5 tokens').isVisible(), true);
});

test('a frame shows the views alone, and says how tall it is', async () => {
  const source = await open();
  await type(source, PASTE);
  await source.waitForTimeout(700);
  const hash = await source.evaluate(() => location.hash);
  const page = await host(`<script>addEventListener('message', (event) => { window.height = event.data.packscope?.height; });</script><iframe src="index.html?embed${hash}" width="800" height="300"></iframe>`);
  await page.waitForFunction(() => window.height > 200);
  const inside = page.frames()[1];
  assert.equal(await inside.locator('#text').isVisible(), false);
  assert.match(await inside.textContent('#pack-sentence'), /3 sequences in 2048 tokens/);
});

test('what Share gives is ready to paste', async () => {
  const source = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await type(source, 'cu_seqlens_q = [0, 6, 10]\ncu_seqlens_q_padded = [0, 8, 12]');
  const copy = async (form) => {
    await source.click('#copy-as summary');
    await source.click(`[data-copy="${form}"]`);
    await frame(source);
    return source.evaluate(() => navigator.clipboard.readText());
  };
  const element = await host(await copy('element'));
  await element.waitForSelector('packscope-view[data-ready]');
  assert.match(await element.evaluate(() => document.querySelector('packscope-view').shadowRoot.textContent), /12 tokens, 2 sequences, tp 2 cp 2/);
  const framed = await host(await copy('iframe'));
  await framed.waitForFunction(() => Number(document.querySelector('iframe').height) > 250 && Number(document.querySelector('iframe').height) !== 560);
  assert.match(await framed.frames()[1].textContent('#pack-sentence'), /2 sequences in 12 tokens/);
});

test('a Scenario by its address, a theme of its own, and nothing to edit', async () => {
  const scenario = { params: { cu_seqlens_q: [0, 6, 10], cu_seqlens_kv: [0, 6, 10], total_tokens: 12 }, topology: { world_size: 4, tensor_model_parallel_size: 2 } };
  const page = await host(`${script}<packscope-view src="run.json" theme="dark" views="pack ring"></packscope-view>`, { files: { 'run.json': scenario } });
  await page.waitForSelector('packscope-view[data-ready]');
  await frame(page);
  const seen = await page.evaluate(() => {
    const view = document.querySelector('packscope-view');
    return { words: view.shadowRoot.textContent, dark: view.classList.contains('dark'), form: getComputedStyle(view.shadowRoot.querySelector('form')).display, views: [...view.shadowRoot.querySelectorAll('canvas')].map((canvas) => canvas.dataset.view), world: view.scenario.topology.world_size };
  });
  assert.match(seen.words, /12 tokens, 2 sequences, tp 2/);
  assert.deepEqual([seen.dark, seen.form, seen.views, seen.world], [true, 'none', ['pack', 'ring'], 4]);
  assert.deepEqual(page.faults, []);
});

test('an address without a Scenario says so in its place', async () => {
  const page = await host(`${script}<packscope-view src="nothing.json">a pack</packscope-view>`);
  await page.waitForSelector('packscope-view[data-ready]');
  assert.match(await page.evaluate(() => document.querySelector('packscope-view').shadowRoot.querySelector('p').textContent), /nothing\.json: 404/);
});

test('an element that is moved goes on', async () => {
  const page = await host(`${script}<div></div><packscope-view cu-seqlens="0 5 7 11"></packscope-view>`);
  await page.waitForSelector('packscope-view[data-ready]');
  await page.evaluate(() => document.querySelector('div').append(document.querySelector('packscope-view')));
  await page.waitForFunction(() => document.querySelector('packscope-view').scenario !== undefined);
  await frame(page);
  assert.equal(await painted(page, 0), true);
  assert.equal(await page.evaluate(() => document.querySelector('packscope-view').shadowRoot.querySelectorAll('form').length), 1);
  assert.deepEqual(page.faults, []);
});
