import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { differences, type Vector } from './vectors.ts';

function vectors(file: string): Vector[] {
  const text = readFileSync(new URL(`../../../spec/vectors/${file}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { vectors: Vector[] }).vectors;
}

describe.each(['short', 'questions', 'taught'])('the vectors of %s', (file) => {
  it.each(vectors(file).map((vector) => [vector.name, vector] as const))('%s', (_, vector) => {
    const { cases, found } = differences(vector);
    expect(found.slice(0, 5)).toEqual([]);
    expect(cases + Object.keys(vector.indices).length).toBeGreaterThan(0);
  });
});
