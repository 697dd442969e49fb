/** Questions: what a device computes from its own values, and the exact law by which it answers. */
import type { NearestLaw } from './directions.ts';
import { compareRatios, type Ratio } from './exact.ts';
import { choiceFeature, numberFeature, yesNoFeature, type Column, type Feature } from './features.ts';
import { clip } from './grid.ts';
import { choiceLaw, MECHANISMS, type Law } from './laws.ts';
import { list, oneOf, wrong, type Reader, type Table } from './stated.ts';

/** Who answers: public. */
export interface Asked {
  readonly campaign: string;
  readonly question: number;
  readonly node: Uint8Array;
  /** The classes that this person is asked about, and what is added to their scores; null if it is all of them. */
  readonly personal: Personal | null;
}

export interface Personal {
  readonly classes: readonly number[];
  readonly offsets: readonly number[];
}

/** An answer before any noise: private. Its level selects a row of the law's weights; a direction has scores instead. */
export interface Answer {
  readonly level: number | null;
  readonly missing: number;
  readonly outside: number;
  code(word: number): number;
}

export interface Question {
  readonly kind: string;
  readonly title: string;
  /** What each level of a choice, a yes or no or a model means; none where levels are numbers or directions. */
  readonly options: readonly string[];
  readonly rawNames: readonly string[] | null;
  readonly rawWidth: number;
  /** The raw columns, for a form. */
  columns(): readonly Column[];
  /** Its laws: one, or one for each number of classes that people are asked about. */
  readonly laws: readonly (Law | NearestLaw)[];
  /** The worst quotient of its laws. */
  readonly ratio: Ratio;
  /** Components of public directions that a report takes. */
  readonly components: number;
  lawFor(personal: Personal | null): Law | NearestLaw;
  answer(values: readonly unknown[], asked: Asked): Answer;
}

export type Sizes = readonly number[] | null;
type AnyLaw = Law | NearestLaw;
export type Own = Pick<Question, 'title' | 'options' | 'rawNames' | 'rawWidth' | 'columns'>;
export type Answering = (values: readonly unknown[], law: AnyLaw, asked: Asked) => Answer;

/** Kinds of questions that are answered from a whole profile: they are read by a module of their own, taught.ts. */
export const TAUGHT: readonly unknown[] = ['direction', 'model', 'score'];

export type Taught = Pick<typeof import('./taught.ts'), 'taughtOf'>;

/** Read a question; `sizes` are the numbers of classes that people are asked about, if these are personal. */
export function questionOf(holder: Table, key: string | number, sizes: Sizes, taught: Taught | null): Question {
  const stated = holder[key] as Table;
  switch ((stated as Table | null)?.['kind']) {
    case 'number':
      return aboutFeature(stated, numberFeature(holder, key, ' mechanism laws'), mechanismOf(stated));
    case 'yes-no':
      return aboutFeature(stated, yesNoFeature(holder, key, ' laws'), MECHANISMS['multibit']!, ['no', 'yes']);
    case 'choice':
      return aboutFeature(stated, choiceFeature(holder, key, ' laws'), choiceLaw);
    default:
      return taught ? taught.taughtOf(holder, key, sizes) : wrong(key);
  }
}

export function mechanismOf(stated: Table): Reader<Law> {
  return MECHANISMS[oneOf(stated, 'mechanism', Object.keys(MECHANISMS))]!;
}

/** Give a question its laws, as the document has them: one for each of some numbers of levels. */
export function asking(
  stated: Table,
  own: Own,
  read: Reader<AnyLaw>,
  levels: readonly number[],
  answer: Answering,
  components = 0,
): Question {
  const laws = list(stated, 'laws', levels.length, levels.length, read);
  // A law is of the grid of its question, and says something.
  if (laws.some((law, place) => ('levels' in law ? law.levels : law.outputs) !== levels[place] || !law.tells)) wrong('laws');
  const ratio = laws.map((law) => law.ratio).sort(compareRatios)[0]!;
  const lawFor = (personal: Personal | null): AnyLaw => laws[personal ? levels.indexOf(personal.classes.length) : 0]!;
  return {
    ...own,
    kind: stated['kind'] as string,
    laws,
    ratio,
    components,
    lawFor,
    answer: (values, asked) => answer(values, lawFor(asked.personal), asked),
  };
}

function aboutFeature(stated: Table, feature: Feature, read: Reader<Law>, options?: readonly string[]): Question {
  const { name, levels } = feature;
  const columns = (): readonly Column[] => feature.columns();
  const own = { title: name, options: options ?? columns()[0]!.values, rawNames: [name], rawWidth: 1, columns };
  return asking(stated, own, read, [levels], (values, law) => {
    const { level, absent, outside } = feature.read(values);
    return answered(law as Law, level, absent, outside);
  });
}

/** A law promises nothing for what is not one of its levels, so none other gets there. */
export function answered(law: Law, computed: number, missing: number, outside: number): Answer {
  const level = clip(computed, 0, law.levels - 1);
  return { level, missing, outside, code: (word) => law.code(level, word) };
}

