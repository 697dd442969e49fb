/** A number to a level of a public grid: equal steps between two bounds, or how many public thresholds it reaches. */
import { roundEven } from './exact.ts';
import { MOST_LEVELS } from './laws.ts';
import { has, integer, list, number, oneOf, truth, wrong, type Table } from './stated.ts';

/** A level, and 1 if the value was outside its bounds or missing. */
export interface OnGrid {
  readonly level: number;
  readonly outside: number;
  readonly absent: number;
}

export interface Grid {
  readonly levels: number;
  /** Return the level of a number; NaN is missing. */
  on(value: number): OnGrid;
}

/** Refuse bounds between which there are no steps; halved, so that no range overflows. */
export function checkBounds(low: number, high: number): void {
  if (!(high / 2 - low / 2 > 0)) wrong('low');
}

/** Return the share of the way from one bound to the other, in this order of operations. */
export function shareOf(value: number, low: number, high: number): number {
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

export function clip(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Read the grid of a feature; a count, which is never missing, states no rule for that. */
export function gridOf(stated: Table): Grid {
  const thresholds = list(stated, 'thresholds', 0, MOST_LEVELS - 1, number);
  if (thresholds.some((each, place) => each <= thresholds[place - 1]!)) wrong('thresholds');
  const bounded = thresholds.length === 0;
  if (has(stated, 'low') !== bounded || has(stated, 'high') !== bounded) wrong('low');
  const least = bounded ? 2 : thresholds.length + 1;
  const levels = integer(stated, 'levels', least, bounded ? MOST_LEVELS : least);
  const sqrt = truth(stated, 'sqrt');
  const missing = has(stated, 'missing') ? oneOf(stated, 'missing', ['low', 'midpoint', 'high']) : 'low';
  const standIn = Math.floor((levels - 1) * (missing === 'low' ? 0 : missing === 'high' ? 1 : 0.5));
  if (!bounded) {
    const on = (value: number): OnGrid => {
      let level = 0;
      for (const threshold of thresholds) level += +(value >= threshold);
      return { level: value === value ? level : standIn, outside: 0, absent: +(value !== value) };
    };
    return { levels, on };
  }
  const [low, high] = [number(stated, 'low'), number(stated, 'high')];
  if (sqrt && low < 0) wrong('low');
  const root = sqrt ? Math.sqrt : (value: number): number => value;
  if (low >= high) wrong('low');
  checkBounds(root(low), root(high));
  const on = (value: number): OnGrid => {
    const inside = root(clip(value === value ? value : low, low, high));
    const level = roundEven(shareOf(inside, root(low), root(high)) * (levels - 1));
    const outside = +(value < low || value > high);
    return { level: value === value ? level : standIn, outside, absent: +(value !== value) };
  };
  return { levels, on };
}
