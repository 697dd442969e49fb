/** Integer scores of a public linear model, each step exact: a document whose sums could reach 2**53 is refused. */
import type { Encoding } from './encoding.ts';
import { integer, integer52, list, truth, wrong, type Table } from './stated.ts';
import { TOTAL } from './random.ts';

const LARGEST_OFFSET = 2 ** 31 - 1;
const MOST_DIGITS = 12;

/** Fields that every model has. */
export const MODEL_FIELDS = 'kind features weights bias normalised shift? fraction? laws';

/** Read a model of some rows; return the function from coordinates to scores. */
export function scorerOf(
  name: string,
  stated: Table,
  encoding: Encoding,
  rows: number,
): (coordinates: readonly number[]) => number[] {
  const { largest } = encoding;
  const row = (where: string, value: unknown): number[] => list(where, value, largest.length, largest.length, integer52);
  const weights = list(`${name}.weights`, stated['weights'], rows, rows, row);
  const bias = list(`${name}.bias`, stated['bias'], rows, rows, integer52);
  const normalised = truth(`${name}.normalised`, stated['normalised']);
  if (Object.hasOwn(stated, 'shift') !== normalised || Object.hasOwn(stated, 'fraction') !== normalised) {
    wrong(name, 'shift and fraction are stated for normalised scores, and for no others');
  }
  const shift = normalised ? integer(`${name}.shift`, stated['shift'], 0, 52) : 0;
  const fraction = normalised ? integer(`${name}.fraction`, stated['fraction'], 0, mostDigits(name, largest)) : 0;
  const factor = 2 ** (shift + fraction);
  weights.forEach((each, place) => {
    const reach = each.reduce((sum, weight, column) => sum + Math.abs(weight) * largest[column]!, 0);
    if (!(reach * factor + Math.abs(bias[place]!) + LARGEST_OFFSET < TOTAL)) wrong(name, 'a score could reach 2**53');
  });
  return (coordinates) => {
    const square = normalised ? dot(coordinates, coordinates) : 0;
    const length = normalised ? Math.max(1, integerRoot(square * 4 ** fraction)) : 1;
    return weights.map((each, place) => Math.floor((dot(each, coordinates) * factor) / length) + bias[place]!);
  };
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += one[i]! * other[i]!;
  return sum;
}

/** Return the integer square root, rounded down, of an integer below 2**53. */
export function integerRoot(square: number): number {
  let root = Math.floor(Math.sqrt(square));
  root -= Number(root * root > square);
  root += Number((root + 1) * (root + 1) <= square);
  return root;
}

/** Return how many binary digits of the length beyond the point can be kept. */
function mostDigits(name: string, largest: readonly number[]): number {
  const square = largest.reduce((sum, most) => sum + most * most, 0);
  if (!(square < TOTAL)) wrong(name, 'the square of the length could reach 2**53');
  const room = Math.floor((TOTAL - 1) / Math.max(square, 1));
  let digits = 0;
  while (digits < MOST_DIGITS && 4 ** (digits + 1) <= room) digits++;
  return digits;
}
