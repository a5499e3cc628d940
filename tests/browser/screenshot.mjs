// The README's picture.
import { PASTE, frame, open, type } from './page.mjs';

const page = await open({ width: 1440, height: 860 });
await type(page, PASTE);
await page.check('#sequence_parallel');
const box = await page.locator('article[data-view="pack"] canvas').boundingBox();
await page.mouse.click(box.x + (1100 / 2048) * box.width, box.y + 45);
await page.mouse.move(2, 2);
await frame(page);
await page.screenshot({ path: 'www/screenshot.png' });
await page.context().browser().close();
