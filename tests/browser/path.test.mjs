// What a person can do: the steps of "The whole path".
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASTE, frame, open, pointAtToken, size, text, type } from './page.mjs';

// The address follows a change when the browser has deflated it.
async function folded(page, before) {
  await page.waitForURL((url) => url.href !== before);
  return new URL(page.url()).hash;
}

test('1: the page opens on the published example', async () => {
  const page = await open();
  assert.match(await text(page, '#seq-idx'), /0×5 1×2 2×4 3×5/);
  assert.equal(await size(page, 'tp').inputValue(), '2');
  assert.equal(await size(page, 'cp').inputValue(), '2');
  assert.match(await text(page, '#pack-sentence'), /3 sequences in 16 tokens, 5 of tail padding/);
  assert.equal(await page.locator('article canvas').first().isVisible(), true);
  assert.deepEqual(page.faults, []);
});

test('1: the first picture is in the page before any script', async () => {
  const html = await (await fetch(process.env.PACKSCOPE_URL)).text();
  assert.equal(html.match(/<svg class="in-light"/g).length, 3);
  assert.equal(html.match(/<svg class="in-dark"/g).length, 3);
  assert.match(html, /<style>/);
});

test('2: what Python printed is read and drawn', async () => {
  const page = await open();
  await type(page, PASTE);
  assert.match(await text(page, '#read'), /Read as a printed PackedSeqParams/);
  assert.match(await text(page, '#seq-idx'), /0×704 1×800 2×544/);
  for (const [input, runs] of [['[0, 5, 7, 11]', '3 sequences in 11 tokens'], ['lengths: 5 2 4', '3 sequences in 11 tokens'], ['{"params": {"cu_seqlens_q": [0, 3, 9]}}', '2 sequences in 9 tokens']]) {
    await type(page, input);
    assert.match(await text(page, '#pack-sentence'), new RegExp(runs));
  }
  assert.deepEqual(page.faults, []);
});

test('2: what cannot be read is pointed at, and the picture stays', async () => {
  const page = await open();
  await type(page, PASTE);
  await type(page, '[0, 5, oops]');
  assert.match(await text(page, '#read.error'), /expected|not/);
  assert.equal(await text(page, '#backdrop mark.error'), 'oops');
  assert.match(await text(page, '#pack-sentence'), /3 sequences in 2048/);
  assert.equal(await page.inputValue('#text'), '[0, 5, oops]');
});

test('3: every size is followed on each keystroke', async () => {
  const page = await open();
  await type(page, PASTE);
  await size(page, 'cp').fill('4');
  assert.match(await text(page, '#lanes-sentence'), /8 chunks, rank r keeps chunk r and chunk 7 − r: 512 tokens each/);
  await page.locator('.stepper[data-size="world"] button').last().click();
  assert.equal(await size(page, 'world').inputValue(), '16');
  assert.match(await text(page, '.derived'), /DP 2 = 16 \/ \(2·4·1\)/);
  await size(page, 'pp').fill('2');
  assert.match(await text(page, '.derived'), /DP 1/);
  await size(page, 'ep').fill('3');
  assert.match(await text(page, '#findings'), /not divisible by expert/);
  await size(page, 'ep').fill('1');
  await page.selectOption('#partition', 'contiguous');
  assert.match(await text(page, '#lanes-sentence'), /r-th equal run/);
  await page.fill('#order', 'cp-tp-ep-dp-pp');
  assert.match(await text(page, '#groups .sum'), /0 = cp 0 × 1 \+ tp 0 × 4/);
  await page.fill('#order', 'cp-tp-xx');
  assert.match(await text(page, '#findings'), /an axis "xx" that does not exist/);
  assert.deepEqual(page.faults, []);
});

test('3: steppers offer what divides and say why the rest does not', async () => {
  const page = await open();
  const [down, up] = [page.locator('.stepper[data-size="cp"] button').first(), page.locator('.stepper[data-size="cp"] button').last()];
  await up.click();
  assert.equal(await size(page, 'cp').inputValue(), '4');
  assert.equal(await up.isDisabled(), true);
  assert.match(await up.getAttribute('title'), /no larger CP divides/);
  await down.click();
  await down.click();
  assert.equal(await size(page, 'cp').inputValue(), '1');
});

