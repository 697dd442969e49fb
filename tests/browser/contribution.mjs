// A person contributes: once, in two tabs, and with the browser killed at every step.
import { contribute, freshProfile, kept, kill, opened, receipt, visit, write } from './browser.mjs';

/** Open, try the sandbox, edit, contribute, look at what is stored, erase; return all that was seen and requested. */
export async function wholeWay(given) {
  const { context, page, requests, problems } = await opened();
  await visit(page, given);
  const address = page.url();
  await write(page, given.values);
  const before = requests.length;
  const examples = [];
  for (let time = 0; time < 8; time++) {
    await page.click('#try');
    examples.push((await page.locator('#example .codes b').allTextContents()).map(Number));
  }
  const inSandbox = requests.length - before;
  const sandboxKept = await kept(page);
  const looks = await page.evaluate(looksOf);
  const sent = await contribute(page);
  const noted = await page.locator('#noted').textContent();
  await page.click('#show');
  await page.locator('#erase').waitFor();
  const stored = await page.locator('#holdings').textContent();
  const listed = await page.locator('#requests li').allTextContents();
  const spent = await page.locator('#spent').textContent();
  let held = null;
  if (given.erase) {
    await page.click('#erase');
    await page.click('#erase-sure');
    await page.locator('#erased').waitFor();
    held = await page.locator('#holdings').textContent();
  }
  const canAgain = await page.locator('#contribute').isEnabled();
  const cookies = await context.cookies();
  await context.close();
  return { address, looks, noted, examples, inSandbox, sandboxKept, receipt: sent, stored, listed, spent, held, canAgain, cookies, requests, problems };
}

/** Set the first value to its ends and back, and return what the page then says of the law. */
function looksOf() {
  const field = document.getElementById('value-0');
  const before = field.value;
  const seen = ['0', '10', before].map((value) => {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return document.querySelector('#look svg').outerHTML;
  });
  return new Set(seen).size;
}

/** After a reload the receipt is still there, and sending again sends the same bytes. */
export async function again(given) {
  const { context, page, requests } = await opened();
  await visit(page, given);
  await write(page, given.values);
  const first = await contribute(page);
  await page.reload();
  await page.locator('#receipt-box').waitFor();
  const shown = await receipt(page);
  await write(page, given.values.map(() => 0));
  await page.click('#contribute');
  await page.locator('#progress .notice').waitFor();
  const said = await page.locator('#progress').textContent();
  await context.close();
  return { first, shown, said, puts: puts(requests) };
}

/** Two tabs of one browser press the button at the same moment. */
export async function twoTabs(given) {
  const { context, page, requests } = await opened();
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await visit(tab, given);
    await write(tab, given.values);
  }
  await Promise.all([page.click('#contribute'), other.click('#contribute')]);
  await Promise.all([page, other].map((tab) => tab.locator('#receipt-box').waitFor()));
  const receipts = [await receipt(page), await receipt(other)];
  const state = await kept(page);
  await context.close();
  return { receipts, puts: puts(requests), charged: Object.values(state.charged).map(({ codes }) => codes) };
}

/**
 * Kill the browser at a step of a contribution, again and again with one profile, then let it end.
 * A step is a number of milliseconds after the button, or the moment of a request: before it is sent, or after its answer.
 */
export async function killed(given) {
  const seen = []; // what was kept at each start, and every report that left
  const profile = freshProfile();
  let done;
  for (const step of [...given.steps, null]) {
    const browser = await opened({ profile });
    const { context, page } = browser;
    await visit(page, given);
    const state = await kept(page);
    for (const which of ['prepared', 'charged']) {
      for (const { codes } of Object.values(state?.[which] ?? {})) seen.push({ which, codes });
    }
    await write(page, given.values);
    if (step === null) {
      done = await contribute(page);
      seen.push(...puts(browser.requests).map((codes) => ({ which: 'sent', codes })));
      await context.close();
      break;
    }
    const dead = new Promise((resolve) => context.once('close', resolve));
    if (typeof step === 'object') await hookKill(context, profile, step);
    await page.click('#contribute').catch(() => undefined);
    if (typeof step === 'number') {
      await new Promise((resolve) => setTimeout(resolve, step));
      kill(profile);
    }
    const ended = page.locator('#receipt-box').waitFor().catch(() => undefined); // the step was behind it already
    await Promise.race([dead, ended]);
    if (typeof step === 'object') kill(profile);
    seen.push(...puts(browser.requests).map((codes) => ({ which: 'sent', codes })));
    await context.close().catch(() => undefined);
  }
  return { seen, receipt: done };
}

async function hookKill(context, profile, { request, moment }) {
  await context.route(request, async (route) => {
    if (moment === 'before') return kill(profile);
    await route.fetch().catch(() => undefined); // the service has it, the page never hears
    return kill(profile);
  });
}

export const puts = (requests) => requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);

/** Answer questions of every kind: a choice is chosen, a number written; return what the page offered and sent. */
export async function questions(given) {
  const { context, page, problems } = await opened();
  await visit(page, given);
  const offered = Object.create(null);
  for (const field of await page.locator('#values [id^=value-]:not(small)').all()) {
    const name = await page.locator(`label[for=${await field.getAttribute('id')}]`).textContent();
    const options = await field.locator('option').allTextContents();
    offered[name] = options;
    if (options.length) await field.selectOption({ label: given.answers[name] });
    else await field.fill(String(given.answers[name]));
  }
  const looks = [];
  for (let place = 0; place < given.k; place++) {
    if (given.k > 1) await page.selectOption('#look-question', String(place));
    looks.push(await page.locator('#look svg, #look p').first().isVisible());
  }
  await page.click('#try');
  const sent = await contribute(page);
  const noted = await page.locator('#noted').textContent();
  await context.close();
  return { offered, looks, receipt: sent, noted, problems };
}
