/**
 * What a document states, checked where it is taken. Nothing is filled in: a canonical document states every field, and
 * one that leaves something out has another hash than the campaign that Python would make of it.
 */
import { isWellFormed } from './bytes.ts';
import { refuse } from './errors.ts';

export type Table = Readonly<Record<string, unknown>>;

const OFFSET_52 = 2 ** 52;

/** Refuse a field by its name. */
export function wrong(name: string, rule: string): never {
  refuse('campaign', `campaign field '${name}': ${rule}`);
}

/** Return a table with exactly these fields, in any order; those with a final ? may be left out. */
export function table(name: string, value: unknown, fields: string): Table {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) wrong(name, 'must be a table');
  const names = fields.split(' ');
  for (const key of Object.keys(value)) {
    if (!names.includes(key) && !names.includes(`${key}?`)) wrong(name, `has an unknown field ${JSON.stringify(key)}`);
  }
  for (const each of names) {
    if (!each.endsWith('?') && !Object.hasOwn(value, each)) wrong(`${name}.${each}`, 'is missing');
  }
  return value as Table;
}

export function integer(name: string, value: unknown, least: number, most: number): number {
  if (!Number.isInteger(value) || !((value as number) >= least && (value as number) <= most)) {
    wrong(name, `must be an integer from ${least} to ${most}`);
  }
  return value as number;
}

/** Return an integer of an encoding or a model: up to 2**52 either way. */
export function integer52(name: string, value: unknown): number {
  return integer(name, value, -OFFSET_52, OFFSET_52);
}

/** Return a number; JSON has none that is not finite. */
export function number(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) wrong(name, 'must be a finite number');
  return value;
}

/** Return Unicode text. */
export function anyText(name: string, value: unknown): string {
  if (typeof value !== 'string' || !isWellFormed(value)) wrong(name, 'must be Unicode text');
  return value;
}

/** Return Unicode text that is not empty. */
export function text(name: string, value: unknown): string {
  return anyText(name, value) || wrong(name, 'must not be empty');
}

export function truth(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') wrong(name, 'must be true or false');
  return value;
}

export function oneOf(name: string, value: unknown, words: string): string {
  if (typeof value !== 'string' || !words.split(' ').includes(value)) wrong(name, `must be one of ${words}`);
  return value;
}

/** Return a list of so many entries, each read by a function. */
export function list<Entry>(
  name: string,
  value: unknown,
  least: number,
  most: number,
  entry: (name: string, value: unknown) => Entry,
): Entry[] {
  if (!Array.isArray(value) || value.length < least || value.length > most) {
    wrong(name, `must be a list of ${least} to ${most} entries`);
  }
  return value.map((each, place) => entry(`${name}[${place}]`, each));
}

export function distinct<Entry>(name: string, values: readonly Entry[]): readonly Entry[] {
  if (new Set(values).size < values.length) wrong(name, 'must be distinct');
  return values;
}
