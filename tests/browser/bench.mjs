// Frames, measured in one run: the toy, a run of a million tokens, 16 times the tokens, and a plain
// page that expands per token and draws each run. Medians; the ratios are what counts.
import { frame, open, size, type } from './page.mjs';

const lengths = (count, scale) => Array.from({ length: count }, (_, i) => 128 * scale * (1 + ((i * 7919) % 3)));

// Milliseconds of work from a keystroke to its drawing, and of one frame of panning.
async function measure(text, sizes) {
  const page = await open();
  await type(page, text);
  for (const [name, value] of Object.entries(sizes)) await size(page, name).fill(String(value));
  await frame(page);
  const times = await page.evaluate(async () => {
    const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const area = document.getElementById('text');
    const canvas = document.querySelector('article[data-view="pack"] canvas');
    const keys = [];
    // Every keystroke is a change of what is drawn: the tail is a token longer, and shorter again.
    const text = area.value;
    const longer = text.replace(/total_tokens = (\d+)/, (_, total) => `total_tokens = ${Number(total) + 128}`);
    for (let i = 0; i < 25; i += 1) {
      area.value = i % 2 ? text : longer;
      const started = performance.now();
      area.dispatchEvent(new Event('input'));
      await painted();
      keys.push(performance.now() - started);
    }
    canvas.focus();
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'w' }));
    await painted();
    const pans = [];
    for (let i = 0; i < 41; i += 1) {
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? 'a' : 'd' }));
      await new Promise((done) => requestAnimationFrame(done));
      const started = performance.now();
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? 'd' : 'a' }));
      await painted();
      pans.push(performance.now() - started);
    }
    return { key: median(keys), pan: median(pans) };
  });
  await page.context().close();
  return times;
}

// What a page without levels of detail does on every keystroke.
async function plain(list) {
  const page = await open();
  const time = await page.evaluate((list) => {
    const canvas = document.createElement('canvas');
    canvas.width = 1000;
    canvas.height = 900;
    const context = canvas.getContext('2d');
    const times = [];
    for (let round = 0; round < 5; round += 1) {
      const started = performance.now();
      const total = list.reduce((sum, n) => sum + n, 0);
      const index = new Int32Array(total);
      let at = 0;
      list.forEach((length, i) => { index.fill(i, at, at + length); at += length; });
      const cp = 64;
      const owner = new Int32Array(total);
      at = 0;
      for (const length of list) {
        const chunk = length / (2 * cp);
        for (let i = 0; i < length; i += 1) {
          const k = Math.floor(i / chunk);
          owner[at + i] = k < cp ? k : 2 * cp - 1 - k;
        }
        at += length;
      }
      let from = 0;
      for (let i = 1; i <= total; i += 1) {
        if (i === total || index[i] !== index[from] || owner[i] !== owner[from]) {
          context.fillStyle = `hsl(${(index[from] * 137.5) % 360} 60% 70%)`;
          context.fillRect((from / total) * 1000, owner[from] * 12, Math.max(1, ((i - from) / total) * 1000), 10);
          from = i;
        }
      }
      context.getImageData(0, 0, 1, 1);
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[2];
  }, list);
  await page.context().close();
  return time;
}

const text = (list) => {
  const sums = [0];
  for (const length of list) sums.push(sums.at(-1) + length);
  return `cu_seqlens_q = [${sums.join(', ')}]\ncu_seqlens_q_padded = [${sums.join(', ')}]\ntotal_tokens = ${sums.at(-1)}\nmax_seqlen_q = ${Math.max(...list)}\n`;
};

const large = { world: 16384, tp: 1, cp: 64 };
const toy = await measure('cu_seqlens_q = [0, 5, 7, 11]\ntotal_tokens = 16\n', {});
const million = await measure(text(lengths(4096, 1)), large);
const more = await measure(text(lengths(4096, 16)), large);
const naive = await plain(lengths(4096, 1));
const ratio = (a, b) => `${(a / b).toFixed(2)}×`;
console.log('headless Chromium, from input to painted frame; medians in milliseconds');
for (const [name, t] of [['toy', toy], ['1 M tokens, 4096 sequences, cp 64, world 16384', million], ['16 M tokens, the same sequences', more]]) {
  console.log(`  ${name.padEnd(50)} keystroke ${t.key.toFixed(1)}, pan ${t.pan.toFixed(1)}`);
}
console.log(`  ${'a plain page, per token and run, 1 M tokens'.padEnd(50)} ${naive.toFixed(1)}`);
console.log(`keystroke, 1 M against the toy: ${ratio(million.key, toy.key)}; pan: ${ratio(million.pan, toy.pan)}`);
console.log(`16 times the tokens: keystroke ${ratio(more.key, million.key)}, pan ${ratio(more.pan, million.pan)}`);
console.log(`the plain page against a keystroke: ${ratio(naive, million.key)}; against a pan frame: ${ratio(naive, million.pan)}`);
process.exit(0);
