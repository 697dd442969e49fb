/** The public encoding of a profile: features in order, and the integer coordinates that they become. */
import { choiceFeature, GRID, levelled, NONE, numberFeature, yesNoFeature, type Column, type Feature } from './features.ts';
import { gridOf } from './grid.ts';
import { distinct, has, integer, list, table, text, wrong, type Reader, type Table } from './stated.ts';
import { asNumber } from './values.ts';

const MOST_COUNTED = 2 ** 18;

export interface Profile {
  readonly coordinates: readonly number[];
  readonly outside: number;
  readonly absent: number;
}

export interface Encoding {
  /** Names of the raw columns in order, null if they have none. */
  readonly rawNames: readonly string[] | null;
  readonly rawWidth: number;
  readonly largest: readonly number[];
  columns(): readonly Column[];
  /** Return the coordinates of a person, whose raw values are given in order. */
  encoded(values: readonly unknown[]): Profile;
}

const width = ({ raw }: Feature): number => (typeof raw === 'number' ? raw : raw.length);

/** Read the features that a question is about. */
export function encodingOf(question: Table): Encoding {
  const features = list(question, 'features', 1, 65_536, featureOf);
  distinct('features', features.map(({ name }) => name));
  const nameless = features.some(({ raw }) => typeof raw === 'number');
  if (nameless && features.filter(width).length > 1) wrong('features'); // numbers without names stand alone
  const rawNames = nameless ? null : distinct('features', features.flatMap(({ raw }) => raw as readonly string[]));
  const all = features.filter(({ countable }) => countable).map(({ name }) => name);
  const counts = features.map(({ of }) => (of === undefined ? [] : (of ?? all)));
  const countable = new Set(all);
  const counted = counts.flat();
  if (counted.length > MOST_COUNTED || counted.some((name) => !countable.has(name))) wrong('features');
  return {
    rawNames,
    rawWidth: features.reduce((sum, feature) => sum + width(feature), 0),
    largest: features.flatMap(({ largest }) => largest),
    columns: () => features.flatMap((feature) => feature.columns()),
    encoded(values) {
      let [start, outside, absent] = [0, 0, 0];
      const own = features.map((feature) => values.slice(start, (start += width(feature))));
      const nonzero = new Map(features.map(({ name }, place) => [name, countNonzero(own[place]!)]));
      const coordinates = features.flatMap((feature, place) => {
        const count = counts[place]!.reduce((sum, name) => sum + nonzero.get(name)!, 0);
        const read = feature.read(feature.of === undefined ? own[place]! : [count]);
        outside += read.outside;
        absent += read.absent;
        return read.coordinates;
      });
      return { coordinates, outside, absent };
    },
  };
}

/** Read a feature of any kind. */
export const featureOf: Reader<Feature> = (holder, key) => {
  const kind = (holder[key] as Table | null)?.['kind'];
  return typeof kind === 'string' && has(READERS, kind) ? READERS[kind]!(holder, key) : wrong(key);
};

function numbersFeature(holder: Table, key: string | number): Feature {
  const stated = table(holder, key, `${GRID} missing count names?`);
  const count = integer(stated, 'count', 1, 2 ** 20);
  const { levels, on } = gridOf(stated);
  const raw = has(stated, 'names') ? distinct('names', list(stated, 'names', count, count, text)) : count;
  return levelled(stated, raw, count, levels, (value) => on(asNumber(value)));
}

function countFeature(holder: Table, key: string | number): Feature {
  const stated = table(holder, key, `${GRID} of?`);
  const { levels, on } = gridOf(stated);
  const of = has(stated, 'of') ? distinct('of', list(stated, 'of', 1, 2 ** 16, text)) : null;
  return { ...levelled(stated, NONE, 1, levels, (value) => on(value as number)), of };
}

const READERS: Readonly<Record<string, Reader<Feature>>> = {
  number: numberFeature,
  'yes-no': yesNoFeature,
  choice: choiceFeature,
  count: countFeature,
  numbers: numbersFeature,
};

/** Return how many raw values are there and not 0. */
function countNonzero(values: readonly unknown[]): number {
  let count = 0;
  for (const value of values) {
    const number = asNumber(value);
    count += +(number === number) & +(number !== 0);
  }
  return count;
}
