// A page in headless Chromium, at the address that `cargo xtask test` serves.
import { chromium } from 'playwright-core';
import { after } from 'node:test';

const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const address = process.env.PACKSCOPE_URL;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
after(() => browser.close());

export const PASTE = "PackedSeqParams(qkv_format='thd', cu_seqlens_q=tensor([  0, 700, 1500, 2044], device='cuda:0', dtype=torch.int32), cu_seqlens_kv=tensor([  0, 700, 1500, 2044], device='cuda:0', dtype=torch.int32), cu_seqlens_q_padded=tensor([  0, 704, 1504, 2048], device='cuda:0', dtype=torch.int32), cu_seqlens_kv_padded=tensor([  0, 704, 1504, 2048], device='cuda:0', dtype=torch.int32), max_seqlen_q=800, max_seqlen_kv=800, local_cp_size=None, cp_group=None, total_tokens=2048)";

// Opens the page; a script error or a request to another host fails the test.
export async function open({ hash = '', path = '', width = 1440, height = 900, scheme = 'light', permissions = [] } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, permissions });
  const page = await context.newPage();
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  // A browser asks every site for an icon of its own accord.
  const asked = (message) => message.location().url.endsWith('/favicon.ico');
  page.on('console', (message) => message.type() === 'error' && !asked(message) && page.faults.push(message.text()));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) page.faults.push(`asks ${request.url()}`);
  });
  await page.goto(address + path + hash);
  if (!path || path.startsWith('?')) await page.waitForSelector('html[data-ready]');
  return page;
}

export const type = (page, text) => page.fill('#text', text);
export const text = (page, selector) => page.textContent(selector);

// The middle of a token of the pack or the lanes: where the pointer has to go.
export async function pointAtToken(page, token, total) {
  const box = await page.locator('article[data-view="pack"] canvas').boundingBox();
  await page.mouse.move(box.x + ((token + 0.5) / total) * box.width, box.y + 45);
  await frame(page);
}

export const frame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
export const size = (page, name) => page.locator(`.stepper[data-size="${name}"] input`);
