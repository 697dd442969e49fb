/** The public encoding of a profile: features in order, and the integer coordinates that they become. */
import { countNonzero, featureOf, type Column, type Feature } from './features.ts';
import { distinct, list, wrong } from './stated.ts';

const MOST_FEATURES = 65_536;
const MOST_COUNTED = 2 ** 18;

export interface Profile {
  readonly coordinates: readonly number[];
  readonly outside: number;
  readonly absent: number;
}

export interface Encoding {
  readonly features: number;
  /** Names of the raw columns in order, null if they have none. */
  readonly rawNames: readonly string[] | null;
  readonly rawWidth: number;
  readonly largest: readonly number[];
  readonly forms: () => readonly Column[];
  /** Return the coordinates of a person, whose raw values are given in order. */
  encoded(values: readonly unknown[]): Profile;
}

const width = (feature: Feature): number => (typeof feature.raw === 'number' ? feature.raw : feature.raw.length);

export function encodingOf(name: string, stated: unknown): Encoding {
  const features = list(name, stated, 1, MOST_FEATURES, featureOf);
  distinct(`${name}: names`, features.map((feature) => feature.name));
  const nameless = features.some((feature) => typeof feature.raw === 'number');
  if (nameless && features.filter((feature) => width(feature) > 0).length > 1) {
    wrong(name, 'numbers without names must stand alone');
  }
  const rawNames = nameless ? null : features.flatMap((feature) => feature.raw as readonly string[]);
  distinct(`${name}: names of raw columns`, rawNames ?? []);
  const counts = countsOf(name, features);
  return {
    features: features.length,
    rawNames,
    rawWidth: features.reduce((sum, feature) => sum + width(feature), 0),
    largest: features.flatMap((feature) => feature.largest),
    forms: () => features.flatMap((feature) => feature.forms),
    encoded(values) {
      let start = 0;
      const own = features.map((feature) => values.slice(start, (start += width(feature))));
      const nonzero = new Map(features.map((feature, place) => [feature.name, countNonzero(own[place]!)]));
      const parts = features.map((feature, place) => {
        const counted = counts[place]!.reduce((sum, each) => sum + nonzero.get(each)!, 0);
        return feature.read(own[place]!, counted);
      });
      return {
        coordinates: parts.flatMap((part) => part.coordinates),
        outside: parts.reduce((sum, part) => sum + part.outside, 0),
        absent: parts.reduce((sum, part) => sum + part.absent, 0),
      };
    },
  };
}

/** Return what each feature counts, by name: nothing, unless it is a count. */
function countsOf(name: string, features: readonly Feature[]): (readonly string[])[] {
  const all = features.filter(({ kind }) => kind !== 'count' && kind !== 'choice').map((feature) => feature.name);
  const countable = new Set(all);
  const counts = features.map(({ of }) => (of === undefined ? [] : (of ?? all)));
  if (counts.some((each) => each.some((counted) => !countable.has(counted)))) {
    wrong(name, 'counts what is not a number or an answer of this encoding');
  }
  if (counts.reduce((sum, each) => sum + each.length, 0) > MOST_COUNTED) wrong(name, 'counts too much');
  return counts;
}