test('4: hovering says in words what it is, and lights the same thing elsewhere', async () => {
  const page = await open();
  await type(page, PASTE);
  await page.check('#sequence_parallel');
  // Zoomed in until one token is wide enough to point at.
  const box = await page.locator('article[data-view="pack"] canvas').boundingBox();
  const x = box.x + (703.5 / 2048) * box.width;
  for (let i = 0; i < 24; i += 1) {
    await page.mouse.move(x, box.y + 45);
    await page.mouse.wheel(0, -240);
  }
  await frame(page);
  const before = await page.evaluate(() => document.querySelector('article[data-view="ranks"] canvas').toDataURL());
  // Eight tokens fill the view now: the pointer goes as many tokens as are missing.
  const under = Number((await text(page, '#reading')).match(/Token (\d+)/)[1]);
  await page.mouse.move(x + ((703 - under) * box.width) / 8, box.y + 46);
  await frame(page);
  assert.equal(await text(page, '#reading'), 'Token 703 is position 703 of sequence 0, padding; chunk 3 of 4, CP rank 0, local index 351, TP rank 0');
  await pointAtToken(page, 0, 1);
  const lanes = await page.locator('article[data-view="lanes"] canvas').boundingBox();
  await page.mouse.move(lanes.x + lanes.width - 20, lanes.y + 70);
  await frame(page);
  assert.match(await text(page, '#reading'), /CP rank 1, local index \d+, TP rank 1$/);
  const after = await page.evaluate(() => document.querySelector('article[data-view="ranks"] canvas').toDataURL());
  assert.notEqual(before, after, 'the rank that holds the token is lit');
  assert.deepEqual(page.faults, []);
});

test('4: a rank is picked, and each of its groups is there', async () => {
  const page = await open();
  const box = await page.locator('article[data-view="ranks"] canvas').boundingBox();
  await page.mouse.click(box.x + 4 + 40 * 5 + 20, box.y + 34);
  await frame(page);
  assert.match(await text(page, '#groups h3'), /Rank 5 is GPU 5 of node 0: tp 1, cp 0, dp 1/);
  const groups = await page.locator('#groups > table tr').allTextContents();
  assert.deepEqual(groups, ['tp[4, 5]', 'cp[5, 7]', 'dp[1, 5]', 'dp-cp[1, 3, 5, 7]', 'tp-cp[4, 5, 6, 7]', 'pp[5]', 'ep[5]']);
});

test('5: the address holds the state; back and forward undo and redo', async () => {
  const page = await open();
  await type(page, PASTE);
  await page.waitForTimeout(700);
  const before = page.url();
  await size(page, 'cp').fill('4');
  const hash = await folded(page, before);
  const other = await open({ hash });
  assert.equal(await other.inputValue('#text'), PASTE);
  assert.equal(await size(other, 'cp').inputValue(), '4');
  await page.goBack();
  assert.equal(await size(page, 'cp').inputValue(), '2');
  assert.equal(await page.inputValue('#text'), PASTE);
  await page.goBack();
  assert.match(await page.inputValue('#text'), /0, 5, 7, 11/);
  await page.goForward();
  await page.goForward();
  assert.equal(await size(page, 'cp').inputValue(), '4');
  assert.deepEqual(page.faults, []);
});

test('5: a pin is in the address, and Esc lets go', async () => {
  const page = await open();
  const box = await page.locator('article[data-view="pack"] canvas').boundingBox();
  const before = page.url();
  await page.mouse.click(box.x + (6.5 / 16) * box.width, box.y + 45);
  await page.mouse.move(5, 5);
  await frame(page);
  assert.match(await text(page, '#reading'), /Token 6 is position 1 of sequence 1.*pinned/);
  const other = await open({ hash: await folded(page, before) });
  await frame(other);
  assert.match(await text(other, '#reading'), /Token 6/);
  await other.keyboard.press('Escape');
  await frame(other);
  assert.match(await text(other, '#reading'), /Point at anything/);
});

test('6: what is wrong is reported with code, field and a sentence', async () => {
  const page = await open();
  const codes = async () => [...new Set(await page.locator('.finding .code').allTextContents())];
  for (const [input, code] of [
    ['cu_seqlens_q = [2, 5, 7]\ntotal_tokens = 9', 'PSP004'],
    ['cu_seqlens_q = [0, 5, 3, 11]', 'PSP005'],
    ['cu_seqlens_q = [0, 6, 10]\ncu_seqlens_q_padded = [0, 4, 12]', 'PSP102'],
    ['cu_seqlens_q = [0, 5, 7, 11]\ntotal_tokens = 9', 'PSP120'],
    ['cu_seqlens_q = [0, 6, 12]\ncu_seqlens_q_padded = [0, 6, 12]', 'PSP201'],
    ['cu_seqlens_q = [0, 8]\ncu_seqlens_q_padded = [0, 8]\ntotal_tokens = 10', 'PSP202'],
  ]) {
    await type(page, input);
    assert.ok((await codes()).includes(code), `${code} in ${await codes()}`);
  }
  await size(page, 'world').fill('9');
  assert.ok((await codes()).includes('PSP401'));
  await size(page, 'world').fill('8');
  await size(page, 'ep').fill('16');
  assert.ok((await codes()).includes('PSP402'));
  assert.match(await page.title(), /◆\d/);
});

