/** Which coordinates a person reports (rule `sha256-floyd`): a public function of campaign and node. */
import { bigEndian, concat, fromHex, isWellFormed, utf8, wordAt } from './bytes.ts';
import { refuse } from './errors.ts';
import { sha256 } from './sha256.ts';

export const INDEX_RULE = 'sha256-floyd';
const MOST_BYTES = 512;

/** Return the bytes that stand for a node id: 17 and "17" are one node. */
export function nodeKey(node: string | number | bigint): Uint8Array {
  const text = typeof node === 'string' ? node : Number.isSafeInteger(node) || typeof node === 'bigint' ? String(node) : '';
  if (text === '' || !isWellFormed(text)) refuse('token', 'a node id is an integer, or text that is not empty');
  return utf8(text);
}

/** Return the bytes of a node id that can be reported for. */
export function checkedKey(node: string | number | bigint): Uint8Array {
  const key = nodeKey(node);
  if (key.length > MOST_BYTES) refuse('token', `a node id has at most ${MOST_BYTES} bytes`);
  return key;
}

/** Return the sorted indices that a node reports: k of some dimensions. */
export function indicesOf(campaign: string, node: Uint8Array, dimensions: number, k: number): number[] {
  if (k === dimensions) return Array.from({ length: k }, (_, index) => index);
  const next = stream(fromHex(campaign), node);
  const kept = new Set<number>();
  for (let j = dimensions - k; j < dimensions; j++) {
    const drawn = below(j + 1, next);
    kept.add(kept.has(drawn) ? j : drawn);
  }
  return [...kept].sort((one, other) => one - other);
}

function stream(campaign: Uint8Array, node: Uint8Array): () => number {
  let [counter, place] = [0, 8];
  let block: Uint8Array = new Uint8Array();
  return () => {
    if (place === 8) {
      block = sha256(concat(campaign, bigEndian(counter++), node));
      place = 0;
    }
    return wordAt(block, 4 * place++);
  };
}

/** Return a number below a bound, from the next word below its largest multiple. */
function below(bound: number, next: () => number): number {
  const limit = Math.floor(2 ** 32 / bound) * bound;
  let word = next();
  while (word >= limit) word = next();
  return word % bound;
}
