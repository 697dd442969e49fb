/** Who is asked, and about which classes: public data, in shards that the campaign names by their hashes. */
import { toHex, wordAt } from './bytes.ts';
import { refuse } from './errors.ts';
import type { Personal } from './questions.ts';
import { sha256, sha256Hex } from './sha256.ts';
import { integer, list, table, truth, wrong } from './stated.ts';

const NONE = 65_535; // in place of a class that is not there
const KEY = 16;
const MOST_WIDTH = 256;
const LARGEST_OFFSET = 2 ** 31 - 1;

export interface Assignment {
  readonly width: number;
  /** The numbers of classes that people are asked about, in increasing order; empty if only people are named. */
  readonly sizes: readonly number[];
  readonly nodes: number;
  /** Return the SHA-256 of the shard that a node is in, if it is in any. */
  shardOf(node: Uint8Array): string;
  /** Return what a node is asked about, out of its shard; refuse a shard that is another, and whoever is not asked. */
  personal(node: Uint8Array, shard: Uint8Array): Personal;
}

export function assignmentOf(name: string, value: unknown): Assignment {
  const stated = table(name, value, 'bits width offsets nodes sizes shards');
  const bits = integer(`${name}.bits`, stated['bits'], 0, 16);
  const width = integer(`${name}.width`, stated['width'], 0, MOST_WIDTH);
  const nodes = integer(`${name}.nodes`, stated['nodes'], 1, 2 ** 32);
  const offsets = truth(`${name}.offsets`, stated['offsets']);
  const sizes = list(`${name}.sizes`, stated['sizes'], 0, MOST_WIDTH, (each, size) => integer(each, size, 2, width));
  const increasing = sizes.every((size, place) => place === 0 || size > sizes[place - 1]!);
  if (!increasing || (sizes.at(-1) ?? 0) !== width) wrong(`${name}.sizes`, 'must increase to width');
  const digests = list(`${name}.shards`, stated['shards'], 2 ** bits, 2 ** bits, hashOf);
  const record = KEY + width * (offsets ? 6 : 2);
  const numberOf = (hash: Uint8Array): number => (wordAt(hash, 0) >>> 16) >> (16 - bits);
  return {
    width,
    sizes,
    nodes,
    shardOf: (node) => digests[numberOf(sha256(node))]!,
    personal(node, shard) {
      const hash = sha256(node);
      if (sha256Hex(shard) !== digests[numberOf(hash)]) {
        refuse('mismatch', 'this is another shard than the campaign names: the hash differs');
      }
      const people = recordsOf(shard, record, width, offsets, sizes);
      if (people === null || people.size > nodes) {
        refuse('campaign', 'the shard has not the form of an assignment');
      }
      return people.get(toHex(hash.subarray(KEY))) ?? refuse('not_asked', 'this node is not asked in this campaign');
    },
  };
}

function hashOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) wrong(name, 'must be a SHA-256 in hexadecimal');
  return value;
}

/** Read the records of a shard; null if they are not as they must be. A hash says who wrote them, not that they are sound. */
function recordsOf(
  shard: Uint8Array,
  record: number,
  width: number,
  offsets: boolean,
  sizes: readonly number[],
): Map<string, Personal> | null {
  if (shard.length % record) return null;
  const view = new DataView(shard.buffer, shard.byteOffset, shard.length);
  const people = new Map<string, Personal>();
  let last = '';
  for (let start = 0; start < shard.length; start += record) {
    const key = toHex(shard.subarray(start, start + KEY));
    const slots = Array.from({ length: width }, (_, i) => view.getUint16(start + KEY + 2 * i, true));
    const added = slots.map((_, i) => (offsets ? view.getInt32(start + KEY + 2 * width + 4 * i, true) : 0));
    const size = slots.filter((each) => each < NONE).length;
    const ordered = slots.every((each, i) => i === 0 || each > slots[i - 1]! || each === NONE);
    if (key <= last || !ordered || !(sizes.length ? sizes.includes(size) : size === 0)) return null;
    if (added.some((each) => each < -LARGEST_OFFSET)) return null;
    people.set(key, { classes: slots.slice(0, size), offsets: added.slice(0, size) });
    last = key;
  }
  return people;
}
