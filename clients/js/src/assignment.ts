/** Who is asked, and about which classes: public data, in shards that the campaign names by their hashes. */
import { toHex, wordAt } from './bytes.ts';
import { refuse } from './errors.ts';
import { filled } from './laws.ts';
import type { Personal } from './questions.ts';
import { LARGEST_OFFSET } from './scores.ts';
import { sha256, sha256Hex } from './sha256.ts';
import { integer, list, table, text, truth, wrong, type Reader, type Table } from './stated.ts';

const NONE = 65_535; // in place of a class that is not there
const KEY = 16;
const MOST_WIDTH = 256;

export interface Assignment {
  /** The numbers of classes that people are asked about, in increasing order; empty if only people are named. */
  readonly sizes: readonly number[];
  /** How many people are asked. */
  readonly nodes: number;
  /** Return the SHA-256 of the shard that a node is in, if it is in any. */
  shardOf(node: Uint8Array): string;
  /** Return what a node is asked about, out of its shard; refuse a shard that is another, and whoever is not asked. */
  personal(node: Uint8Array, shard: Uint8Array): Personal;
}

const hash: Reader<string> = (holder, key) =>
  /^[\da-f]{64}$/.test(text(holder, key)) ? (holder[key] as string) : wrong(key);

export function assignmentOf(holder: Table): Assignment {
  const stated = table(holder, 'assignment', 'bits width offsets nodes sizes shards');
  const bits = integer(stated, 'bits', 0, 16);
  const width = integer(stated, 'width', 0, MOST_WIDTH);
  const nodes = integer(stated, 'nodes', 1, 2 ** 32);
  const offsets = truth(stated, 'offsets');
  const sizes = list(stated, 'sizes', 0, MOST_WIDTH, (each, place) => integer(each, place, 2, width));
  if (sizes.some((size, place) => size <= sizes[place - 1]!) || (sizes.at(-1) ?? 0) !== width) wrong('sizes');
  const digests = list(stated, 'shards', 2 ** bits, 2 ** bits, hash);
  const shardOf = (node: Uint8Array): string => digests[(wordAt(sha256(node), 0) >>> 16) >> (16 - bits)]!;
  return {
    sizes,
    nodes,
    shardOf,
    personal(node, shard) {
      if (sha256Hex(shard) !== shardOf(node)) refuse('mismatch');
      const people = recordsOf(shard, width, offsets, sizes);
      if (!people || people.size > nodes) wrong('assignment');
      return people.get(toHex(sha256(node).subarray(KEY))) ?? refuse('not_asked');
    },
  };
}

/** Read the records of a shard; null if they are not as they must be. A hash says who wrote them, not that they are sound. */
function recordsOf(
  shard: Uint8Array,
  width: number,
  offsets: boolean,
  sizes: readonly number[],
): Map<string, Personal> | null {
  const record = KEY + width * (offsets ? 6 : 2);
  const view = new DataView(shard.buffer, shard.byteOffset, shard.length);
  const people = new Map<string, Personal>();
  let last = '';
  if (shard.length % record) return null;
  for (let start = 0; start < shard.length; start += record) {
    const key = toHex(shard.subarray(start, start + KEY));
    const slots = filled(width, (i) => view.getUint16(start + KEY + 2 * i, true));
    const added = slots.map((_, i) => (offsets ? view.getInt32(start + KEY + 2 * width + 4 * i, true) : 0));
    const size = slots.filter((each) => each < NONE).length;
    const ordered = slots.every((each, i) => !i || each > slots[i - 1]! || each === NONE);
    const sound = ordered && (width ? sizes.includes(size) : true) && added.every((each) => each >= -LARGEST_OFFSET);
    if (key <= last || !sound) return null;
    people.set(key, { classes: slots.slice(0, size), offsets: added.slice(0, size) });
    last = key;
  }
  return people;
}
