/** A number to a level of a public grid: equal steps between two bounds, or how many public thresholds it reaches. */
import { roundEven } from './exact.ts';
import { integer, list, number, oneOf, truth, wrong, type Table } from './stated.ts';

export const MOST_LEVELS = 4097;

export interface OnGrid {
  readonly level: number;
  readonly outside: boolean;
  readonly absent: boolean;
}

export interface Grid {
  readonly levels: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly thresholds: readonly number[];
  readonly sqrt: boolean;
  /** Return the level of a number; NaN is missing. */
  on(value: number): OnGrid;
}

/** Refuse bounds between which there are no steps; halved, so that no range overflows. */
export function checkBounds(name: string, low: number, high: number): void {
  if (!(high / 2 - low / 2 > 0)) wrong(name, 'low must be below high');
}

/** Read the grid of a feature; a count, which is never missing, states no rule for that. */
export function gridOf(name: string, stated: Table, isCount = false): Grid {
  const thresholds = list(`${name}.thresholds`, stated['thresholds'], 0, MOST_LEVELS - 1, number);
  if (thresholds.some((each, place) => place > 0 && each <= thresholds[place - 1]!)) {
    wrong(`${name}.thresholds`, 'must increase');
  }
  const bounded = thresholds.length === 0;
  if (Object.hasOwn(stated, 'low') !== bounded || Object.hasOwn(stated, 'high') !== bounded) {
    wrong(name, 'must have either low and high or thresholds');
  }
  const least = bounded ? 2 : thresholds.length + 1;
  const levels = integer(`${name}.levels`, stated['levels'], least, bounded ? MOST_LEVELS : least);
  const sqrt = truth(`${name}.sqrt`, stated['sqrt']);
  const missing = isCount ? 'low' : oneOf(`${name}.missing`, stated['missing'], 'midpoint low high');
  const standIn = missing === 'low' ? 0 : missing === 'high' ? levels - 1 : (levels - 1) >> 1;
  if (!bounded) {
    const on = (value: number): OnGrid => {
      let level = 0;
      for (const threshold of thresholds) level += Number(value >= threshold);
      const absent = Number.isNaN(value);
      return { level: absent ? standIn : level, outside: false, absent };
    };
    return { levels, low: null, high: null, thresholds, sqrt, on };
  }
  const [low, high] = [number(`${name}.low`, stated['low']), number(`${name}.high`, stated['high'])];
  if (sqrt && low < 0) wrong(`${name}.low`, 'must be at least 0 where the square root is taken');
  const root = sqrt ? Math.sqrt : (value: number): number => value;
  const [least0, most] = low < high ? [root(low), root(high)] : [low, high];
  checkBounds(name, least0, most);
  const on = (value: number): OnGrid => {
    const absent = Number.isNaN(value);
    const inside = root(Math.min(Math.max(absent ? low : value, low), high));
    const share = (inside / 2 - least0 / 2) / (most / 2 - least0 / 2);
    const level = roundEven(share * (levels - 1));
    return { level: absent ? standIn : level, outside: value < low || value > high, absent };
  };
  return { levels, low, high, thresholds, sqrt, on };
}
