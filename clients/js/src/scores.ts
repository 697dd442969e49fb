/** Integer scores of a public linear model, each step exact: a document whose sums could reach 2**53 is refused. */
import type { Encoding } from './encoding.ts';
import { TOTAL } from './random.ts';
import { has, integer, integer52, list, truth, wrong, type Table } from './stated.ts';

/** Largest magnitude of an integer that an assignment adds to a score. */
export const LARGEST_OFFSET = 2 ** 31 - 1;

/** Fields that every model has. */
export const MODEL_FIELDS = 'kind features weights bias normalised shift? fraction? laws';

/** Read a model of some rows; return the function from coordinates to scores. */
export function scorerOf(stated: Table, { largest }: Encoding, rows: number): (coordinates: readonly number[]) => number[] {
  const columns = largest.length;
  const weights = list(stated, 'weights', rows, rows, (each, row) =>
    list(each, row as string, columns, columns, integer52),
  );
  const bias = list(stated, 'bias', rows, rows, integer52);
  const normalised = truth(stated, 'normalised');
  if (has(stated, 'shift') !== normalised || has(stated, 'fraction') !== normalised) wrong('shift');
  const shift = normalised ? integer(stated, 'shift', 0, 52) : 0;
  const fraction = normalised ? integer(stated, 'fraction', 0, mostDigits(largest)) : 0;
  const factor = 2 ** (shift + fraction);
  weights.forEach((row, place) => {
    const reach = dot(row.map(Math.abs), largest);
    if (!(reach * factor + Math.abs(bias[place]!) + LARGEST_OFFSET < TOTAL)) wrong('weights');
  });
  return (coordinates) => {
    const square = normalised ? dot(coordinates, coordinates) : 1;
    const length = Math.max(1, integerRoot(square * 4 ** fraction));
    return weights.map((row, place) => Math.floor((dot(row, coordinates) * factor) / length) + bias[place]!);
  };
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}

/** Return the integer square root, rounded down, of an integer below 2**53. */
export function integerRoot(square: number): number {
  const root = Math.floor(Math.sqrt(square)); // which may have been rounded up to the next integer
  return root - +(root * root > square);
}

/** Return how many binary digits of the length beyond the point can be kept. */
function mostDigits(largest: readonly number[]): number {
  const square = dot(largest, largest);
  if (!(square < TOTAL)) wrong('features');
  const room = Math.floor((TOTAL - 1) / Math.max(square, 1));
  let digits = 0;
  while (digits < 12 && 4 ** (digits + 1) <= room) digits++;
  return digits;
}
