/**
 * SHA-256 (FIPS 180-4), synchronous. `crypto.subtle` is absent in React Native and on plain http, and asynchronous
 * everywhere; what is hashed here is public.
 */
import { toHex } from './bytes.ts';

const ROUNDS = Uint32Array.from(
  (
    '428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 ' +
    '72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da ' +
    '983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 ' +
    '650a7354 766a0abb 81c2c92e 92722c85 a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 ' +
    '19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 ' +
    '90befffa a4506ceb bef9a3f7 c67178f2'
  )
    .split(' ')
    .map((word) => parseInt(word, 16)),
);
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;

const right = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** Return the 32 bytes of the hash. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array((((message.length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, message.length / 2 ** 29);
  view.setUint32(padded.length - 4, message.length << 3);
  const state = Int32Array.from(START);
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
