// What can go wrong: the page says what happened and what to do, and never draws twice.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { contribute, freshProfile, kept, opened, visit, write } from './browser.mjs';
import { puts } from './contribution.mjs';

const REPORTS = '**/reports/*';

async function said(page) {
  const notice = page.locator('.trouble .notice').first();
  await notice.waitFor({ timeout: 70_000 });
  return notice.textContent();
}

/** Press the button, read what is said; return it with what left and what is kept. */
async function pressed(given, arrange = async () => {}, after = null, options = {}) {
  const { context, page, requests } = await opened(options);
  await page.clock?.install?.().catch(() => undefined);
  await page.clock?.resume?.().catch(() => undefined);
  await visit(page, given);
  await write(page, given.values ?? []);
  await arrange(context, page);
  await page.click('#contribute');
  const notice = await said(page);
  const first = puts(requests);
  const state = await kept(page);
  const result = { notice, first, charged: Object.keys(state?.charged ?? {}).length, enabled: await page.locator('#contribute').isEnabled() };
  if (after) {
    await after(context, page);
    result.receipt = await contribute(page);
    result.puts = puts(requests);
  }
  await context.close();
  return result;
}

/** The person's own limit is reached already. */
export const ownLimit = (given) =>
  pressed(given, async (_, page) => {
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open('privge');
          opening.onsuccess = () => {
            const transaction = opening.result.transaction('device', 'readwrite');
            const table = transaction.objectStore('device');
            table.put(JSON.stringify({ format: 'privge-device-1', caps: { campaign: 3, lifetime: 0.5 }, prepared: {}, charged: {} }), 'device');
            transaction.oncomplete = () => resolve(opening.result.close());
          };
        }),
    );
  });

/** The service refuses, by the campaign's state, the token or the budget; nothing is arranged in the browser. */
export const refused = (given) => pressed(given);

/** No connection; then it comes back. */
export const offline = (given) =>
  pressed(given, hurried(async (context) => context.setOffline(true)), (context) => context.setOffline(false));

/** The service is down: every request fails. Then it is up again. */
export const serverDown = (given) =>
  pressed(given, hurried((context) => context.route('**/v1/**', (route) => route.abort())), (context) => context.unroute('**/v1/**'));

/** Reports reach the service, but no answer comes back; then all is well. */
export const answerLost = (given) =>
  pressed(
    given,
    hurried((context) =>
      context.route(REPORTS, async (route) => {
        await route.fetch();
        await route.abort();
      }),
    ),
    (context) => context.unroute(REPORTS),
  );

/** The service answers 503 for a while. */
export const busy = (given) =>
  pressed(
    given,
    hurried((context) => context.route(REPORTS, (route) => route.fulfill({ status: 503, body: '{}', headers: { 'Retry-After': '1' } }))),
    (context) => context.unroute(REPORTS),
  );

/** Time runs faster for the page, so that its deadline of 45 seconds need not be waited for. */
function hurried(arrange) {
  return async (context, page) => {
    await arrange(context, page);
    void (async () => {
      for (let step = 0; step < 40; step++) {
        await new Promise((resolve) => setTimeout(resolve, 150));
        await page.clock.runFor(2_000).catch(() => undefined);
      }
    })();
  };
}

/** Every answer takes its time: the page says that it is still trying, and in the end it is done. */
export async function slow(given) {
  const { context, page, requests } = await opened();
  await visit(page, given);
  await write(page, given.values);
  await context.route('**/v1/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await route.continue();
  });
  await page.click('#contribute');
  await page.click('#contribute', { force: true, timeout: 500 }).catch(() => undefined);
  await page.locator('#progress .notice').waitFor();
  const meanwhile = await page.locator('#progress').textContent();
  await page.locator('#receipt-box').waitFor();
  const end = await page.locator('#progress').textContent();
  await context.close();
  return { meanwhile, end, puts: puts(requests) };
}

/** A browser that is told to keep nothing: cookies and site data are blocked, as in some private windows. */
export async function noStorage(given) {
  const profile = freshProfile();
  mkdirSync(join(profile, 'Default'), { recursive: true });
  const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
  const { context, page, requests } = await opened({ profile });
  await page.goto(`${given.url}/c/${given.campaign}#${given.token}`);
  const notice = await said(page);
  const blocked = await page.evaluate(() => {
    try {
      return !localStorage;
    } catch {
      return true;
    }
  });
  const enabled = await page.locator('#contribute').isEnabled();
  await context.close();
  return { notice, blocked, enabled, puts: puts(requests) };
}

/** Without a token, and with one that is none. */
export async function noToken(given) {
  const { context, page, requests } = await opened();
  await page.goto(`${given.url}/c/${given.campaign}`);
  await page.locator('#door').waitFor({ state: 'visible' });
  const hidden = await page.locator('#steps').isHidden();
  await page.fill('#token', 'not a token');
  await page.click('#door-form button');
  const notice = await said(page);
  await page.fill('#token', `${given.url}/c/${given.campaign}#${given.token}`);
  await page.click('#door-form button');
  await page.locator('#steps').waitFor({ state: 'visible' });
  const facts = await page.locator('#facts').textContent();
  await context.close();
  return { hidden, notice, facts, puts: puts(requests) };
}

/** The address of a page: whatever is answered. */
export async function unknown(given) {
  const { context, page, requests } = await opened();
  const answer = await page.goto(`${given.url}/c/${'0'.repeat(64)}#${given.token}`);
  const text = await page.locator('main').textContent();
  await context.close();
  return { status: answer.status(), text, requests: requests.map(({ path }) => path) };
}

/** The page says something before there is anything to press; perhaps a file of it does not arrive, or is another one. */
export async function notBegun(given) {
  const { context, page, requests } = await opened();
  if (given.file) {
    const other = { body: given.instead, contentType: 'text/javascript' };
    await context.route(`**/assets/${given.file}`, (route) => (given.instead ? route.fulfill(other) : route.abort()));
  }
  await page.goto(`${given.url}/c/${given.campaign}#${given.token}`);
  const notice = await said(page);
  const hidden = await page.locator('#steps').isHidden();
  const fields = await page.locator('#values input').count();
  await context.close();
  return { notice, hidden, fields, puts: puts(requests), paths: requests.map(({ path }) => path) };
}

/** A token for another campaign. */
export async function otherToken(given) {
  const { context, page, requests } = await opened();
  await page.goto(`${given.url}/c/${given.campaign}#${given.other}`);
  const notice = await said(page);
  await context.close();
  return { notice, shown: requests.filter(({ headers }) => 'authorization' in headers).length };
}
