// Frames, measured in one run: the toy, a run of a million tokens, 16 times the tokens, and a plain
// page that expands per token and draws each run. Medians, on every page alike: a keystroke from the
// input, which comes at any time of a frame, to the painted frame; a step of panning from the start
// of its frame to its end. The ratios are what counts.
import { frame, open, size, type } from './page.mjs';

const lengths = (count, scale) => Array.from({ length: count }, (_, i) => 128 * scale * (1 + ((i * 7919) % 3)));

// Milliseconds from a keystroke to the painted frame, and of a frame of panning. `canvas` hears the
// keys that pan.
async function frames(page, canvas) {
  return page.evaluate(async (canvas) => {
    const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    // Golden-ratio steps through the time of a frame.
    const anyTime = async (i) => {
      await painted();
      const until = performance.now() + 16.7 * ((i * 0.618) % 1);
      while (performance.now() < until);
    };
    const area = document.getElementById('text');
    const drawing = document.querySelector(canvas);
    const press = (key) => drawing.dispatchEvent(new KeyboardEvent('keydown', { key }));
    const measure = async (count, act, fromFrame) => {
      const times = [];
      for (let i = 0; i < count; i += 1) {
        await anyTime(i);
        let started = performance.now();
        if (fromFrame) requestAnimationFrame(() => { started = performance.now(); });
        act(i);
        await painted();
        times.push(performance.now() - started);
      }
      return median(times);
    };
    // Every keystroke is a change of what is drawn: the number of tokens is typed over, the tail is
    // longer, and shorter again. The browser edits as it does under a hand.
    const { index, 0: { length }, 1: total } = area.value.match(/total_tokens = (\d+)/);
    const [start, longer] = [index + length - total.length, String(Number(total) + 128)];
    area.focus();
    const key = await measure(81, (i) => {
      const [before, after] = i % 2 ? [longer, total] : [total, longer];
      area.setSelectionRange(start, start + before.length);
      document.execCommand('insertText', false, after);
    });
    drawing.focus();
    press('w');
    press('w');
    return { key, pan: await measure(81, (i) => press(i % 2 ? 'd' : 'a'), true) };
  }, canvas);
}

async function measure(text, sizes) {
  const page = await open();
  await type(page, text);
  for (const [name, value] of Object.entries(sizes)) await size(page, name).fill(String(value));
  await frame(page);
  const times = await frames(page, 'article[data-view="pack"] canvas');
  await page.context().close();
  return times;
}

// A page without levels of detail: on every input it reads the padded offsets, expands them per
// token, and draws each run on the lane of its CP rank.
async function plain(text) {
  const page = await open();
  await page.evaluate((text) => {
    const area = Object.assign(document.createElement('textarea'), { id: 'text', rows: 12, cols: 80, wrap: 'off', value: text });
    const canvas = Object.assign(document.createElement('canvas'), { width: 1000, height: 800, tabIndex: 0 });
    const context = canvas.getContext('2d');
    document.body.replaceChildren(area, canvas);
    let [from, to] = [0, 1];
    const draw = () => {
      const offsets = JSON.parse(area.value.match(/cu_seqlens_q_padded = (\[.*\])/)[1]);
      const total = Number(area.value.match(/total_tokens = (\d+)/)[1]);
      const cp = 64;
      const index = new Int32Array(total).fill(offsets.length - 1);
      const owner = new Int32Array(total);
      for (let i = 0; i + 1 < offsets.length; i += 1) {
        index.fill(i, offsets[i], offsets[i + 1]);
        const chunk = (offsets[i + 1] - offsets[i]) / (2 * cp);
        for (let t = offsets[i]; t < offsets[i + 1]; t += 1) {
          const k = Math.floor((t - offsets[i]) / chunk);
          owner[t] = k < cp ? k : 2 * cp - 1 - k;
        }
      }
      context.clearRect(0, 0, 1000, 800);
      let start = 0;
      for (let t = 1; t <= total; t += 1) {
        if (t < total && index[t] === index[start] && owner[t] === owner[start]) continue;
        context.fillStyle = `hsl(${(index[start] * 137.5) % 360} 60% 70%)`;
        const x = (start / total - from) / (to - from) * 1000;
        context.fillRect(x, owner[start] * 12, Math.max(1, (t - start) / total / (to - from) * 1000), 10);
        start = t;
      }
    };
    let waiting = 0;
    const soon = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; draw(); }); };
    area.addEventListener('input', soon);
    canvas.addEventListener('keydown', ({ key }) => {
      const span = to - from;
      if (key === 'w') [from, to] = [from + span * 0.15, to - span * 0.15];
      else [from, to] = key === 'd' ? [from + span / 5, to + span / 5] : [from - span / 5, to - span / 5];
      soon();
    });
    draw();
  }, text);
  const times = await frames(page, 'canvas');
  await page.context().close();
  return times;
}

// A paste of slots of these lengths, each with up to 99 tokens of padding at its end.
const text = (list) => {
  const offsets = (lengths) => lengths.reduce((sums, length) => (sums.push(sums.at(-1) + length), sums), [0]);
  const valid = list.map((length, i) => length - (i % 100));
  const padded = offsets(list);
  return `cu_seqlens_q = [${offsets(valid).join(', ')}]\ncu_seqlens_q_padded = [${padded.join(', ')}]\ntotal_tokens = ${padded.at(-1)}\nmax_seqlen_q = ${Math.max(...valid)}\n`;
};

const large = { world: 16384, tp: 1, cp: 64 };
const toy = await measure('cu_seqlens_q = [0, 5, 7, 11]\ntotal_tokens = 16\n', {});
const million = await measure(text(lengths(4096, 1)), large);
const more = await measure(text(lengths(4096, 16)), large);
const naive = await plain(text(lengths(4096, 1)));
const ratio = (a, b) => `${(a / b).toFixed(2)}×`;
console.log('headless Chromium, medians in milliseconds: a keystroke to the painted frame, a frame of panning');
for (const [name, t] of [['toy', toy], ['1 M tokens, 4096 sequences, cp 64, world 16384', million], ['16 M tokens, the same sequences', more], ['a plain page, per token and run, 1 M tokens', naive]]) {
  console.log(`  ${name.padEnd(50)} keystroke ${t.key.toFixed(1)}, pan ${t.pan.toFixed(2)}`);
}
console.log(`keystroke, 1 M against the toy: ${ratio(million.key, toy.key)}; pan: ${ratio(million.pan, toy.pan)}`);
console.log(`16 times the tokens: keystroke ${ratio(more.key, million.key)}, pan ${ratio(more.pan, million.pan)}`);
console.log(`the plain page, 1 M tokens: keystroke ${ratio(naive.key, million.key)}, pan ${ratio(naive.pan, million.pan)}`);
process.exit(0);
