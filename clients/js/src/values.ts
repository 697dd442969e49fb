/** A person's raw values: whatever they are, they become numbers or text, and none of this ever fails. */

import { refuse } from './errors.ts';

/** One value for each feature in order, or a table from name to value. What is not asked for is not looked at. */
export type Features = ArrayLike<unknown> | Readonly<Record<string, unknown>>;

// White space as Unicode counts it, which is not quite what \s is.
const SPACE = /[^\S\ufeff]|[\x1c-\x1f\x85]/;
const WORDS: Readonly<Record<string, number>> = { yes: 1, true: 1, no: 0, false: 0 };
const LONGEST_WORD = 5;
const LIKE_LISTS = ['length', '0']; // what lists have; a feature may be called so

/** Return text without white space at its ends; each character is looked at once, so that no text takes long or fails. */
function stripped(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start]!)) start++;
  while (start < end && SPACE.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Return a number, NaN for whatever is none; text is none here. */
export function asPlainNumber(value: unknown): number {
  const kind = typeof value;
  return kind === 'number' || kind === 'boolean' || kind === 'bigint' ? Number(value) : NaN;
}

/** Return a number, NaN for whatever is none; the words yes, true, no and false are 1 and 0. */
export function asNumber(value: unknown): number {
  if (typeof value !== 'string') return asPlainNumber(value);
  const word = stripped(value).slice(0, LONGEST_WORD + 1).toUpperCase().toLowerCase(); // which folds the long s too
  return Object.hasOwn(WORDS, word) ? WORDS[word]! : NaN;
}

/** Return what a value is compared as where a choice is asked, null if it is missing: 7, 7.0 and "7" are one value. */
export function asText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? numberText(value) : null;
}

/** Return a number as Python writes it. */
function numberText(value: number): string | null {
  if (Number.isNaN(value)) return null;
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/-(\d)$/, '-0$1');
}

/** Say whether something is written where an answer was asked, be it a number or not. */
export function isWritten(value: unknown): boolean {
  return stripped(asText(value) ?? '') !== '';
}

/**
 * Refuse what holds no values that could be read: anything but a list or a plain object. A Map, a promise, a form or an
 * instance of a class would look as if all values were missing. What kind of thing it is decides, never what is in it.
 */
export function checkForm(features: unknown): void {
  if (isList(features)) return;
  const plain = typeof features === 'object' && features && !parentOf(parentOf(features));
  if (!plain) refuse('features', ': in an array or a plain object, and nothing else');
}

function parentOf(held: object | null): object | null {
  return held && (Object.getPrototypeOf(held) as object | null);
}

/**
 * Return a function from a place among the raw columns to the value there.
 *
 * What is refused is the form (a list where there must be names, or of another length, or an object that looks like a
 * list), which an application decides.
 */
export function readerOf(features: Features, names: readonly string[] | null, width: number): (place: number) => unknown {
  checkForm(features);
  if (!isList(features)) {
    if (!names) refuse('features');
    const held = features as Readonly<Record<string, unknown>>;
    const own = (key: string): unknown => tried(() => Object.hasOwn(held, key));
    const strange = LIKE_LISTS.some((key) => own(key) && !names.includes(key));
    if (strange && own('length')) refuse('features', ': an object with a length is neither');
    return (place) => tried(() => (own(names[place]!) ? held[names[place]!] : undefined));
  }
  if (features.length !== width) refuse('features');
  return (place) => tried(() => features[place]);
}

function isList(features: unknown): features is ArrayLike<unknown> {
  return Array.isArray(features) || ArrayBuffer.isView(features);
}

function tried(get: () => unknown): unknown {
  try {
    return get();
  } catch {
    return undefined; // a value that cannot be had is missing: taking part must not depend on it
  }
}
