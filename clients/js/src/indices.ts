/** Which coordinates a person reports (rule `sha256-floyd`): a public function of campaign and node. */
import { bigEndian, concat, fromHex, isWellFormed, utf8, wordAt } from './bytes.ts';
import { refuse } from './errors.ts';
import { filled } from './laws.ts';
import { sha256 } from './sha256.ts';

export const INDEX_RULE = 'sha256-floyd';

/** A person's id in the graph: 17 and "17" are one. */
export type Node = string | number | bigint;

/** Return the bytes that stand for a node id: 1 to 512 in UTF-8, of an integer those of its digits. */
export function checkedKey(node: Node): Uint8Array {
  const text = typeof node !== 'number' || Number.isSafeInteger(node) ? String(node) : '';
  const key = utf8(text);
  if (!isWellFormed(text) || key.length < 1 || key.length > 512) refuse('token');
  return key;
}

/** Return the sorted indices that a node reports: k of some dimensions. */
export function indicesOf(campaign: string, node: Uint8Array, dimensions: number, k: number): number[] {
  if (k === dimensions) return filled(k, (index) => index);
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
