import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { contribute, erase, ledger, stored, type ContributeOptions, type KeyValue } from '../src/index.ts';
import { memoryStore } from './memory_store.ts';
import { Service, tokenOf } from './service.ts';

type Named = { name: string; id: string; document: string };
const all = (JSON.parse(readFileSync(new URL('../../../spec/vectors/short.json', import.meta.url), 'utf8')) as { vectors: Named[] }).vectors;
const one = all.find(({ name }) => name === 'hds, epsilon 1, 1025 levels')!;

function service(vector: Named = one): Service {
  return new Service(vector.id, vector.document);
}

function options(to: Service, store: KeyValue, more: Partial<ContributeOptions> = {}): ContributeOptions {
  const patience = { pause: 1, deadline: 2000, ...more.patience };
  return { campaign: `https://collect.example/v1/campaigns/${to.id}`, token: tokenOf('a'), store, fetch: to.fetch, pace: 1, ...more, patience };
}

const FEATURES = { a: 0.3, b: 0.1, constructor: 0.4 };

afterEach(() => vi.unstubAllGlobals());

describe('a contribution', () => {
  it('is stored once, and the same bytes are sent again', async () => {
    const [to, store] = [service(), memoryStore()];
    const first = await contribute(FEATURES, options(to, store));
    const second = await contribute({ a: 1 }, options(to, store));
    expect([first.drawn, first.new, second.drawn, second.new]).toEqual([true, true, false, false]);
    expect(second.report).toBe(first.report);
    expect(new Set(to.put).size).toBe(1);
    expect((await ledger({ store })).spent).toBe(1);
  });

  it('without a token is refused by code, before any contact', async () => {
    for (const token of [null, undefined, 7, '']) {
      const to = service();
      await expect(contribute(FEATURES, options(to, memoryStore(), { token: token as string }))).rejects.toMatchObject({ code: 'token' });
      expect(to.requests).toEqual([]);
    }
  });

  it('fetches, asks and sends in this order, whatever the values are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), fc.anything()), async (features) => {
        const to = service();
        await contribute(features, options(to, memoryStore()));
        expect(to.requests).toEqual(['GET /v1/campaigns/…', 'GET /v1/campaigns/…/me', 'PUT /v1/campaigns/…/reports/…']);
      }),
      { numRuns: 30 },
    );
  });

  it.each([NaN, 0, -1, 0.5, Infinity, 2 ** 31, null])('is refused with a pace of %s, which would be no slot', async (pace) => {
    const [to, store] = [service(), memoryStore()];
    await expect(contribute(FEATURES, options(to, store, { pace: pace as number }))).rejects.toThrow('pace is in milliseconds');
    expect(to.requests).toEqual([]);
  });

  it('reads the values before any contact, and not again once a report is prepared', async () => {
    const [to, store] = [service(), memoryStore()];
    const read = vi.fn(() => {
      expect(to.requests).toEqual([]);
      return FEATURES;
    });
    to.trouble = (_, request) => {
      if (request.endsWith('/me')) throw new TypeError('offline');
    };
    await expect(contribute(read, options(to, store, { patience: { deadline: 20 } }))).rejects.toMatchObject({ code: 'unavailable' });
    to.trouble = () => undefined;
    await contribute(read, options(to, store));
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('reads the values again if the report that was prepared is damaged, and nobody saw it', async () => {
    const [to, items] = [service(), new Map<string, string>()];
    to.trouble = (_, request) => {
      if (request.endsWith('/me')) throw new TypeError('offline');
    };
    const short = options(to, memoryStore(items), { patience: { deadline: 20 } });
    await expect(contribute(FEATURES, short)).rejects.toMatchObject({ code: 'unavailable' });
    to.trouble = () => undefined;
    for (const [key, text] of items) items.set(key, text.replace(/"codes":"../, '"codes":"'));
    expect(await contribute(() => FEATURES, options(to, memoryStore(items)))).toMatchObject({ drawn: true, new: true });
  });

  it('never draws twice, whichever request or write it dies at', async () => {
    for (let death = 0; death < 12; death++) {
      const to = service();
      const items = new Map<string, string>();
      let step = 0;
      const dying = (): void => {
        if (step++ === death) throw new Error('killed');
      };
      const store = memoryStore(items);
      const fragile: KeyValue = {
        getItem: (key) => store.getItem(key),
        setItem: (key, value) => {
          dying(); // before it is written
          void store.setItem(key, value);
          dying(); // after it
        },
      };
      to.trouble = dying;
      await contribute(FEATURES, options(to, fragile, { patience: { deadline: 0 } })).catch(() => undefined);
      to.trouble = () => undefined;
      const done = await contribute(FEATURES, options(to, memoryStore(items)));
      expect(new Set(to.put).size, `death at step ${death}`).toBe(1);
      expect((await ledger({ store: memoryStore(items) })).reports).toMatchObject([{ report: done.report }]);
    }
  });

  it('draws once when it runs several times at once', async () => {
    const [to, store] = [service(), memoryStore()];
    const done = await Promise.all(Array.from({ length: 5 }, () => contribute(FEATURES, options(to, store))));
    expect(done.filter(({ drawn }) => drawn).length).toBe(1);
    expect(new Set(to.put).size).toBe(1);
  });

  it('is not drawn if the person declines, and can be later', async () => {
    const [to, store] = [service(), memoryStore()];
    const declining = options(to, store, { approve: () => Promise.resolve(false) });
    await expect(contribute(FEATURES, declining)).rejects.toMatchObject({ code: 'declined' });
    expect(to.requests).toEqual(['GET /v1/campaigns/…']);
    const approve = vi.fn(() => true);
    expect((await contribute(FEATURES, options(to, store, { approve }))).drawn).toBe(true);
    expect(approve).toHaveBeenCalledTimes(1);
  });

  it('goes on trying for as long as its one deadline, and no longer', async () => {
    const [to, store] = [service(), memoryStore()];
    to.trouble = () => {
      throw new TypeError('offline');
    };
    const begin = Date.now();
    await expect(contribute(FEATURES, options(to, store, { patience: { deadline: 60 } }))).rejects.toMatchObject({ code: 'unavailable' });
    expect(to.requests.length).toBeGreaterThan(2);
    expect(Date.now() - begin).toBeLessThan(2000);
  });

  it('gives up on a service that never answers', async () => {
    const hanging = ((_: string, init: RequestInit) =>
      new Promise((_resolve, reject) => init.signal!.addEventListener('abort', () => reject(new Error('aborted'))))) as typeof fetch;
    const waiting = contribute(FEATURES, { ...options(service(), memoryStore()), fetch: hanging, patience: { deadline: 40, timeout: 10 } });
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('nothing is drawn or sent', () => {
  it('without crypto.getRandomValues', async () => {
    vi.stubGlobal('crypto', {});
    const [to, items] = [service(), new Map<string, string>()];
    await expect(contribute(FEATURES, options(to, memoryStore(items)))).rejects.toMatchObject({ code: 'random' });
    expect(to.requests).toEqual(['GET /v1/campaigns/…']);
    expect([...items.values()].join()).not.toContain('codes');
  });

  it('where nothing can be kept', async () => {
    const to = service();
    const full: KeyValue = { getItem: () => null, setItem: () => { throw new DOMException('full', 'QuotaExceededError'); } };
    await expect(contribute(FEATURES, options(to, full))).rejects.toMatchObject({ code: 'storage' });
    const forgetful: KeyValue = { getItem: () => null, setItem: () => undefined };
    await expect(contribute(FEATURES, options(to, forgetful))).rejects.toMatchObject({ code: 'storage' });
    const { store: _, ...without } = options(to, memoryStore());
    await expect(contribute(FEATURES, without)).rejects.toMatchObject({ code: 'storage' }); // Node has no store of its own
    expect(to.requests).toEqual([]);
  });

  it('if what is kept is damaged', async () => {
    for (const text of ['', '{', 'null', '{"format":"privge-device-1"}', '{"format":"other","caps":{"campaign":3,"lifetime":6},"prepared":{},"charged":{}}']) {
      const to = service();
      const store = memoryStore(new Map([['privge.device', text]]));
      await expect(contribute(FEATURES, options(to, store))).rejects.toMatchObject({ code: 'storage' });
      expect(to.requests).toEqual([]);
    }
  });

  it('beyond the cap of a lifetime, which adds up decimal numbers', async () => {
    const store = memoryStore();
    const caps = { campaign: 9, lifetime: 5 };
    await contribute(FEATURES, options(service(), store, { caps }));
    const four = all.find(({ name }) => name === 'hds, epsilon 4, 5 levels')!;
    expect((await contribute(FEATURES, options(service(four), store))).spent).toBe(5);
    const third = all.find(({ name }) => name === 'hds, epsilon 0.3, 17 levels')!;
    await expect(contribute(FEATURES, options(service(third), store))).rejects.toMatchObject({ code: 'budget' });
  });

  it('for somebody else on the same device', async () => {
    const [to, store] = [service(), memoryStore()];
    await contribute(FEATURES, options(to, store));
    await expect(contribute(FEATURES, options(to, store, { token: tokenOf('b') }))).rejects.toMatchObject({ code: 'second_draw' });
  });
});

describe('after erasure', () => {
  it('the codes are gone here and there, and there is no second draw', async () => {
    const [to, items] = [service(), new Map<string, string>()];
    const store = memoryStore(items);
    const done = await contribute(FEATURES, options(to, store));
    const about = { service: 'https://collect.example', token: tokenOf('a'), fetch: to.fetch };
    expect(await erase({ ...about, store })).toEqual([to.id]);
    expect((await stored(about))[0]).toMatchObject({ campaign: to.id, codes: null });
    expect((await ledger({ store })).reports).toEqual([{ campaign: to.id, node: 'a', epsilon: 1, report: done.report, codes: null }]);
    expect([...items.values()].join()).not.toContain(to.put[0]);
    await expect(contribute(FEATURES, options(to, store))).rejects.toMatchObject({ code: 'second_draw' });
    expect(new Set(to.put).size).toBe(1);
  });
});

it('only what is cryptographic is random', async () => {
  const { readdirSync } = await import('node:fs');
  const folder = new URL('../src/', import.meta.url);
  for (const file of readdirSync(folder)) {
    expect(readFileSync(new URL(file, folder), 'utf8'), file).not.toContain('Math.random');
  }
});
