import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { differences, everything, misheard, refusedDocument, refusedInput, type Files } from './vectors.ts';

function vectors<Name extends keyof Files>(file: Name): Files[Name] {
  const text = readFileSync(new URL(`../../../spec/vectors/${file}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { vectors: Files[Name] }).vectors;
}

const named = <Each extends { name: string }>(each: Each): readonly [string, Each] => [each.name, each];
const valid = [...vectors('short'), ...vectors('questions'), ...vectors('taught')];

describe('a valid case gives the stated report', () => {
  it.each(valid.map(named))('%s', async (_, vector) => {
    const { cases, found } = await differences(vector);
    expect(found.slice(0, 3)).toEqual([]);
    expect(cases + Object.keys(vector.indices).length).toBeGreaterThan(0);
  });
});

describe('a bad document is refused', () => {
  it.each(vectors('documents').map(named))('%s', async (_, vector) => {
    expect(await refusedDocument(vector)).toBe(vector.refused);
  });
});

describe('a bad input is refused', () => {
  it.each(vectors('inputs').map(named))('%s', async (_, vector) => {
    expect(await refusedInput(vector)).toBe(vector.refused);
  });
});

describe('a service gets what it should', () => {
  it.each(vectors('conversations').map(named))('%s', async (_, vector) => {
    expect(await misheard(vector)).toEqual([]);
  });
});

it('every law that is altered by one unit is noticed', async () => {
  const files = { short: vectors('short'), questions: [], taught: [], documents: [], inputs: [], conversations: [] };
  const { alteredLaws, unnoticed, found } = await everything(files);
  expect(found).toEqual([]);
  expect(unnoticed).toEqual([]);
  expect(alteredLaws).toBeGreaterThan(10);
});
