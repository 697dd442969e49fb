// Every page, as it is: axe-core, width, scripts that must not run.
import { readFileSync } from 'node:fs';

import { axePath, contribute, opened, visit, write } from './browser.mjs';

/** Sign in to the operator's room. */
export async function enter(page, { url, admin }) {
  await page.goto(`${url}/operator`);
  await page.fill('#token', admin);
  await page.click('button.main');
  await page.locator('.tiles').waitFor();
}

/** Bring pages into the states that are worth a look, and call a function at each. */
export async function walk(page, given, at) {
  await page.goto(`${given.url}/c/${given.campaign}`);
  await page.locator('#odds svg').waitFor({ state: 'attached' });
  await at('contribution-door');
  await visit(page, given);
  await write(page, given.values);
  await page.click('#try');
  await at('contribution');
  await contribute(page);
  await page.click('#show');
  await page.locator('#erase').waitFor();
  await at('contribution-receipt', '#act-title');
  await page.goto(`${given.url}/c/${'0'.repeat(64)}`);
  await at('contribution-unknown');
  await page.goto(`${given.url}/operator`);
  await at('room-door');
  await enter(page, given);
  await at('room-overview');
  await page.goto(`${given.url}/operator/campaigns/${given.shown ?? given.campaign}`);
  await at('room-campaign');
  await page.goto(`${given.url}/operator/new`);
  await page.fill('#purpose', 'Which topics your group shares');
  await page.fill('#names', 'sport\nmusic\nbooks\ncooking');
  await page.fill('#closes', '2999-01-31');
  await page.fill('#retention_days', '30');
  await page.click('button.main', { timeout: 100_000 }); // the first plan of a worker loads and compiles what it needs
  await page.locator('caption', { hasText: 'The most that any report could add' }).waitFor(); // what the plan says
  await at('room-new');
  await page.goto(`${given.url}/operator/embeddings`);
  if (given.files?.length) await page.locator('.run summary').first().click();
  await at('room-embeddings');
  for (const file of given.files ?? []) {
    await page.goto(`${given.url}/operator/embeddings/${encodeURIComponent(file)}`);
    await at('room-map');
  }
  await page.goto(`${given.url}/operator/trail`);
  await at('room-trail');
}

/** axe-core on every page, light and dark; and how far each page is wider than a phone. */
export async function accessible(given) {
  const found = [];
  const wide = [];
  const pages = [];
  const problems = [];
  const axe = readFileSync(axePath(), 'utf8');
  for (const colorScheme of ['light', 'dark']) {
    const browser = await opened({ colorScheme, viewport: { width: 360, height: 760 }, reducedMotion: 'reduce' });
    const { context, page } = browser;
    const session = await context.newCDPSession(page);
    await walk(page, { ...given, token: given.tokens[colorScheme] }, async (name) => {
      pages.push(`${name} ${colorScheme}`);
      await session.send('Runtime.evaluate', { expression: axe }); // past the policy of the page, as a debugger
      const answer = await session.send('Runtime.evaluate', {
        expression: 'axe.run(document).then(({violations}) => JSON.stringify(violations.map(({id, impact, nodes}) => ({id, impact, where: nodes.map(({target}) => target.join(" ")).slice(0, 5)}))))',
        awaitPromise: true,
        returnByValue: true,
      });
      for (const each of JSON.parse(answer.result.value)) found.push({ page: name, colorScheme, ...each });
      const over = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      if (over > 0) wide.push({ page: name, over });
    });
    problems.push(...browser.problems);
    await context.close();
  }
  return { found, wide, pages, problems };
}

/** Texts of a campaign that would run if they could. */
export async function hostile(given) {
  const { context, page, requests, problems } = await opened();
  const dialogs = [];
  context.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const ran = [];
  for (const campaign of given.campaigns) {
    await visit(page, { ...given, campaign });
    await page.click('#try');
    await page.locator('#look').hover();
    ran.push(await page.evaluate(() => globalThis.pwned ?? null));
    ran.push(await page.evaluate(() => document.querySelectorAll('main script, main img, main iframe, main [onerror], main [onload], main [onfocus]').length));
  }
  await enter(page, given);
  for (const campaign of given.campaigns) {
    await page.goto(`${given.url}/operator/campaigns/${campaign}`);
    ran.push(await page.evaluate(() => globalThis.pwned ?? null));
    ran.push(await page.evaluate(() => document.querySelectorAll('script, img, iframe, [onerror], [onload], [onfocus]').length));
  }
  const hosts = [...new Set(requests.map(({ host }) => host))];
  await context.close();
  return { ran, dialogs, hosts, problems };
}