test('6: a fix shows its change, and the finding is gone', async () => {
  const page = await open();
  const row = page.locator('.finding[data-code="PSP201"]');
  await row.locator('.fix button').hover();
  assert.match(await row.locator('pre').textContent(), /cu_seqlens_q_padded = \[0, 8, 12, 16\]/);
  await row.locator('.fix button').click();
  assert.equal(await row.count(), 0);
  assert.match(await page.inputValue('#text'), /cu_seqlens_q_padded=\[0, 8, 12, 16\]/);
  assert.match(await text(page, '#lanes-sentence'), /8 tokens each/);
  await page.goBack();
  assert.equal(await row.count(), 1);
});

test('bad input: a clear message, no freeze, nothing lost', async () => {
  const page = await open();
  const noise = Array.from({ length: 1 << 20 }, (_, i) => String.fromCharCode(33 + ((i * 7919) % 90))).join('');
  const work = await page.evaluate(async (noise) => {
    const { Session } = await import('./pkg/packscope.js');
    const session = new Session();
    const started = performance.now();
    session.set_text(noise);
    const state = session.state();
    return { time: performance.now() - started, message: state.error?.message };
  }, noise);
  assert.ok(work.message);
  assert.ok(work.time < 100, `${work.time} ms`);
  for (const input of ['[0, 2147483648]', '[0, 99999999999999999999]', '[-1, -5]', '[]', '0', '{', '[[[[', 'tensor(', "'", '\u0000', '{"params": {"cu_seqlens_q": [0, "a"]}}', '[0, 9007199254740992]']) {
    await type(page, input);
    assert.equal(await page.inputValue('#text'), input);
  }
  for (const value of ['0', '-4', '1000000000', '9007199254740991']) {
    for (const name of ['tp', 'cp', 'ep', 'pp', 'world']) {
      await size(page, name).fill(value);
      await size(page, name).fill('1');
    }
  }
  await size(page, 'world').fill('1000000000');
  assert.match(await text(page, '#findings'), /more ranks than Packscope lays out/);
  assert.deepEqual(page.faults, []);
});

test('390 px: the parts are tabs, and nothing is wider than the screen', async () => {
  const page = await open({ width: 390, height: 844 });
  assert.equal(await page.locator('#text').isVisible(), false);
  await page.click('#tab-findings');
  assert.equal(await page.locator('#findings').isVisible(), true);
  await page.click('#tab-text');
  await type(page, PASTE);
  await page.click('#tab-views');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  assert.equal(await page.locator('#reading').isVisible(), true);
});

test('a double-click frames a sequence, in the pack and in the lanes, and f shows everything again', async () => {
  const page = await open();
  await type(page, 'cu_seqlens_q = [0, 64, 96, 128]\ncu_seqlens_q_padded = [0, 64, 96, 128]\ntotal_tokens = 128');
  for (const view of ['pack', 'lanes']) {
    const canvas = page.locator(`article[data-view="${view}"] canvas`);
    const box = await canvas.boundingBox();
    // Sequence 1 lies in the third quarter of both.
    const left = view === 'pack' ? 0 : 62;
    const point = (share) => [box.x + left + share * (box.width - left), box.y + 36];
    await page.mouse.dblclick(...point(0.6));
    await frame(page);
    await page.mouse.move(...point(0.02));
    await frame(page);
    const first = Number(/[Tt]oken (\d+)/.exec(await text(page, '#reading'))[1]);
    assert.ok(first >= 56 && first <= 64, `${view}: the left end shows token ${first}`);
    await page.keyboard.press('Escape');
    await canvas.focus();
    await page.keyboard.press('f');
    await page.mouse.move(...point(0.01));
    await frame(page);
    assert.match(await text(page, '#reading'), /^Token [01] /);
  }
});

test('what cannot be read is underlined at its place in a long text too', async () => {
  const page = await open();
  const offsets = Array.from({ length: 6000 }, (_, i) => i * 16);
  await type(page, `[${offsets.slice(0, 20).join(', ')}, oops, ${offsets.slice(20).join(', ')}]`);
  await page.evaluate(() => { document.getElementById('text').scrollLeft = 500; });
  assert.equal(await text(page, '#backdrop mark.error'), 'oops');
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('backdrop')).whiteSpace === getComputedStyle(document.getElementById('text')).whiteSpace), true);
});

