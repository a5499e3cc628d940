// The pages of the rules, and what leads to and from them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, text } from './page.mjs';

test('the index is searched, and every code has its page', async () => {
  const page = await open({ path: 'rules/index.html' });
  const rows = page.locator('tbody tr:visible');
  assert.ok((await rows.count()) >= 75);
  await page.fill('#search', 'padding flag');
  assert.ok((await rows.count()) < 10);
  await page.fill('#search', 'PSP201');
  assert.equal(await rows.count(), 1);
  await rows.locator('a').first().click();
  assert.match(page.url(), /rules\/PSP201\.html$/);
  assert.match(await text(page, 'h1'), /PSP201 slot-not-divisible/);
  assert.deepEqual(page.faults, []);
});

test('an example opens in the page, and its finding leads back', async () => {
  const page = await open({ path: 'rules/PSP201.html' });
  await page.click('text=Open this example >> nth=0');
  await page.waitForSelector('html[data-ready]');
  const row = page.locator('.finding[data-code="PSP201"]');
  assert.equal(await row.count(), 1);
  await row.locator('.message').click();
  const selected = await page.evaluate(() => { const area = document.getElementById('text'); return area.value.slice(area.selectionStart, area.selectionEnd); });
  assert.equal(selected, '6');
  await row.locator('.code').click();
  assert.match(page.url(), /rules\/PSP201\.html$/);
  assert.deepEqual(page.faults, []);
});
