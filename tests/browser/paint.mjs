// How large the contribution page is and how soon it paints: node paint.mjs < {url, campaign, token}; nothing is asserted.
import { readFileSync } from 'node:fs';

import { freshProfile, opened, visit } from './browser.mjs';

const given = JSON.parse(readFileSync(0, 'utf8'));
const results = [];
for (let time = 0; time < 5; time++) {
  const { context, page } = await opened({ profile: freshProfile() });
  await visit(page, given);
  results.push(
    await page.evaluate(() => {
      const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN;
      return { paint, bytes: files.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0), files: files.length };
    }),
  );
  await context.close();
}
const paints = results.map(({ paint }) => paint).sort((one, other) => one - other);
const milliseconds = (value) => `${Math.round(value)} ms`;
console.log(`first contentful paint, fresh browser, 5 times: ${paints.map(milliseconds).join(', ')}; median ${milliseconds(paints[2])}`);
console.log(`${results[0].bytes} bytes in ${results[0].files} files and answers, not compressed`);
