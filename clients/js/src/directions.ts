/** Public directions of a person (rule `xoshiro128**-normal256`), and the law that reports one of them. */
import { bigEndian, concat, fromHex, utf8, wordAt } from './bytes.ts';
import type { Ratio } from './exact.ts';
import { TOTAL } from './random.ts';
import { sha256 } from './sha256.ts';
import { integer, table, wrong } from './stated.ts';

export const RULE = 'xoshiro128**-normal256';
export const MOST_DIRECTIONS = 1024;

// The upper half of the table of components, by increasing byte; the lower half is its mirror image.
const UPPER = fromHex(
  '0001010102020303030404050505060606070708080809090a0a0a0b0b0c0c0d' +
    '0d0d0e0e0f0f0f101011111212121313141415151616161717181819191a1a1b' +
    '1b1c1c1d1d1e1e1f1f20202121222323242425262627272829292a2b2b2c2d2e' +
    '2e2f30313232333435363738393a3c3d3e3f4142444647494c4e5154585d6577',
);
const NORMAL = Int8Array.from({ length: 256 }, (_, byte) => (byte < 128 ? -UPPER[127 - byte]! : UPPER[byte - 128]!));

/** Largest component. */
export const LARGEST = 119;

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
  const scores: number[] = [];
  for (let j = 0; j < directions; j++) {
    let score = 0;
    for (let i = 0; i < profile.length; i += 4) {
      const output = Math.imul(rotated(Math.imul(b, 5), 7), 9);
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = rotated(d, 11);
      score += NORMAL[output & 255]! * padded[i]!;
      score += NORMAL[(output >> 8) & 255]! * padded[i + 1]!;
      score += NORMAL[(output >> 16) & 255]! * padded[i + 2]!;
      score += NORMAL[output >>> 24]! * padded[i + 3]!;
    }
    scores.push(score);
  }
  return scores;
}

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** The law of a direction: the nearest ones are more likely. */
export interface NearestLaw {
  readonly outputs: number;
  readonly ratio: Ratio;
  readonly tells: boolean;
  /** Return the direction that a word selects, by the inner product of each with the profile. */
  code(scores: readonly number[], word: number): number;
  /** Return the weight of each rank, the nearest first, and what is left for direction 0 in any case. */
  ranks(): { weights: number[]; spare: number };
}

export function nearestLaw(name: string, stated: unknown): NearestLaw {
  const law = table(name, stated, 'directions near high low');
  const directions = integer(`${name}.directions`, law['directions'], 2, MOST_DIRECTIONS);
  const near = integer(`${name}.near`, law['near'], 1, directions - 1);
  const [high, low] = (['high', 'low'] as const).map((each) => integer(`${name}.${each}`, law[each], 0, TOTAL));
  if (high === undefined || low === undefined || !(1 <= low && low <= high)) wrong(name, 'must have 1 <= low <= high');
  const [inside, outside] = [near * high, (directions - near) * low];
  if (!(inside <= TOTAL && outside <= TOTAL - inside)) wrong(name, 'weights must sum to at most 2**53');
  const ranked = inside + outside; // words that select a direction by its rank
  return {
    outputs: directions,
    ratio: { high, low },
    tells: high > low,
    ranks: () => ({
      weights: Array.from({ length: directions }, (_, rank) => (rank < near ? high : low)),
      spare: TOTAL - ranked,
    }),
    code(scores, word) {
      const each = [Math.floor(word / high), near + Math.floor((word - inside) / low), 0];
      const rank = each[Number(word >= inside) + Number(word >= ranked)]!;
      let chosen = 0;
      for (let j = 0; j < directions; j++) {
        const mine = scores[j]!;
        let before = 0;
        for (let i = 0; i < directions; i++) {
          before += Number(scores[i]! > mine) + (Number(scores[i]! === mine) & Number(i < j));
        }
        chosen += j * Number(before === rank);
      }
      return chosen * Number(word < ranked); // the spare is direction 0
    },
  };
}
