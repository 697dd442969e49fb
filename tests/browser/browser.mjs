// A real Chromium, driven by Playwright; what every scenario needs.
import { createRequire } from 'node:module';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(new URL('../../clients/js/package.json', import.meta.url));
export const { chromium } = require('playwright-core');
export const axePath = () => require.resolve('axe-core/axe.min.js');

const CHROMIUM = process.env.PRIVGE_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
];

const PROGRAM = { executablePath: CHROMIUM, args: FLAGS, headless: true };
let running = null; // the browser that scenarios share

/** A folder for all that a browser keeps. */
export const freshProfile = () => mkdtempSync(join(tmpdir(), 'privge-browser-'));

/**
 * Open a browser as somebody new has it; every request of every page is recorded.
 * With a profile it is a process of its own, whose profile outlives it. Otherwise it is a context of the one that is running:
 * contexts share no cookies, no storage and no cache, and starting a browser takes longer than most scenarios.
 */
export async function opened({ profile, ...options } = {}) {
  const context = await (profile ? chromium.launchPersistentContext(profile, { ...PROGRAM, ...options }) : fresh(options));
  context.setDefaultTimeout(20_000);
  const requests = [];
  const problems = [];
  context.on('request', (request) => {
    const { pathname, host } = new URL(request.url());
    requests.push({
      method: request.method(), host, path: pathname, headers: request.headers(), body: request.postDataBuffer()?.toString('hex') ?? '',
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  return { context, page: context.pages()[0] ?? (await context.newPage()), profile, requests, problems };
}

async function fresh(options) {
  running ??= chromium.launch(PROGRAM);
  return (await running).newContext(options);
}

/** Close what a scenario that failed has left open. */
export async function tidy() {
  for (const context of (await running)?.contexts() ?? []) await context.close();
}

/** Close the browser that scenarios share. */
export async function closed() {
  await (await running)?.close();
}

/** Open the page of a campaign as somebody. */
export async function visit(page, { url, campaign, token }) {
  await page.goto(`${url}/c/${campaign}${token ? `#${token}` : ''}`);
  if (token) await page.locator('#steps').waitFor({ state: 'visible' });
}

/** Write values into the fields, in order. */
export async function write(page, values) {
  for (const [place, value] of values.entries()) await page.fill(`#value-${place}`, String(value));
}

/** Contribute and return the receipt. */
export async function contribute(page) {
  await page.click('#contribute');
  await page.locator('#receipt-box').waitFor();
  return receipt(page);
}

/** Read the receipt in one look: the page may put a newer one in its place. */
export async function receipt(page) {
  const seen = await page.waitForFunction(() => {
    const texts = (which) => [...document.querySelectorAll(`#receipt-box ${which}`)].map((found) => found.textContent);
    const values = texts('dd');
    return values.length >= 3 && { values, codes: texts('.codes b') };
  });
  const { values, codes } = await seen.jsonValue();
  return { bytes: values[0].replaceAll(' ', ''), report: values[1], campaign: values[2], codes: codes.map(Number) };
}

/** What the browser keeps for the client: its text in IndexedDB. */
export function kept(page) {
  return page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('privge');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const database = opening.result;
          if (!database.objectStoreNames.contains('device')) return resolve(null);
          const reading = database.transaction('device').objectStore('device').get('device');
          reading.onsuccess = () => {
            database.close();
            resolve(reading.result ? JSON.parse(reading.result) : null);
          };
        };
      }),
  );
}

/** Kill every process of the browser that has a profile, as a power cut would. */
export function kill(profile) {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      if (line.includes(profile) && line.includes('chromium')) process.kill(Number(name), 'SIGKILL');
    } catch {
      // gone meanwhile
    }
  }
}
