/**
 * What a document states, checked where it is taken: each function reads the entry of a table or list by its key.
 *
 * Nothing is filled in: a canonical document states every field, and one that leaves something out has another hash than
 * the campaign that Python would make of it.
 */
import { isWellFormed } from './bytes.ts';
import { PrivgeError, refuse } from './errors.ts';

export type Table = Readonly<Record<string | number, unknown>>;

/** Reads one entry of a list or table. */
export type Reader<Entry> = (holder: Table, key: string | number) => Entry;

/** Refuse a field by its name; its rule is in spec/protocol.md. */
export function wrong(field: string | number): never {
  refuse('campaign', `: see its field '${field}'`);
}

/** Return an entry if it is as it must be. */
function checked<Entry>(holder: Table, key: string | number, is: (value: never) => unknown): Entry {
  const value = holder[key];
  return is(value as never) ? (value as Entry) : wrong(key);
}

/** Return a table with exactly these fields; those with a final ? may be left out. */
export function table(holder: Table, key: string | number, fields: string): Table {
  const value = checked<Table>(holder, key, (it) => typeof it === 'object' && it && !Array.isArray(it));
  const names = fields.split(' ');
  for (const field of Object.keys(value)) if (!names.includes(field) && !names.includes(`${field}?`)) wrong(field);
  for (const field of names) if (!field.endsWith('?') && !has(value, field)) wrong(field);
  return value;
}

export function has(holder: Table, key: string): boolean {
  return Object.hasOwn(holder, key);
}

export function integer(holder: Table, key: string | number, least: number, most: number): number {
  return checked(holder, key, (value) => Number.isInteger(value) && value >= least && value <= most);
}

/** An integer of an encoding or a model. */
export const integer52: Reader<number> = (holder, key) => integer(holder, key, -(2 ** 52), 2 ** 52);

export const number: Reader<number> = (holder, key) => checked(holder, key, Number.isFinite);

export const anyText: Reader<string> = (holder, key) =>
  checked(holder, key, (value) => typeof value === 'string' && isWellFormed(value));

/** Text that is not empty. */
export const text: Reader<string> = (holder, key) => anyText(holder, key) || wrong(key);

export const truth: Reader<boolean> = (holder, key) => checked(holder, key, (value) => typeof value === 'boolean');

/** One of some words. */
export function oneOf(holder: Table, key: string | number, words: readonly string[]): string {
  return checked(holder, key, (value) => words.includes(value));
}

/** A list of so many entries; an error names the whole way to what is wrong. */
export function list<Entry>(holder: Table, key: string, least: number, most: number, read: Reader<Entry>): Entry[] {
  const values = checked<unknown[]>(
    holder,
    key,
    (value: unknown[]) => Array.isArray(value) && value.length >= least && value.length <= most,
  );
  return values.map((_, place) => {
    try {
      return read(values as unknown as Table, place);
    } catch (error) {
      if (error instanceof PrivgeError) error.message = error.message.replace("'", `'${key}[${place}].`);
      throw error;
    }
  });
}

/** Refuse a list that holds something twice. */
export function distinct<Entry>(field: string, values: readonly Entry[]): readonly Entry[] {
  return new Set(values).size < values.length ? wrong(field) : values;
}