test('a finding in a long text is underlined at its place, and brought into sight', async () => {
  const page = await open();
  const offsets = Array.from({ length: 6000 }, (_, i) => i * 16);
  offsets[3000] = 7;
  await type(page, `# ä\n\ncu_seqlens_q = [${offsets.join(', ')}]\ntotal_tokens = ${5999 * 16}\n`);
  await page.click('.finding[data-code="PSP005"] .message');
  await frame(page);
  const at = await page.evaluate(() => {
    const area = document.getElementById('text');
    const mark = document.querySelector('#backdrop mark.error');
    // The same text, set as the browser sets it.
    const twin = document.createElement('pre');
    const { font, padding, whiteSpace } = getComputedStyle(area);
    Object.assign(twin.style, { font, padding, whiteSpace, margin: 0, position: 'absolute', top: 0, left: 0, width: '0px' });
    twin.textContent = area.value;
    document.body.append(twin);
    const range = document.createRange();
    const index = area.value.indexOf(' 7,') + 1;
    range.setStart(twin.firstChild, index);
    range.setEnd(twin.firstChild, index + 1);
    const [own, wanted, box] = [mark.getBoundingClientRect(), range.getBoundingClientRect(), area.getBoundingClientRect()];
    twin.remove();
    return {
      text: mark.textContent, selected: area.value.slice(area.selectionStart, area.selectionEnd),
      x: own.x - (box.x + wanted.x - area.scrollLeft), y: own.y - (box.y + wanted.y - area.scrollTop),
      seen: own.x > box.x && own.right < box.right && own.y > box.y && own.bottom < box.bottom,
    };
  });
  assert.equal(at.text, '7');
  assert.equal(at.selected, '7');
  assert.ok(Math.abs(at.x) < 1.5 && Math.abs(at.y) < 1.5, `${at.x}, ${at.y} off`);
  assert.ok(at.seen);
});

test('a finding in a text of many rows is brought into sight', async () => {
  const page = await open();
  const offsets = Array.from({ length: 600 }, (_, i) => i * 16);
  offsets[500] = 7;
  await type(page, `cu_seqlens_q = [${offsets.join(', ')}]\ntotal_tokens = ${599 * 16}\n`);
  await page.click('.finding[data-code="PSP005"] .message');
  await frame(page);
  const mark = page.locator('#backdrop mark.error').filter({ hasText: /^7$/ });
  const [own, box] = [await mark.boundingBox(), await page.locator('#text').boundingBox()];
  assert.ok(own.y > box.y && own.y + own.height < box.y + box.height, `${own.y} in ${box.y} + ${box.height}`);
});

test('lanes beyond those that are drawn are reached, and stay under the pointer', async () => {
  const page = await open();
  await type(page, 'cu_seqlens_q = [0, 4096, 16384]\ncu_seqlens_q_padded = [0, 4096, 16384]\ntotal_tokens = 16384\n');
  const lanes = page.locator('article[data-view="lanes"]');
  const later = lanes.getByRole('button', { name: 'later CP ranks' });
  assert.equal(await later.isVisible(), false);
  await size(page, 'world').fill('256');
  await size(page, 'tp').fill('1');
  await size(page, 'cp').fill('256');
  await frame(page);
  const canvas = lanes.locator('canvas');
  // The rank of the lane that is so far down.
  const rankAt = async (y) => {
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + y);
    await frame(page);
    return Number((await text(page, '#reading')).match(/CP rank (\d+)/)[1]);
  };
  assert.equal(await rankAt(22), 0);
  assert.equal(await rankAt(22 + 40 * 9.5), 40);
  assert.equal(await rankAt(22), 0);
  await later.click();
  await canvas.focus();
  await page.keyboard.press('PageDown');
  await frame(page);
  assert.equal(await rankAt(22), 64);
  assert.equal(await rankAt(22 + 63 * 9.5), 127);
  assert.equal(await rankAt(22), 64);
  // A token that lies on another rank brings its lane.
  await page.locator('article[data-view="pack"] canvas').scrollIntoViewIfNeeded();
  await pointAtToken(page, 0, 16384);
  assert.equal(await rankAt(22), 0);
});

test('chunks move to their ranks when CP changes by hand, and not while someone types', async () => {
  const moves = async (page, change) => {
    await page.evaluate(async () => {
      const { Session } = await import('/pkg/packscope.js');
      const { draw } = Session.prototype;
      window.settled = [];
      Session.prototype.draw = function drawn(view, canvas, ratio, options) {
        if (view === 'lanes') window.settled.push(options.settled);
        return draw.call(this, view, canvas, ratio, options);
      };
    });
    await change(page);
    await page.waitForTimeout(250);
    return page.evaluate(() => window.settled);
  };
  const larger = (page) => page.click('.stepper[data-size="cp"] button:last-child');
  const page = await open();
  const seen = await moves(page, larger);
  assert.ok(seen.length > 3 && seen[0] < 0.5 && seen.at(-1) === 1, `${seen}`);
  assert.deepEqual(seen, [...seen].sort((a, b) => a - b));
  assert.deepEqual(await moves(await open(), (typed) => size(typed, 'cp').fill('4')), [1]);
  const calm = await open();
  await calm.emulateMedia({ reducedMotion: 'reduce' });
  assert.deepEqual(await moves(calm, larger), [1]);
});
