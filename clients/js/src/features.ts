/** Raw values of a person, each with its public encoding as integers; one function a kind. */
import { gridOf, MOST_LEVELS, type Grid } from './grid.ts';
import { distinct, integer, integer52, list, oneOf, table, text, wrong, type Table } from './stated.ts';
import { asNumber, asText, isWritten } from './values.ts';

/** What became of a value: its level, its coordinates, and whether it did not fit. */
export interface Read {
  readonly level: number;
  readonly coordinates: readonly number[];
  readonly outside: number;
  readonly absent: number;
}

/** A raw column, as a form that asks for it wants to know it. */
export interface Column {
  readonly name: string;
  readonly kind: 'number' | 'yes-no' | 'choice';
  readonly low: number | null;
  readonly high: number | null;
  readonly thresholds: readonly number[];
  /** The values of a choice, as text. */
  readonly values: readonly string[];
  /** What a missing value counts as: `midpoint`, `low`, `high`, `yes`, `no`, or a value of the choice. */
  readonly missing: string;
}

export interface Feature {
  readonly kind: string;
  readonly name: string;
  /** Names of its raw columns; a number if they have none. */
  readonly raw: readonly string[] | number;
  readonly levels: number;
  /** What its coordinates are at most, in magnitude. */
  readonly largest: readonly number[];
  /** Names of the features that it counts, null for all; undefined if it is no count. */
  readonly of?: readonly string[] | null;
  /** Raw columns for a form. */
  readonly forms: readonly Column[];
  read(values: readonly unknown[], counted: number): Read;
}

const SCALE = 2 ** 40;
const MOST_NUMBERS = 2 ** 20;
const GRID = 'low? high? levels thresholds sqrt';

const READERS: Readonly<Record<string, (name: string, stated: unknown) => Feature>> = {
  number: numberFeature,
  'yes-no': yesNoFeature,
  choice: choiceFeature,
  count: countFeature,
  numbers: numbersFeature,
};

/** Read a feature of any kind. */
export function featureOf(name: string, stated: unknown): Feature {
  const kind = (stated as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(READERS, kind)) wrong(`${name}.kind`, 'is not a kind of feature');
  return READERS[kind]!(name, stated);
}

/** Return a number of the raw values that are there and not 0. */
export function countNonzero(values: readonly unknown[]): number {
  let count = 0;
  for (const value of values) {
    const number = asNumber(value);
    count += Number(!Number.isNaN(number)) & Number(number !== 0);
  }
  return count;
}

export function numberFeature(name: string, stated: unknown, more = ''): Feature {
  const fields = table(name, stated, `kind name missing scale centre ${GRID}${more}`);
  const own = text(`${name}.name`, fields['name']);
  const grid = gridOf(name, fields);
  const form = formOf(own, grid, fields);
  return { ...single(name, 'number', own, fields, grid.levels, (value) => grid.on(asNumber(value))), forms: [form] };
}

export function yesNoFeature(name: string, stated: unknown, more = ''): Feature {
  const fields = table(name, stated, `kind name missing scale centre${more}`);
  const own = text(`${name}.name`, fields['name']);
  const missing = oneOf(`${name}.missing`, fields['missing'], 'no yes');
  const standIn = Number(missing === 'yes');
  const read = (value: unknown): { level: number; outside: boolean; absent: boolean } => {
    const number = asNumber(value);
    const neither = Number.isNaN(number);
    const written = isWritten(value);
    return { level: neither ? standIn : Number(number !== 0), outside: neither && written, absent: neither && !written };
  };
  const form: Column = { name: own, kind: 'yes-no', low: null, high: null, thresholds: [], values: [], missing };
  return { ...single(name, 'yes-no', own, fields, 2, read), forms: [form] };
}

export function choiceFeature(name: string, stated: unknown, more = ''): Feature {
  const fields = table(name, stated, `kind name values otherwise scale centre${more}`);
  const own = text(`${name}.name`, fields['name']);
  const values = list(`${name}.values`, fields['values'], 2, MOST_LEVELS, valueText);
  distinct(`${name}.values`, values);
  const otherwise = values.indexOf(valueText(`${name}.otherwise`, fields['otherwise']));
  if (otherwise < 0) wrong(`${name}.otherwise`, 'must be one of the values');
  const { scale, centre } = encodingOf(name, fields);
  const most = Math.max(Math.abs(centre), Math.abs(scale - centre));
  const form = { name: own, kind: 'choice', low: null, high: null, thresholds: [], values } as const;
  return {
    kind: 'choice',
    name: own,
    raw: [own],
    levels: values.length,
    largest: values.map(() => most),
    forms: [{ ...form, missing: values[otherwise]! }],
    read([raw]) {
      const said = asText(raw);
      let [known, place] = [0, 0];
      values.forEach((value, each) => {
        const same = Number(said === value);
        known |= same;
        place += each * same;
      });
      const level = known ? place : otherwise;
      const coordinates = values.map((_, each) => scale * Number(each === level) - centre);
      return { level, coordinates, outside: Number(!known && said !== null), absent: Number(said === null) };
    },
  };
}

