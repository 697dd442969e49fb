/** The same in a real browser: Debian's Chromium, driven by Playwright. Left out where there is none, unless it is required. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

import { build, type Plugin } from 'esbuild';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type * as client from '../src/index.ts';
import type * as vectors from './vectors.ts';

const CHROMIUM = process.env['PRIVGE_CHROMIUM'] ?? '/usr/bin/chromium';
const REQUIRED = process.env['PRIVGE_REQUIRE_BROWSER'] === '1';
const NAMES = ['short', 'questions', 'taught', 'documents', 'inputs', 'conversations'] as const;

declare global {
  interface Window {
    client: typeof client;
    vectors: typeof vectors;
  }
}

/** A service in one process: it keeps reports by campaign, and counts what it is sent. */
class Service {
  readonly documents = new Map<string, string>();
  readonly stored = new Map<string, string>();
  readonly requests: string[] = [];
  server!: Server;

  async start(scripts: Record<string, string>): Promise<string> {
    this.server = createServer((request, response) => {
      const url = request.url ?? '';
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.requests.push(`${request.method} ${url}`);
        const [status, kind, body] = this.answer(request.method ?? '', url, Buffer.concat(parts).toString('hex'), scripts);
        response.writeHead(status, { 'Content-Type': kind, 'Content-Length': Buffer.byteLength(body) }).end(body);
      });
    });
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private answer(method: string, url: string, body: string, scripts: Record<string, string>): [number, string, string] {
    const name = url.slice(1);
    if (name in scripts) return [200, 'text/javascript', scripts[name]!];
    const [, , , id = '', what] = url.split('/');
    const json = 'application/json';
    if (url === '/') return [200, 'text/html', '<!doctype html><script type=module>import * as client from "./privge.js"; import * as vectors from "./vectors.js"; Object.assign(window, { client, vectors })</script>'];
    if (method === 'PUT') {
      const earlier = this.stored.get(id);
      this.stored.set(id, earlier ?? body);
      return [earlier === undefined ? 201 : earlier === body ? 200 : 409, json, ''];
    }
    if (what === 'me') return [200, json, '{"reason":"open","codes":null}'];
    return this.documents.has(id) ? [200, json, this.documents.get(id)!] : [404, json, ''];
  }
}

/** The modules as they are published (`npm run build`), and the vectors, which use them and no copy. */
async function scripts(): Promise<Record<string, string>> {
  const path = new URL('vectors.ts', import.meta.url).pathname;
  const published: Plugin = {
    name: 'published',
    setup: (builder) => builder.onResolve({ filter: /src\/index\.ts$/ }, () => ({ path: './privge.js', external: true })),
  };
  const { outputFiles } = await build({ entryPoints: [path], bundle: true, format: 'esm', write: false, target: 'es2022', plugins: [published] });
  const built = (name: string): string => readFileSync(new URL(`../dist/${name}`, import.meta.url), 'utf8');
  return { 'privge.js': built('privge.js'), 'taught.js': built('taught.js'), 'vectors.js': outputFiles[0]!.text };
}

function tokenOf(node: string): string {
  const payload = Buffer.from(JSON.stringify({ node, campaign: null, expires: 0, key: 'k' })).toString('base64url');
  return `${payload}.c2lnbmF0dXJl`;
}

describe.skipIf(!REQUIRED && !existsSync(CHROMIUM))('in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  let origin: string;
  const service = new Service();
  const document = (JSON.parse(readFileSync(new URL('../../../spec/vectors/short.json', import.meta.url), 'utf8')) as { vectors: { id: string; document: string }[] }).vectors[0]!;

  beforeAll(async () => {
    service.documents.set(document.id, document.document);
    origin = await service.start(await scripts());
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    context = await browser.newContext();
  }, 30_000);

  afterAll(async () => {
    await browser?.close();
    service.server.close();
  });

  async function opened(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin);
    await page.waitForFunction(() => 'client' in window && 'vectors' in window);
    return page;
  }

  /** Contribute from a page, and return the id of the report and whether it was drawn. */
  function contributing(page: Page, node: string): Promise<{ report: string; drawn: boolean }> {
    const options = { campaign: `${origin}/v1/campaigns/${document.id}`, token: tokenOf(node) };
    return page.evaluate(async (given) => {
      const { report, drawn } = await window.client.contribute([0.1, 0.2, 0.3], given);
      return { report, drawn };
    }, options);
  }

  it('every vector gives what it gives in Python', async () => {
    const page = await opened();
    const files = Object.fromEntries(
      NAMES.map((name) => {
        const text = readFileSync(new URL(`../../../spec/vectors/${name}.json`, import.meta.url), 'utf8');
        return [name, (JSON.parse(text) as { vectors: unknown[] }).vectors];
      }),
    );
    const run = await page.evaluate((given) => window.vectors.everything(given as unknown as vectors.Files), files);
    expect(run.found).toEqual([]);
    expect(run.unnoticed).toEqual([]);
    expect(run.cases).toBeGreaterThan(5_000);
    expect(run.alteredLaws).toBeGreaterThan(10);
    console.info(`Chromium: ${run.cases} cases, ${run.found.length} differences; ${run.alteredLaws} altered laws, all noticed`);
    await page.close();
  }, 60_000);

  it('two tabs at once draw once, and a reload sends the same bytes', async () => {
    const pages = [await opened(), await opened(), await opened()];
    const done = await Promise.all(pages.map((page) => contributing(page, 'tabs')));
    expect(new Set(done.map(({ report }) => report)).size).toBe(1);
    expect(done.filter(({ drawn }) => drawn).length).toBe(1);
    await Promise.all(pages.map((page) => page.close()));
    const again = await opened();
    expect(await contributing(again, 'tabs')).toEqual({ report: done[0]!.report, drawn: false });
    expect(service.requests.filter((each) => each.startsWith('PUT')).every((each) => each.endsWith(done[0]!.report))).toBe(true);
    await again.close();
  }, 30_000);
});
