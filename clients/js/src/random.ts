/** Random words from the platform's cryptographic generator, or none at all. */
import { refuse } from './errors.ts';

/** The weights of every law sum to it; every word is below it. */
export const TOTAL = 2 ** 53;

const MOST = 8192; // words of one request: the platform gives at most 65,536 bytes at once

/**
 * Return independent words, uniform on the integers from 0 to 2**53 - 1.
 *
 * A word is the upper 53 bits of eight random bytes, read as two 32-bit numbers.
 */
export function randomWords(count: number): number[] {
  const source = globalThis.crypto;
  if (!source?.getRandomValues) refuse('random');
  const words: number[] = [];
  while (words.length < count) {
    const raw = new Uint32Array(2 * Math.min(MOST, count - words.length));
    source.getRandomValues(raw);
    for (let i = 0; i < raw.length; i += 2) words.push(raw[i + 1]! * 2 ** 21 + (raw[i]! >>> 11));
  }
  return words;
}
