/** Raw values of a person, each with its public encoding as integers; one function a kind. */
import { gridOf, type OnGrid } from './grid.ts';
import { filled, MOST_LEVELS } from './laws.ts';
import { distinct, integer, integer52, list, oneOf, table, text, wrong, type Reader, type Table } from './stated.ts';
import { asNumber, asText, isWritten } from './values.ts';

/** A level, and whether the value did not fit; and the integer coordinates of the value. */
export interface Read extends OnGrid {
  readonly coordinates: readonly number[];
}

/** A raw column, as a form that asks for it wants to know it. */
export interface Column {
  readonly name: string;
  readonly kind: 'number' | 'yes-no' | 'choice';
  /** Bounds of a number, if it has any. */
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** The values of a choice, as text; none for other kinds. */
  readonly values: readonly string[];
  /** What a missing value counts as: `midpoint`, `low`, `high`, `yes`, `no`, or a value of the choice. */
  readonly missing: string;
}

export interface Feature {
  readonly name: string;
  /** Names of its raw columns; how many there are, if they have none. */
  readonly raw: readonly string[] | number;
  readonly levels: number;
  /** What its coordinates are at most, in magnitude. */
  readonly largest: readonly number[];
  /** Names of the features that it counts (null: all); undefined if it is no count. */
  readonly of?: readonly string[] | null | undefined;
  /** Whether a count can be of it. */
  readonly countable: boolean;
  /** Its raw columns, for a form. */
  columns(): readonly Column[];
  /** Return what becomes of its raw values; those of a count are the one number that was counted. */
  read(values: readonly unknown[]): Read;
}

export const GRID = 'kind name scale centre low? high? levels thresholds sqrt';
const scale: Reader<number> = (holder, key) => integer(holder, key, -(2 ** 40), 2 ** 40);

/** Features whose values each have one coordinate, `scale * level - centre`. */
export function levelled(
  stated: Table,
  raw: readonly string[] | number,
  count: number,
  levels: number,
  on: (value: unknown) => OnGrid,
  kind: 'number' | 'yes-no' = 'number',
): Feature {
  const each = Array.isArray(stated['scale']) && list(stated, 'scale', count, count, scale);
  const scales = each || new Array<number>(count).fill(scale(stated, 'scale'));
  const centre = each ? integer(stated, 'centre', 0, 0) : integer52(stated, 'centre');
  return {
    name: text(stated, 'name'),
    raw,
    levels,
    largest: scales.map((one) => Math.max(Math.abs(centre), Math.abs(one * (levels - 1) - centre))),
    countable: raw !== NONE,
    columns: () => columnsOf(typeof raw === 'number' ? filled(raw, String) : raw, kind, stated),
    read(values) {
      let [level, outside, absent] = [0, 0, 0];
      const coordinates = scales.map((one, place) => {
        const got = on(values[place]);
        level = got.level;
        outside += got.outside;
        absent += got.absent;
        return one * level - centre;
      });
      return { level, outside, absent, coordinates };
    },
  };
}

/** Of a feature that is counted from others. */
export const NONE: readonly string[] = [];

function columnsOf(names: readonly string[], kind: 'number' | 'yes-no', stated: Table): Column[] {
  const { low, high, missing } = stated as { low?: number; high?: number; missing: string };
  return names.map((name) => ({ name, kind, low, high, values: [], missing }));
}

export function numberFeature(holder: Table, key: string | number, more = ''): Feature {
  const stated = table(holder, key, `${GRID} missing${more}`);
  const { levels, on } = gridOf(stated);
  return levelled(stated, [text(stated, 'name')], 1, levels, (value) => on(asNumber(value)));
}

export function yesNoFeature(holder: Table, key: string | number, more = ''): Feature {
  const stated = table(holder, key, `kind name missing scale centre${more}`);
  const standIn = +(oneOf(stated, 'missing', ['no', 'yes']) === 'yes');
  const on = (value: unknown): OnGrid => {
    const number = asNumber(value);
    const [neither, written] = [+(number !== number), +isWritten(value)];
    return { level: neither ? standIn : +(number !== 0), outside: neither & written, absent: neither & (1 - written) };
  };
  return levelled(stated, [text(stated, 'name')], 1, 2, on, 'yes-no');
}

export function choiceFeature(holder: Table, key: string | number, more = ''): Feature {
  const stated = table(holder, key, `kind name values otherwise scale centre${more}`);
  const name = text(stated, 'name');
  const values = list(stated, 'values', 2, MOST_LEVELS, valueText);
  distinct('values', values);
  const otherwise = values.indexOf(valueText(stated, 'otherwise'));
  if (otherwise < 0) wrong('otherwise');
  const [own, centre] = [scale(stated, 'scale'), integer52(stated, 'centre')];
  return {
    name,
    raw: [name],
    levels: values.length,
    largest: values.map(() => Math.max(Math.abs(centre), Math.abs(own - centre))),
    countable: false,
    columns: () => [{ name, kind: 'choice', values, missing: values[otherwise]! }],
    read([raw]) {
      const said = asText(raw);
      let [known, place] = [0, 0];
      values.forEach((value, each) => {
        const same = +(said === value);
        known |= same;
        place += each * same;
      });
      const level = known ? place : otherwise;
      const absent = +(said === null);
      const coordinates = values.map((_, each) => own * +(each === level) - centre);
      return { level, coordinates, outside: 1 - known - absent, absent };
    },
  };
}

const valueText: Reader<string> = (holder, key) =>
  typeof holder[key] === 'string' ? text(holder, key) : String(integer52(holder, key));
