// The lessons beside the live views: each check waits for the right answer and knows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, frame, open, text, type } from './page.mjs';

const lessons = await (await fetch(`${address}lessons/lessons.json`)).json();

const answer = (page) => page.locator('#lesson-answer');
const isReady = (page) => page.evaluate(() => document.getElementById('lesson-next').classList.contains('ready'));

async function solve(page, check) {
  if (check.choices) await page.click(`.choices button >> nth=${check.right}`);
  else if (check.number !== undefined) {
    await page.fill('.question input', String(check.number));
    await page.keyboard.press('Enter');
  } else await type(page, check.solution);
}

test('there are ten, in order', () => {
  assert.deepEqual(lessons.map((lesson) => lesson.slug), ['why-cu-seqlens', 'two-kinds-of-offsets', 'seq-idx', 'zigzag', 'multiple-of-2-cp-tp', 'sequence-parallel', 'rank-is-a-sum', 'moe-folding', 'runtime-cp', 'read-a-failure']);
});

for (const lesson of lessons) {
  test(`${lesson.slug}: every step is solved and leads on`, async () => {
    const page = await open({ path: `?lesson=${lesson.slug}/1` });
    for (const [index, step] of lesson.steps.entries()) {
      assert.equal(await text(page, '#lesson-title'), step.title);
      assert.equal(await isReady(page), false, 'solved before it is tried');
      await solve(page, step.check);
      await frame(page);
      assert.match(await answer(page).getAttribute('class'), /right/, `${step.title}: the answer is not taken`);
      assert.equal(await isReady(page), true);
      if (index + 1 < lesson.steps.length) await page.click('#lesson-next');
    }
    assert.deepEqual(page.faults, []);
  });
}

test('a wrong answer gets a hint, and the right one is still taken', async () => {
  const page = await open({ path: '?lesson=zigzag/1' });
  await page.fill('.question input', '36');
  await page.click('.question form button');
  assert.match(await answer(page).textContent(), /Not that.*9 \+ 10/s);
  await page.fill('.question input', '100');
  await page.click('.question form button');
  assert.match(await answer(page).textContent(), /Right/);
});

test('a task is done with the controls of the page, and undone by undoing it', async () => {
  const page = await open({ path: '?lesson=zigzag/2' });
  await page.selectOption('#partition', 'per_document');
  assert.match(await answer(page).textContent(), /Done.*68 pairs each/s);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('#lesson-answer').textContent.includes('Not done'));
  assert.equal(await text(page, '#lesson-title'), 'One early, one late');
});

test('back and forward turn the steps', async () => {
  const page = await open({ path: '?lesson=seq-idx/1' });
  await page.click('#lesson-next');
  await page.goBack();
  await page.waitForFunction((title) => document.getElementById('lesson-title').textContent === title, lessons[2].steps[0].title);
});

test('a lesson can be read on paper, and its words lead to the glossary', async () => {
  const page = await open({ path: 'lessons/zigzag.html' });
  assert.equal(await page.locator('section').count(), lessons[3].steps.length);
  await page.click('a.term >> nth=0');
  assert.match(page.url(), /reference\/glossary\.html#/);
  const place = page.url().split('#')[1];
  assert.equal(await page.locator(`dt[id="${place}"]`).count(), 1);
  assert.deepEqual(page.faults, []);
});

test('the pages for reading lead to the live step', async () => {
  const page = await open({ path: 'lessons/moe-folding.html' });
  await page.click('a.open >> nth=2');
  await page.waitForSelector('html[data-ready]');
  assert.equal(await text(page, '#lesson-title'), 'The surprise');
  assert.equal(await page.inputValue('#order'), 'tp-cp-ep-pp-dp');
});
