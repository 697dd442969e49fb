/** Public directions of a person (rule `xoshiro128**-normal256`), and the law that reports one of them. */
import { bigEndian, concat, fromHex, utf8, wordAt } from './bytes.ts';
import type { Ratio } from './exact.ts';
import { filled, lowAndHigh, spareOf } from './laws.ts';
import { TOTAL } from './random.ts';
import { sha256 } from './sha256.ts';
import { integer, table, type Table } from './stated.ts';

export const RULE = 'xoshiro128**-normal256';
export const MOST_DIRECTIONS = 1024;

/** Largest component. */
export const LARGEST = 119;

// By how much the component of each of the upper 128 bytes exceeds the one before; the lower half is its mirror image.
const STEPS =
  '0100101001010010010100101001010100101001010100101010100101010101' +
  '010101010101011010110101101101110111101111111121112122123233458i';
let component = 0;
const UPPER = Array.from(STEPS, (step) => (component += parseInt(step, 36)));
const NORMAL = filled(256, (byte) => (byte < 128 ? -UPPER[127 - byte]! : UPPER[byte - 128]!));

/** Return the inner product of a profile with each public direction of a node; every component is made, and used. */
export function directionScores(
  campaign: string,
  question: number,
  node: Uint8Array,
  directions: number,
  profile: readonly number[],
): number[] {
  const digest = sha256(concat(fromHex(campaign), utf8('direction'), bigEndian(question), node));
  let [a, b, c, d] = [wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8), wordAt(digest, 12)];
  const padded = [...profile, 0, 0, 0];
  return filled(directions, () => {
    let score = 0;
    for (let i = 0; i < profile.length; i += 4) {
      let output = Math.imul(rotated(Math.imul(b, 5), 7), 9);
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = rotated(d, 11);
      for (let j = i; j < i + 4; j++) {
        score += NORMAL[output & 255]! * padded[j]!;
        output >>= 8;
      }
    }
    return score;
  });
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** The law of a direction: the nearest ones are more likely. */
export interface NearestLaw {
  readonly outputs: number;
  readonly ratio: Ratio;
  readonly tells: boolean;
  /** Return the direction that a word selects, by the inner product of each with the profile. */
  code(scores: readonly number[], word: number): number;
  /** Return the weight of each rank, the nearest first; what they leave of 2**53 is direction 0 in any case. */
  ranks(): number[];
}

export function nearestLaw(holder: Table, key: string | number): NearestLaw {
  const law = table(holder, key, 'directions near high low');
  const outputs = integer(law, 'directions', 2, MOST_DIRECTIONS);
  const near = integer(law, 'near', 1, outputs - 1);
  const [low, high] = lowAndHigh(law);
  const inside = near * high;
  const ranked = TOTAL - spareOf(inside, (outputs - near) * low); // words that select a direction by its rank
  return {
    outputs,
    ratio: { high, low },
    tells: high > low,
    ranks: () => filled(outputs, (rank) => (rank < near ? high : low)),
    code(scores, word) {
      const each = [Math.floor(word / high), near + Math.floor((word - inside) / low), 0];
      const rank = each[+(word >= inside) + +(word >= ranked)]!;
      let chosen = 0;
      for (let j = 0; j < outputs; j++) {
        const mine = scores[j]!;
        let before = 0;
        for (let i = 0; i < outputs; i++) before += +(scores[i]! > mine) + (+(scores[i]! === mine) & +(i < j));
        chosen += j * +(before === rank);
      }
      return chosen * +(word < ranked); // the spare is direction 0
    },
  };
}
