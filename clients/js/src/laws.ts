/**
 * Exact integer laws: a word below 2**53 and an input level select an output code. Every sampler runs the same
 * instructions for every level and word. The proofs are in docs/laws.md; why numbers are exact here, in exact.ts.
 */
import { compareRatios, type Ratio } from './exact.ts';
import { TOTAL } from './random.ts';
import { integer, list, table, wrong, type Reader, type Table } from './stated.ts';

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

export const MOST_LEVELS = 4097;
const LONGEST_MARGIN = 4969;

/** The laws of numbers by the name that documents use. */
export const MECHANISMS: Readonly<Record<string, Reader<Law>>> = {
  hds: windowLaw,
  piecewise: windowLaw,
  multibit: multiBitLaw,
  laplace: laplaceLaw,
  choice: choiceLaw,
};

export const weight: Reader<number> = (holder, key) => integer(holder, key, 0, TOTAL);

/** Read weights of outputs that are less and more likely. */
export function lowAndHigh(law: Table): [number, number] {
  const [low, high] = [weight(law, 'low'), weight(law, 'high')];
  return low >= 1 && low <= high ? [low, high] : wrong('low');
}

/** Return what two kinds of weights leave of 2**53; less than nothing is refused. */
export function spareOf(inside: number, outside: number): number {
  return inside <= TOTAL && outside <= TOTAL - inside ? TOTAL - inside - outside : wrong('law');
}

/** Add to a row of weights what is left of 2**53, in halves to its two middle codes. */
function withSpare(row: number[], spare: number): number[] {
  const half = Math.floor(spare / 2);
  row[(row.length - 1) >> 1]! += half;
  row[row.length >> 1]! += spare - half;
  return row;
}

/** Return a list that a function fills, by place. */
export function filled<Entry>(length: number, entry: (place: number) => Entry): Entry[] {
  return Array.from({ length }, (_, place) => entry(place));
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
    code += (probe - code) * +(upTo(probe - 1) <= word);
  }
  return code;
}

function levelsOf(law: Table): number {
  return integer(law, 'levels', 2, MOST_LEVELS);
}

/** The square wave and the piecewise mechanism: weight `high` in a window of outputs, `low` elsewhere. */
function windowLaw(holder: Table, key: string | number): Law {
  const law = table(holder, key, 'levels window high low');
  const levels = levelsOf(law);
  const steps = levels - 1;
  const window = integer(law, 'window', 1, steps);
  const [low, high] = lowAndHigh(law);
  const outputs = steps + window;
  const inside = high * window; // words that select an output of the window
  const spare = spareOf(inside, low * steps);
  if (outputs % 2 === 0 && spare % 2) wrong('law'); // two middle outputs must share it
  const chosen = inside + low * steps;
  const upperSpare = chosen + Math.floor(spare / 2);
  const weights = (level: number): number[] =>
    withSpare(
      filled(outputs, (code) => (code >= level && code < level + window ? high : low)),
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
      const outside = position + window * +(position >= level);
      const each = [level + Math.floor(word / high), outside, (outputs - 1) >> 1, outputs >> 1];
      return each[+(word >= inside) + +(word >= chosen) + +(word >= upperSpare)]!;
    },
  };
}

/** The two-point law: the weight of output 1 grows by `slope` with each level. */
function multiBitLaw(holder: Table, key: string | number): Law {
  const law = table(holder, key, 'levels slope');
  const levels = levelsOf(law);
  const slope = weight(law, 'slope');
  const swing = slope * (levels - 1);
  if (swing > TOTAL - 2 || swing % 2) wrong('slope');
  const low = (TOTAL - swing) / 2;
  return {
    levels,
    outputs: 2,
    ratio: { high: TOTAL - low, low },
    tells: slope > 0,
    weights: (level) => [TOTAL - low - slope * level, low + slope * level],
    code: (level, word) => +(word < low + slope * level),
  };
}

