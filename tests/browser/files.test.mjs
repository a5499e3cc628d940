// Files, dropped or picked, and what is copied out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame, open, text, type } from './page.mjs';

// A .npy of this many int32 position ids, in sequences of 4096 tokens.
function npy(tokens) {
  const header = Buffer.from(`{'descr': '<i4', 'fortran_order': False, 'shape': (${tokens},), }\n`);
  const file = Buffer.alloc(10 + header.length + 4 * tokens);
  file.write('\x93NUMPY\x01\x00', 0, 'latin1');
  file.writeUInt16LE(header.length, 8);
  header.copy(file, 10);
  const ids = new Int32Array(tokens);
  for (let i = 0; i < tokens; i += 1) ids[i] = i % 4096;
  Buffer.from(ids.buffer).copy(file, 10 + header.length);
  return file;
}

const pick = (page, name, buffer) => page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer });

test('an array file becomes the text that says the same', async () => {
  const page = await open();
  await pick(page, 'ids.npy', npy(16384));
  await page.waitForFunction(() => document.getElementById('text').value.startsWith('# read as position ids'));
  assert.match(await text(page, '#pack-sentence'), /4 sequences in 16\u2009384 tokens/);
  await pick(page, 'run.json', Buffer.from('{"params": {"cu_seqlens_q": [0, 3, 9]}}'));
  await page.waitForFunction(() => document.getElementById('text').value.includes('params'));
  assert.match(await text(page, '#pack-sentence'), /2 sequences in 9 tokens/);
  await pick(page, 'broken.npy', Buffer.from('\x93NUMPY\x01\x00', 'latin1'));
  await page.waitForSelector('#toast.on');
  assert.match(await text(page, '#toast'), /broken\.npy: the file ends before/);
  assert.match(await text(page, '#pack-sentence'), /2 sequences in 9 tokens/);
  assert.deepEqual(page.faults, []);
});

test('a dropped file is read', async () => {
  const page = await open();
  const drop = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['lengths: 4 4'], 'lengths.txt'));
    return data;
  });
  await page.dispatchEvent('body', 'drop', { dataTransfer: drop });
  await page.waitForFunction(() => document.getElementById('text').value === 'lengths: 4 4');
});

test('a large file does not freeze the page, and can be stopped', async () => {
  const page = await open();
  // Playwright hands over 50 MB at most; the page makes the file itself.
  await page.evaluate(() => {
    window.gaps = [];
    let last = performance.now();
    const tick = () => {
      const now = performance.now();
      window.gaps.push(now - last);
      last = now;
      window.ticking = setTimeout(tick, 5);
    };
    tick();
    const tokens = 60_000_000;
    const header = new TextEncoder().encode(`{'descr': '<i4', 'fortran_order': False, 'shape': (${tokens},), }\n`);
    const head = new Uint8Array(10 + header.length);
    head.set([0x93, 78, 85, 77, 80, 89, 1, 0, header.length & 255, header.length >> 8]);
    head.set(header, 10);
    const run = new Int32Array(4096).map((_, i) => i);
    const parts = [head];
    for (let i = 0; i < tokens; i += 4096) parts.push(i + 4096 <= tokens ? run : run.subarray(0, tokens - i));
    const data = new DataTransfer();
    data.items.add(new File(parts, 'large.npy'));
    window.large = data;
  });
  const drop = () => page.evaluate(() => {
    window.gaps.length = 0;
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: window.large, bubbles: true, cancelable: true }));
  });
  await drop();
  assert.equal(await page.locator('#progress').isVisible(), true);
  await page.click('#progress button');
  assert.equal(await page.locator('#progress').isVisible(), false);
  await drop();
  await page.waitForFunction(() => document.getElementById('text').value.startsWith('# read as position ids'), null, { timeout: 120_000 });
  const longest = await page.evaluate(() => Math.max(...window.gaps));
  assert.ok(longest < 1500, `the page stood still for ${longest} ms`);
  assert.match(await text(page, '#pack-sentence'), /14\u2009649 sequences in 60\u2009000\u2009000 tokens/);
});

test('what is copied out reads back', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await type(page, 'cu_seqlens_q = [0, 6, 10]\ncu_seqlens_q_padded = [0, 8, 12]');
  const before = await text(page, '#pack-sentence');
  for (const form of ['python_script', 'scenario_json', 'params_repr', 'markdown']) {
    await page.click('#copy-as summary');
    await page.click(`[data-copy="${form}"]`);
    await frame(page);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    await type(page, copied);
    assert.equal(await text(page, '#pack-sentence'), before, form);
  }
  await page.click('#copy-link');
  await frame(page);
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await type(page, link);
  assert.equal(await text(page, '#pack-sentence'), before);
  assert.deepEqual(page.faults, []);
});

test('ranks of one paste are picked, and where they differ is said', async () => {
  const page = await open();
  await type(page, '[rank0]: PackedSeqParams(cu_seqlens_q=[0, 8, 16])\n[rank1]: PackedSeqParams(cu_seqlens_q=[0, 4, 16])\n');
  assert.match(await text(page, '#read'), /Rank 1 differs from rank 0 in cu_seqlens_q/);
  assert.match(await text(page, '#findings'), /ranks 0 and 1 are in one TP group and differ in cu_seqlens_q/);
  await page.selectOption('#case', '1');
  assert.match(await text(page, '#seq-idx'), /is not derived/);
  assert.match(await text(page, '#groups h3'), /Rank 1/);
});
