/**
 * SHA-256 (FIPS 180-4), synchronous. `crypto.subtle` is absent in React Native and on plain http, and asynchronous
 * everywhere; what is hashed here is public.
 */
import { toHex } from './bytes.ts';

const PRIMES = Array.from({ length: 310 }, (_, place) => place + 2).filter((number) => {
  let divisor = 2;
  while (number % divisor) divisor++;
  return divisor === number;
});
// The first 32 bits behind the point of the roots of all 64 primes up to 311: an array of integers cuts off the rest. None of
// them is within 250 units in the last place of another integer, so that an inexact root would do; and a wrong hash fits nothing.
const ROUNDS = Int32Array.from(PRIMES, (prime) => Math.cbrt(prime) * 2 ** 32);
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => Math.sqrt(prime) * 2 ** 32);

const right = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Return the 32 bytes of the hash. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((message.length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, message.length / 2 ** 29);
  view.setUint32(padded.length - 4, message.length << 3);
  const state = START.slice();
  const words = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) compress(state, words, view, block);
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  state.forEach((word, i) => out.setInt32(4 * i, word));
  return digest;
}

function compress(state: Int32Array, w: Int32Array, view: DataView, block: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(block + 4 * i);
  for (let i = 16; i < 64; i++) {
    const near = w[i - 15]!;
    const far = w[i - 2]!;
    const first = right(near, 7) ^ right(near, 18) ^ (near >>> 3);
    const second = right(far, 17) ^ right(far, 19) ^ (far >>> 10);
    w[i] = (w[i - 16]! + first + w[i - 7]! + second) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const chosen = (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g));
    const one = (h + chosen + ROUNDS[i]! + w[i]!) | 0;
    const two = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i]! += word));
}

/** Return the hash in lower-case hexadecimal digits. */
export function sha256Hex(message: Uint8Array): string {
  return toHex(sha256(message));
}