function countFeature(name: string, stated: unknown): Feature {
  const fields = table(name, stated, `kind name of? scale centre ${GRID}`);
  const own = text(`${name}.name`, fields['name']);
  const of = Object.hasOwn(fields, 'of') ? distinct(`${name}.of`, list(`${name}.of`, fields['of'], 1, 2 ** 16, text)) : null;
  const grid = gridOf(name, fields, true);
  const { scale, centre } = encodingOf(name, fields);
  return {
    kind: 'count',
    name: own,
    raw: [],
    levels: grid.levels,
    largest: [largestOf(grid.levels, scale, centre)],
    forms: [],
    of,
    read(_, counted) {
      const { level, outside } = grid.on(counted);
      return { level, coordinates: [scale * level - centre], outside: Number(outside), absent: 0 };
    },
  };
}

function numbersFeature(name: string, stated: unknown): Feature {
  const fields = table(name, stated, `kind name count missing scale centre names? ${GRID}`);
  const own = text(`${name}.name`, fields['name']);
  const count = integer(`${name}.count`, fields['count'], 1, MOST_NUMBERS);
  const grid = gridOf(name, fields);
  const one = Array.isArray(fields['scale']) ? null : encodingOf(name, fields);
  if (one === null) integer(`${name}.centre`, fields['centre'], 0, 0);
  const scales = one ? null : list(`${name}.scale`, fields['scale'], count, count, scaleOf);
  const centre = one?.centre ?? 0;
  const names = Object.hasOwn(fields, 'names')
    ? distinct(`${name}.names`, list(`${name}.names`, fields['names'], count, count, text))
    : null;
  const scaleAt = (place: number): number => (scales ? scales[place]! : one!.scale);
  return {
    kind: 'numbers',
    name: own,
    raw: names ?? count,
    levels: grid.levels,
    largest: Array.from({ length: count }, (_, place) => largestOf(grid.levels, scaleAt(place), centre)),
    get forms() {
      return (names ?? Array.from({ length: count }, (_, place) => `${own} ${place}`)).map((each) =>
        formOf(each, grid, fields),
      );
    },
    read(values) {
      const each = values.map((value) => grid.on(asNumber(value)));
      const sum = (what: 'outside' | 'absent'): number => each.reduce((total, one) => total + Number(one[what]), 0);
      const coordinates = each.map(({ level }, place) => scaleAt(place) * level - centre);
      return { level: 0, coordinates, outside: sum('outside'), absent: sum('absent') };
    },
  };
}

/** A feature of one raw value with one coordinate, `scale * level - centre`. */
function single(
  name: string,
  kind: string,
  own: string,
  fields: Table,
  levels: number,
  on: (value: unknown) => { level: number; outside: boolean; absent: boolean },
): Omit<Feature, 'forms'> {
  const { scale, centre } = encodingOf(name, fields);
  return {
    kind,
    name: own,
    raw: [own],
    levels,
    largest: [largestOf(levels, scale, centre)],
    read([value]) {
      const { level, outside, absent } = on(value);
      return { level, coordinates: [scale * level - centre], outside: Number(outside), absent: Number(absent) };
    },
  };
}

function encodingOf(name: string, fields: Table): { scale: number; centre: number } {
  return { scale: scaleOf(`${name}.scale`, fields['scale']), centre: integer52(`${name}.centre`, fields['centre']) };
}

function scaleOf(name: string, value: unknown): number {
  return integer(name, value, -SCALE, SCALE);
}

function largestOf(levels: number, scale: number, centre: number): number {
  return Math.max(Math.abs(centre), Math.abs(scale * (levels - 1) - centre));
}

function valueText(name: string, value: unknown): string {
  return typeof value === 'string' ? text(name, value) : String(integer52(name, value));
}

function formOf(name: string, grid: Grid, fields: Table): Column {
  const { low, high, thresholds } = grid;
  return { name, kind: 'number', low, high, thresholds, values: [], missing: String(fields['missing']) };
}

