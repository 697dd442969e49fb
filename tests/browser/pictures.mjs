// Pictures of every page, desktop and phone, light and dark: node pictures.mjs FOLDER < what `world.furnished` yields.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { freshProfile, opened } from './browser.mjs';
import { walk } from './pages.mjs';

const given = JSON.parse(readFileSync(0, 'utf8'));
const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const sizes = { desktop: { width: 1100, height: 800 }, phone: { width: 390, height: 800 } };
let person = 0;
for (const [size, viewport] of Object.entries(sizes)) {
  for (const colorScheme of ['light', 'dark']) {
    const { context, page } = await opened({ profile: freshProfile(), viewport, colorScheme, reducedMotion: 'reduce' });
    await walk(page, { ...given, token: given.people[person++] }, async (name, from) => {
      const top = from ? await page.evaluate((each) => document.querySelector(each).getBoundingClientRect().top + scrollY - 30, from) : 0;
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.evaluate(() => scrollTo(0, 0));
      const clip = { x: 0, y: top, width: viewport.width, height: height - top }; // the rest is in another picture
      await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true, clip });
    });
    await context.close();
  }
}
