// Whether what a page says is true: of the person who looks at it, of what they are asked, and of a page from the documentation.
import { contribute, opened, visit } from './browser.mjs';

/** Somebody contributes, perhaps erases, and then another opens their own link in the same browser; return what that one is told. */
export async function shared(given) {
  const { context, page, requests } = await opened();
  await visit(page, given);
  const first = await contribute(page);
  if (given.erase) {
    await page.click('#show');
    await page.click('#erase');
    await page.click('#erase-sure');
    await page.locator('#erased').waitFor();
  }
  await page.goto('about:blank');
  const before = requests.length;
  await visit(page, { ...given, token: given.other });
  await page.locator('#spent p').waitFor();
  const told = await page.locator('section.do').innerText();
  const offered = await page.locator('#contribute').isVisible();
  const sent = requests.slice(before).filter(({ method }) => method !== 'GET').length;
  await context.close();
  return { first, told, offered, sent };
}

/** Read what the page says about what is asked and sent, before and after an example, for each answer in turn. */
export async function told(given) {
  const { context, page, problems } = await opened();
  await visit(page, given);
  const asked = await page.locator('#have-asked').textContent();
  const lead = await page.locator('#sent-lead').textContent();
  const consent = await page.locator('#act-consent').textContent();
  const looked = await page.locator('#look .pair').textContent();
  const others = await page.locator('#look-other option').allTextContents();
  const notes = new Set();
  for (let time = 0; time < 40; time++) {
    await page.click('#try');
    for (const each of await page.locator('#example li').all()) notes.add((await each.innerText()).replaceAll('\n', ' '));
  }
  await context.close();
  return { asked, lead, consent, looked, others, notes: [...notes], problems };
}

/** Play the page of the documentation at the service's own host: fill it in, press its button and Enter, whatever happens. */
export async function documented({ url, files, link, broken }) {
  const { context, page, requests } = await opened();
  const types = { html: 'text/html', js: 'text/javascript' };
  for (const [name, body] of Object.entries(files)) {
    await page.route(`${url}/site/${name}*`, (route) => route.fulfill({ body, contentType: types[name.split('.')[1]] }));
  }
  if (broken) await page.route('**/v1/campaigns/*', (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(`${url}/site/page.html${link}`);
  await page.fill('[name=age]', '37');
  await page.locator('#said:not(:empty)').waitFor();
  const first = await page.locator('#said').textContent();
  if (await page.locator('button').isEnabled()) await page.click('button');
  else await page.press('[name=age]', 'Enter');
  await page.waitForTimeout(1500);
  await page.evaluate(() => document.createElement('form').submit.call(document.getElementById('form'))); // as without any script
  await page.waitForTimeout(300);
  const last = await page.locator('#said').textContent();
  const addresses = [page.url(), ...requests.map(({ host, path }) => host + path)];
  await context.close();
  return { first, last, addresses, methods: requests.map(({ method }) => method) };
}
