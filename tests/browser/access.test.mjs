// Everybody's page: axe, the keyboard, light and dark, a phone.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PASTE, frame, open, size, text, type } from './page.mjs';

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

for (const [name, options] of Object.entries({
  light: {}, dark: { scheme: 'dark' }, phone: { width: 390, height: 844 }, rules: { path: 'rules/index.html' }, rule: { path: 'rules/PSP201.html', scheme: 'dark' },
  lesson: { path: '?lesson=zigzag/3' }, 'lesson on a phone': { path: '?lesson=read-a-failure/1', width: 390, height: 844, scheme: 'dark' }, 'lesson to read': { path: 'lessons/zigzag.html', scheme: 'dark' },
  glossary: { path: 'reference/glossary.html' }, scenario: { path: 'reference/scenario.html' }, 'command line': { path: 'reference/command-line.html' }, embedding: { path: 'reference/embedding.html', width: 390 }, 'the page': { path: 'reference/page.html' },
})) {
  test(`axe finds nothing: ${name}`, async () => {
    const page = await open(options);
    if (!options.path && !options.width) {
      await page.click('details[data-view="matrix"] summary');
      await page.click('details[data-view="ring"] summary');
    }
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((node) => node.target).join(' ')}`), []);
  });
}

test('a view is walked by keyboard, and read as a table', async () => {
  const page = await open();
  await type(page, PASTE);
  await page.focus('article[data-view="pack"] canvas');
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
  await frame(page);
  assert.match(await text(page, '#reading'), /^Token 2 is position 2 of sequence 0/);
  await page.keyboard.press('Enter');
  await page.focus('#text');
  await frame(page);
  assert.match(await text(page, '#reading'), /Token 2.*pinned/);
  await page.focus('article[data-view="ranks"] canvas');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  assert.match(await text(page, '#groups h3'), /^Rank \d/);
  await page.waitForFunction(() => document.querySelectorAll('article[data-view="pack"] table tr').length === 4);
  const rows = await page.locator('article[data-view="pack"] table tr').allTextContents();
  assert.deepEqual(rows, ['sequenceslotreal tokenspadding', '0[0, 704)7004', '1[704, 1504)8000', '2[1504, 2048)5440']);
});

test('zoom and pan by keyboard', async () => {
  const page = await open();
  await type(page, PASTE);
  const picture = () => page.evaluate(() => document.querySelector('article[data-view="pack"] canvas').toDataURL());
  const whole = await picture();
  await page.focus('article[data-view="pack"] canvas');
  await page.keyboard.press('w');
  await frame(page);
  const nearer = await picture();
  assert.notEqual(nearer, whole);
  await page.keyboard.press('d');
  await frame(page);
  assert.notEqual(await picture(), nearer);
  await page.keyboard.press('f');
  await frame(page);
  assert.equal(await picture(), whole);
});

for (const name of ['pack', 'lanes']) {
  test(`arrows walk what is seen of the ${name}; with Shift they move it, and the overview shows where`, async () => {
    const page = await open();
    await type(page, PASTE);
    const canvas = page.locator(`article[data-view="${name}"] canvas`);
    const box = await canvas.boundingBox();
    const token = async () => Number((await text(page, '#reading')).match(/^Token (\d+)/)[1]);
    const pressed = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
      await frame(page);
    };
    await canvas.focus();
    // To an eighth of the width, from the middle on.
    await pressed('Shift+ArrowUp', 'w', 'w', 'w', 'w', 'w', 'ArrowRight');
    const start = await token();
    assert.ok(start > 0, `starts at ${start}`);
    await pressed('ArrowRight');
    assert.equal(await token(), start + 1);
    await pressed('Escape', 'Shift+ArrowRight', 'Shift+ArrowRight', 'ArrowRight');
    assert.ok(await token() > start);
    // The left end of the overview is the start of the stream.
    const overview = box.y + box.height - 5;
    const left = box.x + (name === 'lanes' ? 63 : 1);
    await page.mouse.click(left, overview);
    await page.mouse.move(left, box.y + 24);
    await frame(page);
    assert.equal(await token(), 0);
    // Whole again, there is nothing to move.
    const picture = async () => {
      await page.mouse.move(box.x - 5, box.y + 24);
      await pressed('Escape');
      return canvas.evaluate((drawn) => drawn.toDataURL());
    };
    await pressed('f');
    const whole = await picture();
    await page.mouse.click(left + 200, overview);
    assert.ok(await picture() === whole);
  });
}

test('canvases are sharp at 1×, 1.5× and 2×', async () => {
  for (const ratio of [1, 1.5, 2]) {
    const page = await open();
    await page.evaluate((ratio) => Object.defineProperty(window, 'devicePixelRatio', { value: ratio }), ratio);
    await page.setViewportSize({ width: 1300, height: 900 });
    await frame(page);
    const [css, device] = await page.evaluate(() => {
      const canvas = document.querySelector('article[data-view="pack"] canvas');
      return [canvas.getBoundingClientRect().width, canvas.width];
    });
    assert.equal(device, Math.round(css * ratio));
  }
});

// The colour of a place of the pack's first sequence, and of its ground.
const colours = (page) => page.evaluate(() => {
  const canvas = document.querySelector('article[data-view="pack"] canvas');
  const at = (x, y) => canvas.getContext('2d').getImageData(x, y, 1, 1).data.join();
  return { sequence: at(8, 30), ground: at(2, canvas.height - 3) };
});

test('on paper the views are drawn for paper, and as before behind it', async () => {
  const page = await open({ scheme: 'dark' });
  const before = await colours(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  const paper = await colours(page);
  assert.equal(paper.ground, '255,255,255,255');
  assert.notDeepEqual(paper, before);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.deepEqual(await colours(page), before);
});

test('forced colours win over a theme that was chosen', async () => {
  const page = await open();
  await page.click('#theme');
  await frame(page);
  const chosen = await colours(page);
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
  await frame(page);
  assert.notEqual((await colours(page)).ground, chosen.ground);
  assert.equal(await page.locator('.finding').first().isVisible(), true);
});

test('nothing jumps while the page loads, nor while someone types', async () => {
  for (const width of [1440, 390]) {
    const page = await open({ width });
    const watch = () => page.evaluate(() => new Promise((done) => {
      let sum = 0;
      new PerformanceObserver((list) => { for (const shift of list.getEntries()) sum += shift.value; }).observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => done(sum), 300);
    }));
    const loaded = await watch();
    assert.ok(loaded < 0.01, `${width} px: ${loaded} while loading`);
    if (width === 1440) {
      await size(page, 'cp').fill('1');
      await type(page, 'lengths: 8');
      await page.focus('#text');
      await page.keyboard.press('End');
      const before = await watch();
      await page.keyboard.type(' 16 24 3 128', { delay: 25 });
      const typed = (await watch()) - before;
      assert.ok(typed < 0.01, `${typed} while typing`);
    }
  }
});
