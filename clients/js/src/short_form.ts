/** The short form of a campaign: many numbers alike, each through the same law. */
import { refuse } from './errors.ts';
import { roundEven } from './exact.ts';
import type { Column } from './features.ts';
import { checkBounds } from './grid.ts';
import { CONTROLS, MECHANISMS, type Law } from './laws.ts';
import { answered, type Answer } from './questions.ts';
import { anyText, distinct, integer, list, number, oneOf, wrong, type Table } from './stated.ts';
import { asPlainNumber } from './values.ts';

export const SHORT_FIELDS = 'dimensions names low high mechanism law out_of_bounds missing';

export interface ShortForm {
  readonly dimensions: number;
  readonly names: readonly string[] | null;
  readonly mechanism: string;
  readonly law: Law;
  lowOf(index: number): number;
  highOf(index: number): number;
  columns(): readonly Column[];
  /** Return the answer of somebody who has this value. */
  answer(index: number, value: unknown): Answer;
}

export function shortFormOf(stated: Table): ShortForm {
  const dimensions = integer('dimensions', stated['dimensions'], 1, 2 ** 31 - 1);
  const [lows, highs] = [boundOf('low', stated['low'], dimensions), boundOf('high', stated['high'], dimensions)];
  const at = (bound: number | readonly number[], index: number): number => (typeof bound === 'number' ? bound : bound[index]!);
  const differ = typeof lows === 'number' && typeof highs === 'number' ? 1 : dimensions;
  for (let index = 0; index < differ; index++) checkBounds('low', at(lows, index), at(highs, index));
  const names =
    stated['names'] === null
      ? null
      : distinct('names', list('names', stated['names'], dimensions, dimensions, anyText));
  const mechanism = oneOf('mechanism', stated['mechanism'], `${Object.keys(MECHANISMS).join(' ')} ${CONTROLS}`);
  if (!Object.hasOwn(MECHANISMS, mechanism)) {
    refuse('privacy', 'the mechanism is a control for simulations, and no device answers it');
  }
  const law = MECHANISMS[mechanism]!('law', stated['law']);
  if (!law.tells) wrong('epsilon', 'is too small for the law: a report would say nothing');
  const outOfBounds = oneOf('out_of_bounds', stated['out_of_bounds'], 'clip midpoint refuse');
  const missing = oneOf('missing', stated['missing'], 'midpoint low high refuse');
  if (law.levels % 2 === 0 && (outOfBounds === 'midpoint' || missing === 'midpoint')) {
    wrong('missing', 'the midpoint is not an input level of an even grid');
  }
  if (outOfBounds === 'refuse' || missing === 'refuse') {
    refuse('privacy', "with the policy 'refuse', taking part would depend on private values; no device answers it");
  }
  if (Object(stated['assignment']).width > 0) wrong('assignment', 'assigns classes, which only a model question has');
  const middle = outOfBounds === 'midpoint';
  const standIn = missing === 'low' ? -1 : missing === 'high' ? 1 : 0;
  const steps = law.levels - 1;
  return {
    dimensions,
    names,
    mechanism,
    law,
    lowOf: (index) => at(lows, index),
    highOf: (index) => at(highs, index),
    columns: () =>
      Array.from({ length: dimensions }, (_, index) => ({
        name: names?.[index] ?? `feature ${index}`,
        kind: 'number',
        low: at(lows, index),
        high: at(highs, index),
        thresholds: [],
        values: [],
        missing,
      })),
    answer(index, raw) {
      const [value, low, high] = [asPlainNumber(raw), at(lows, index), at(highs, index)];
      const absent = Number.isNaN(value);
      const outside = value < low || value > high;
      // A bound may be as large as a number: halve before subtracting, so that nothing overflows.
      const clipped = Math.min(Math.max(value, low), high);
      const normalised = ((clipped / 2 - low / 2) / (high / 2 - low / 2)) * 2 - 1;
      const x = absent ? standIn : outside && middle ? 0 : normalised;
      const level = roundEven(Math.min(Math.max((x + 1) * (steps / 2), 0), steps));
      return answered(law, level, Number(absent), Number(outside));
    },
  };
}

/** Return one number for all features, or one for each; equal ones are stated as one. */
function boundOf(name: string, value: unknown, dimensions: number): number | readonly number[] {
  if (!Array.isArray(value)) return number(name, value);
  const each = list(name, value, dimensions, dimensions, number);
  if (each.every((one) => one === each[0])) wrong(name, 'equal bounds are stated as one number');
  return each;
}