/** m-ary randomised response: the own value has what the others leave. */
export function choiceLaw(holder: Table, key: string | number): Law {
  const law = table(holder, key, 'levels low');
  const levels = levelsOf(law);
  const low = weight(law, 'low');
  const high = TOTAL - (levels - 1) * low;
  if (low < 1 || high < low) wrong('low');
  return {
    levels,
    outputs: levels,
    ratio: { high, low },
    tells: high > low,
    weights: (level) => filled(levels, (code) => (code === level ? high : low)),
    code(level, word) {
      const position = Math.floor((word - high) / low); // among the other values
      return [level, position + +(position >= level)][+(word >= high)]!;
    },
  };
}

/** The clamped two-sided geometric law: anchors at the ends of cells, levels between them. */
function laplaceLaw(holder: Table, key: string | number): Law {
  const law = table(holder, key, 'levels cells spread centre tails');
  const levels = levelsOf(law);
  const steps = levels - 1;
  const cells = integer(law, 'cells', 1, steps);
  const narrow = integer(law, 'spread', 1, cells > 1 ? 1 : TOTAL) > 1;
  const centre = weight(law, 'centre');
  const tails = list(law, 'tails', cells + 1, cells + LONGEST_MARGIN, weight);
  const margin = tails.length - cells;
  const byDistance = [centre, ...tails.slice(1).map((tail, place) => tails[place]! - tail)];
  // All even and above 0, and none grows with the distance from the anchor.
  if ([centre, ...tails].some((each) => each < 2 || each % 2)) wrong('tails');
  if (byDistance.some((near, place) => near < (byDistance[place + 1] ?? 1))) wrong('tails');
  const mixing = narrow ? 1 : steps / divisor(steps, cells);
  const total = centre + 2 * tails[0]!;
  const spare = spareOf(mixing * total, 0);
  const outputs = cells + 1 + 2 * margin;
  const [tells, upTo] = narrow ? narrowSums() : wideSums();
  const weights = (level: number): number[] => {
    const sums = upTo(level);
    return filled(outputs, (code) => (code < outputs - 1 ? sums(code) : TOTAL) - (code ? sums(code - 1) : 0));
  };
  const [first, last] = [weights(0), weights(steps)];
  // By symmetry the left half decides; there the first level is the nearest, the last the farthest.
  const ratios = filled(margin + 1, (code) => ({ high: first[code]!, low: last[code]! }));
  const code = (level: number, word: number): number => search(upTo(level), outputs, word);
  return { levels, outputs, ratio: ratios.sort(compareRatios)[0]!, tells, weights, code };

  /** A level mixes the rows of the two anchors beside it. */
  function wideSums(): Sums {
    const anchors = [0, ...[...tails].reverse(), ...tails.map((tail) => total - tail)];
    const spares = summed(withSpare(new Array<number>(outputs).fill(0), spare));
    const sums = (level: number): ((code: number) => number) => {
      const place = (level * cells * mixing) / steps;
      const position = Math.floor(place / mixing);
      const part = place - position * mixing;
      const shift = cells - position;
      return (code) => (mixing - part) * anchors[code + shift + 1]! + part * anchors[code + shift]! + spares[code]!;
    };
    return [true, sums];
  }

  /** Both anchors lie far apart: the level tilts their mean a little. */
  function narrowSums(): Sums {
    const [left, right] = [anchor(0), anchor(1)];
    const share = 2 * steps * (law['spread'] as number);
    const tilt = left.map((each, place) => Math.trunc((right[place]! - each) / share));
    const even = summed(withSpare(left.map((each, place) => (each + right[place]!) / 2), spare));
    const tilts = summed(tilt);
    return [tilt.some(Boolean), (level) => (code) => even[code]! + (2 * level - steps) * tilts[code]!];
  }

  function anchor(position: number): number[] {
    const row = filled(outputs, (code) => byDistance[Math.abs(code - margin - position)]!);
    row[0] = tails[margin + position - 1]!;
    row[outputs - 1] = tails[margin + cells - position - 1]!;
    return row;
  }
}

/** Whether a level matters, and the weight up to a code for each level. */
type Sums = [boolean, (level: number) => (code: number) => number];

function divisor(one: number, other: number): number {
  return other ? divisor(other, one % other) : one;
}
