/** The short form of a campaign: many numbers alike, each through the same law. */
import { refuse } from './errors.ts';
import { roundEven } from './exact.ts';
import type { Column } from './features.ts';
import { checkBounds, clip, shareOf } from './grid.ts';
import { filled, MECHANISMS, type Law } from './laws.ts';
import { answered, type Answer } from './questions.ts';
import { anyText, distinct, integer, list, number, oneOf, wrong, type Table } from './stated.ts';
import { asPlainNumber } from './values.ts';

export const SHORT_FIELDS = 'dimensions names low high mechanism law out_of_bounds missing';

export interface ShortForm {
  readonly dimensions: number;
  readonly names: readonly string[] | null;
  readonly law: Law;
  columns(): readonly Column[];
  /** Return the answer of somebody who has this value. */
  answer(index: number, value: unknown): Answer;
}

export function shortFormOf(stated: Table): ShortForm {
  const dimensions = integer(stated, 'dimensions', 1, 2 ** 31 - 1);
  const [lowOf, highOf] = [boundOf(stated, 'low', dimensions), boundOf(stated, 'high', dimensions)];
  const alike = !Array.isArray(stated['low']) && !Array.isArray(stated['high']);
  for (let index = 0; index < (alike ? 1 : dimensions); index++) checkBounds(lowOf(index), highOf(index));
  const names =
    stated['names'] === null ? null : distinct('names', list(stated, 'names', dimensions, dimensions, anyText));
  const mechanism = oneOf(stated, 'mechanism', [...Object.keys(MECHANISMS), 'none', 'structure']);
  const outOfBounds = oneOf(stated, 'out_of_bounds', ['clip', 'midpoint', 'refuse']);
  const missing = oneOf(stated, 'missing', ['midpoint', 'low', 'high', 'refuse']);
  if (!MECHANISMS[mechanism] || outOfBounds === 'refuse' || missing === 'refuse') {
    refuse('privacy');
  }
  const law = MECHANISMS[mechanism](stated, 'law');
  const middle = outOfBounds === 'midpoint';
  if (law.levels % 2 === 0 && (middle || missing === 'midpoint')) wrong('missing'); // an even grid has no midpoint
  if (!law.tells) wrong('epsilon');
  const standIn = missing === 'low' ? -1 : +(missing === 'high');
  const steps = law.levels - 1;
  return {
    dimensions,
    names,
    law,
    columns: () =>
      filled(dimensions, (index) => ({
        name: names?.[index] ?? `${index}`,
        kind: 'number',
        low: lowOf(index),
        high: highOf(index),
        values: [],
        missing,
      })),
    answer(index, raw) {
      const [value, low, high] = [asPlainNumber(raw), lowOf(index), highOf(index)];
      const absent = +(value !== value);
      const outside = +(value < low || value > high);
      const normalised = shareOf(clip(value, low, high), low, high) * 2 - 1;
      const x = absent ? standIn : outside && middle ? 0 : normalised;
      return answered(law, roundEven(clip((x + 1) * (steps / 2), 0, steps)), absent, outside);
    },
  };
}

/** Return the bound of each feature: one number for all of them, or a list; equal ones are stated as one. */
function boundOf(stated: Table, key: string, dimensions: number): (index: number) => number {
  if (!Array.isArray(stated[key])) {
    const one = number(stated, key);
    return () => one;
  }
  const each = list(stated, key, dimensions, dimensions, number);
  if (new Set(each).size < 2) wrong(key);
  return (index) => each[index]!;
}
