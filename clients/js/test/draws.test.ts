/** A million draws of each law against its exact weights; and a wrong law, which must be told from the right one. */
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { Campaign } from '../src/index.ts';
import { randomWords, TOTAL } from '../src/random.ts';
import type { NearestLaw } from '../src/directions.ts';
import type { Law } from '../src/laws.ts';

const DRAWS = 1_000_000;
const NORMAL_1E6 = 4.7534; // the normal quantile of 1 - 1e-6

type Named = { name: string; document: string };

function documents(file: string): Named[] {
  const text = readFileSync(new URL(`../../../spec/vectors/${file}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { vectors: Named[] }).vectors;
}

function campaign(name: string): Promise<Campaign> {
  const found = [...documents('short'), ...documents('questions')].find((each) => each.name === name);
  return Campaign.read(found!.document);
}

/** Return chi-square over its quantile at 1e-6 (Wilson and Hilferty); codes that are expected rarely count together. */
function excess(counts: Float64Array, weights: readonly number[]): number {
  let [square, bins, seen, expected] = [0, 0, 0, 0];
  weights.forEach((weight, code) => {
    seen += counts[code]!;
    expected += (weight / TOTAL) * DRAWS;
    if (expected >= 20) {
      square += (seen - expected) ** 2 / expected;
      [bins, seen, expected] = [bins + 1, 0, 0];
    }
  });
  const freedom = bins - 1;
  return square / (freedom * (1 - 2 / (9 * freedom) + NORMAL_1E6 * Math.sqrt(2 / (9 * freedom))) ** 3);
}

function counted(outputs: number, code: (word: number) => number): Float64Array {
  const counts = new Float64Array(outputs);
  for (const word of randomWords(DRAWS)) counts[code(word)]! += 1;
  return counts;
}

async function lawOf(name: string): Promise<Law> {
  return (await campaign(name)).shortForm!.law;
}

const laws: [string, Law][] = [
  ['laplace of 1,025 levels', await lawOf('laplace, epsilon 1, 1025 levels')],
  ['narrow laplace', await lawOf('narrow laplace')],
];
for (const name of ['hds', 'piecewise', 'multibit', 'laplace', 'choice']) {
  laws.push([name, await lawOf(`${name}, epsilon 0.3, 17 levels`)]);
}

describe('a million draws follow the exact law', () => {
  it.each(laws)('%s', (_, law) => {
    const level = Math.floor(law.levels / 3);
    const counts = counted(law.outputs, (word) => law.code(level, word));
    expect(law.weights(level).reduce((sum, weight) => sum + weight, 0)).toBe(TOTAL);
    expect(excess(counts, law.weights(level))).toBeLessThan(1);
  });

  it('nearest', async () => {
    const law = (await campaign('a direction of few')).questions![0]!.laws[0] as NearestLaw;
    const weights = [0, ...law.ranks()].slice(1);
    const [scores, order] = [[5, 9, 9], [1, 2, 0]]; // the nearest first, ties by the lowest index
    const counts = counted(law.outputs, (word) => law.code(scores, word));
    const byCode = [0, 1, 2].map((code) => weights[order.indexOf(code)]!);
    byCode[0]! += TOTAL - weights.reduce((sum, weight) => sum + weight, 0);
    expect(excess(counts, byCode)).toBeLessThan(1);
  });

  it.each(laws.filter(([name]) => name !== 'narrow laplace'))('and not that of another level: %s', (_, law) => {
    const counts = counted(law.outputs, (word) => law.code(0, word));
    expect(excess(counts, law.weights(law.levels - 1))).toBeGreaterThan(1);
  });
});
