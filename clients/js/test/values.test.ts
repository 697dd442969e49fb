import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { contribute, type Features } from '../src/index.ts';
import { asNumber, checkForm, isWritten, readerOf } from '../src/values.ts';
import { memoryStore } from './memory_store.ts';
import { Service, tokenOf } from './service.ts';

type Named = { name: string; id: string; document: string };
const all = JSON.parse(readFileSync(new URL('../../../spec/vectors/short.json', import.meta.url), 'utf8')) as { vectors: Named[] };
const one = all.vectors.find(({ name }) => name === 'hds, epsilon 1, 1025 levels')!;

class Profile {
  get a(): number {
    return 0.3;
  }
}

describe('values are in a list or a plain object', () => {
  const others = [new Map([['a', 0.3]]), new Set([1]), Promise.resolve({ a: 1 }), new Profile(), Object.create({ a: 1 }), 'a', 3, null, undefined];

  it.each(others.map((other) => [Object.prototype.toString.call(other), other]))('%s is refused before any contact', async (_, other) => {
    const to = new Service(one.id, one.document);
    const options = { campaign: `https://collect.example/v1/campaigns/${to.id}`, token: tokenOf('a'), fetch: to.fetch, pace: 1 };
    const returned = other instanceof Promise ? new Map() : other; // a function may return a promise
    for (const given of [other as Features, (): Features => returned as Features]) {
      await expect(contribute(given, { ...options, store: memoryStore() })).rejects.toMatchObject({ code: 'features' });
    }
    expect(to.requests).toEqual([]);
  });

  it('whatever these hold', () => {
    const held = { get a(): never { throw new Error('private'); } };
    for (const given of [held, {}, Object.create(null), JSON.parse('{"__proto__":{"a":1}}'), [], new Float64Array(2), new Proxy({}, {})]) {
      expect(() => checkForm(given)).not.toThrow();
    }
  });
});

describe('an object that looks like a list', () => {
  const reader = (given: unknown, names: string[]): ((place: number) => unknown) => readerOf(given as Features, names, names.length);

  it('is refused where names are asked for: its values would count as missing', () => {
    const [list, table] = [{ length: 3, 0: 1, 1: 2, 2: 3 }, { length: 1, a: 0.3 }];
    for (const given of [list, table]) expect(() => reader(given, ['a', 'b', 'c'])).toThrow('an object with a length is neither');
    expect(() => reader(list, ['length', 'width'])).toThrow('neither');
  });

  it('is read by name where a feature is called so', () => {
    expect(reader({ length: 3, width: 2 }, ['length', 'width'])(0)).toBe(3);
    expect(reader({ 0: 5 }, ['0'])(0)).toBe(5);
    expect(reader({ length: 3, 0: 5 }, ['length', '0'])(1)).toBe(5);
  });

  it('sends nothing but the public questions', async () => {
    const to = new Service(one.id, one.document);
    const options = { campaign: `https://collect.example/v1/campaigns/${to.id}`, token: tokenOf('a'), fetch: to.fetch, store: memoryStore(), pace: 1 };
    const given = { length: 3, 0: 0.1, 1: 0.2, 2: 0.3 } as unknown as Features;
    await expect(contribute(given, options)).rejects.toMatchObject({ code: 'features' });
    expect(to.requests).toEqual(['GET /v1/campaigns/…']);
  });
});

describe('a text', () => {
  it('is a word with any white space around it', () => {
    expect([' Yes\n', '\x1cTRUE\x85', 'no', '\u3000fal\u017fe '].map(asNumber)).toEqual([1, 1, 0, 0]);
    expect(['\ufeffyes', 'yes no', 'yesyes', 'ye s', 'falses', '', ' '].map(asNumber)).toEqual(new Array(7).fill(NaN));
  });

  it('of any length is read, and never fails', () => {
    const spaces = ' '.repeat(2 ** 24);
    expect([asNumber(spaces), isWritten(spaces)]).toEqual([NaN, false]);
    expect([asNumber(`a${spaces}b`), isWritten(`a${spaces}b`), asNumber(`${spaces}yes${spaces}`)]).toEqual([NaN, true, 1]);
    expect(asNumber('\u00df'.repeat(2 ** 28))).toBe(NaN); // in capitals, longer than any text may be
  });
});
