/**
 * Exact integer laws: a word below 2**53 and an input level select an output code. Every sampler runs the same
 * instructions for every level and word. The proofs are in docs/laws.md; why numbers are exact here, in exact.ts.
 */
import type { Ratio } from './exact.ts';
import { TOTAL } from './random.ts';
import { integer, list, table, wrong } from './stated.ts';

/** A law of levels, as a campaign document has it. */
export interface Law {
  /** How many input levels there are. */
  readonly levels: number;
  /** How many output codes there are. */
  readonly outputs: number;
  /** The largest quotient of two weights in one column. */
  readonly ratio: Ratio;
  /** Whether the code depends on the level at all. */
  readonly tells: boolean;
  /** Return the code that a word selects. */
  code(level: number, word: number): number;
  /** Return the weight of every code for a level; they sum to 2**53. */
  weights(level: number): number[];
}

const MOST_LEVELS = 4097;
const LONGEST_MARGIN = 4969;

/** The laws of numbers by the name that documents use. */
export const MECHANISMS: Readonly<Record<string, (name: string, stated: unknown) => Law>> = {
  hds: windowLaw,
  piecewise: windowLaw,
  multibit: multiBitLaw,
  laplace: laplaceLaw,
  choice: choiceLaw,
};

/** What a campaign of everybody's simulations has, and no device answers. */
export const CONTROLS = 'none structure';

const weight = (name: string, value: unknown): number => integer(name, value, 0, TOTAL);

function levelsOf(name: string, value: unknown): number {
  return integer(`${name}.levels`, value, 2, MOST_LEVELS);
}

function checkWeights(name: string, low: number, high: number): void {
  if (!(1 <= low && low <= high)) wrong(name, 'weights must satisfy 1 <= low <= high');
}

/** Return what is left of 2**53 after two kinds of weights, refused if it is less than nothing. */
function spareOf(name: string, inside: number, outside: number): number {
  const spare = TOTAL - inside - outside;
  if (!(inside <= TOTAL && outside <= TOTAL && spare >= 0)) wrong(name, 'weights must sum to at most 2**53');
  return spare;
}

/** Add to a row of weights what is left of 2**53, in halves to its two middle codes. */
function withSpare(row: number[], spare: number): number[] {
  const half = Math.floor(spare / 2);
  row[(row.length - 1) >> 1]! += half;
  row[row.length >> 1]! += spare - half;
  return row;
}

function summed(row: readonly number[]): number[] {
  let sum = 0;
  return row.map((each) => (sum += each));
}

/** Return the first code up to which there is more weight than the word; `outputs` alone decides the steps. */
function search(upTo: (code: number) => number, outputs: number, word: number): number {
  const last = outputs - 1;
  let code = 0;
  for (let step = 2 ** (31 - Math.clz32(last)); step >= 1; step /= 2) {
    const probe = Math.min(code + step, last);
    code += (probe - code) * Number(upTo(probe - 1) <= word);
  }
  return code;
}

/** The square wave and the piecewise mechanism: weight `high` in a window of outputs, `low` elsewhere. */
function windowLaw(name: string, stated: unknown): Law {
  const law = table(name, stated, 'levels window high low');
  const levels = levelsOf(name, law['levels']);
  const steps = levels - 1;
  const window = integer(`${name}.window`, law['window'], 1, steps);
  const [high, low] = [weight(name, law['high']), weight(name, law['low'])];
  checkWeights(name, low, high);
  const outputs = steps + window;
  const inside = high * window; // words that select an output of the window
  const spare = spareOf(name, inside, low * steps);
  if (outputs % 2 === 0 && spare % 2) wrong(name, 'two middle outputs must share what is left');
  const chosen = inside + low * steps;
  const upperSpare = chosen + Math.floor(spare / 2);
  const [lower, upper] = [(outputs - 1) >> 1, outputs >> 1];
  const weights = (level: number): number[] =>
    withSpare(
      Array.from({ length: outputs }, (_, code) => (code >= level && code < level + window ? high : low)),
      spare,
    );
  return {
    levels,
    outputs,
    ratio: { high: weights(0)[0]!, low: weights(steps)[0]! },
    tells: high > low,
    weights,
    code(level, word) {
      const position = Math.floor((word - inside) / low);
      const each = [level + Math.floor(word / high), position + window * Number(position >= level), lower, upper];
      return each[Number(word >= inside) + Number(word >= chosen) + Number(word >= upperSpare)]!;
    },
  };
}

/** The two-point law: the weight of output 1 grows by `slope` with each level. */
function multiBitLaw(name: string, stated: unknown): Law {
  const law = table(name, stated, 'levels slope');
  const levels = levelsOf(name, law['levels']);
  const slope = weight(name, law['slope']);
  const swing = slope * (levels - 1);
  if (swing > TOTAL - 2 || swing % 2) wrong(name, 'slope times steps must be even, and at most 2**53 - 2');
  const low = (TOTAL - swing) / 2;
  return {
    levels,
    outputs: 2,
    ratio: { high: TOTAL - low, low },
    tells: slope > 0,
    weights: (level) => [TOTAL - low - slope * level, low + slope * level],
    code: (level, word) => Number(word < low + slope * level),
  };
}

/** m-ary randomised response: the own value has what the others leave. */
export function choiceLaw(name: string, stated: unknown): Law {
  const law = table(name, stated, 'levels low');
  const levels = levelsOf(name, law['levels']);
  const low = weight(name, law['low']);
  const high = TOTAL - (levels - 1) * low;
  checkWeights(name, low, high);
  return {
    levels,
    outputs: levels,
    ratio: { high, low },
    tells: high > low,
    weights: (level) => Array.from({ length: levels }, (_, code) => (code === level ? high : low)),
    code(level, word) {
      const position = Math.floor((word - high) / low); // among the other values
      return [level, position + Number(position >= level)][Number(word >= high)]!;
    },
  };
}

/** The clamped two-sided geometric law: anchors at the ends of cells, levels between them. */
function laplaceLaw(name: string, stated: unknown): Law {
  const law = table(name, stated, 'levels cells spread centre tails');
  const levels = levelsOf(name, law['levels']);
  const steps = levels - 1;
  const cells = integer(`${name}.cells`, law['cells'], 1, steps);
  const spread = integer(`${name}.spread`, law['spread'], 1, cells > 1 ? 1 : TOTAL);
  const centre = weight(name, law['centre']);
  const tails = list(`${name}.tails`, law['tails'], cells + 1, cells + LONGEST_MARGIN, weight);
  const margin = tails.length - cells;
  if ([centre, ...tails].some((each) => each < 2 || each % 2)) wrong(name, 'weights must be even and above 0');
  const byDistance = [centre, ...tails.slice(1).map((tail, place) => tails[place]! - tail)];
  if (byDistance.at(-1)! < 1 || byDistance.some((near, place) => near < (byDistance[place + 1] ?? 0))) {
    wrong(name, 'weights must not grow with the distance from the anchor');
  }
  const mixing = spread > 1 ? 1 : steps / divisor(steps, cells);
  const total = centre + 2 * tails[0]!;
  const spare = spareOf(name, mixing * total, 0);
  const outputs = cells + 1 + 2 * margin;
  const anchor = (position: number): number[] =>
    Array.from({ length: outputs }, (_, code) => {
      if (code === 0) return tails[margin + position - 1]!;
      if (code === outputs - 1) return tails[margin + cells - position - 1]!;
      return byDistance[Math.abs(code - margin - position)]!;
    });
  const sums = spread > 1 ? narrowSums() : wideSums();
  const weights = (level: number): number[] => {
    const upTo = sums.upTo(level);
    return Array.from({ length: outputs }, (_, code) => upTo(code) - (code ? upTo(code - 1) : 0));
  };
  return { levels, outputs, ratio: worst(), tells: sums.tells, weights, code };

  function code(level: number, word: number): number {
    return search(sums.upTo(level), outputs, word);
  }

  function wideSums(): { tells: boolean; upTo(level: number): (code: number) => number } {
    const anchors = [0, ...[...tails].reverse(), ...tails.map((tail) => total - tail)];
    const spares = summed(withSpare(new Array<number>(outputs).fill(0), spare));
    const upTo = (level: number): ((code: number) => number) => {
      const place = (level * cells * mixing) / steps;
      const position = Math.floor(place / mixing);
      const part = place - position * mixing;
      const shift = cells - position;
      return (code) =>
        code === outputs - 1
          ? TOTAL
          : (mixing - part) * anchors[code + shift + 1]! + part * anchors[code + shift]! + spares[code]!;
    };
    return { tells: true, upTo };
  }

  function narrowSums(): { tells: boolean; upTo(level: number): (code: number) => number } {
    const [left, right] = [anchor(0), anchor(1)];
    const tilt = left.map((each, place) => {
      const move = right[place]! - each;
      return Math.sign(move) * Math.floor(Math.abs(move) / (2 * steps * spread));
    });
    const even = summed(withSpare(left.map((each, place) => (each + right[place]!) / 2), spare));
    const tilts = summed(tilt);
    return { tells: tilt.some(Boolean), upTo: (level) => (code) => even[code]! + (2 * level - steps) * tilts[code]! };
  }

  /** By symmetry the left half decides; there the first level is the nearest, the last the farthest. */
  function worst(): Ratio {
    const [first, last] = [weights(0), weights(steps)];
    let found: Ratio = { high: 1, low: 1 };
    for (let code = 0; code <= margin; code++) {
      const ratio = { high: first[code]!, low: last[code]! };
      if (BigInt(ratio.high) * BigInt(found.low) > BigInt(found.high) * BigInt(ratio.low)) found = ratio;
    }
    return found;
  }
}

function divisor(one: number, other: number): number {
  return other ? divisor(other, one % other) : one;
}
