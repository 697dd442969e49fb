/** Questions: what a device computes from its own values, and the exact law by which it answers. */
import { directionScores, LARGEST, MOST_DIRECTIONS, nearestLaw, RULE, type NearestLaw } from './directions.ts';
import { encodingOf, type Encoding } from './encoding.ts';
import { compareRatios, type Ratio } from './exact.ts';
import { choiceFeature, numberFeature, yesNoFeature, type Column, type Feature } from './features.ts';
import { MOST_LEVELS } from './grid.ts';
import { choiceLaw, MECHANISMS, type Law } from './laws.ts';
import { TOTAL } from './random.ts';
import { MODEL_FIELDS, scorerOf } from './scores.ts';
import { distinct, integer, integer52, list, oneOf, table, text, wrong, type Table } from './stated.ts';

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
  readonly kind: 'number' | 'yes-no' | 'choice' | 'direction' | 'model' | 'score';
  readonly title: string;
  /** What each level of a choice, a yes or no or a model means; none where levels are numbers or directions. */
  readonly options: readonly string[];
  readonly rawNames: readonly string[] | null;
  readonly rawWidth: number;
  /** The raw columns, for a form. */
  readonly forms: () => readonly Column[];
  /** Its laws: one, or one for each number of classes that people are asked about. */
  readonly laws: readonly (Law | NearestLaw)[];
  readonly ratio: Ratio;
  /** Components of public directions that a report takes. */
  readonly components: number;
  lawFor(personal: Personal | null): Law | NearestLaw;
  answer(values: readonly unknown[], asked: Asked): Answer;
}

type Sizes = readonly number[] | null;
type Own = Pick<Question, 'kind' | 'title' | 'options' | 'rawNames' | 'rawWidth' | 'forms' | 'answer'>;

const READERS: Readonly<Record<string, (name: string, stated: Table, sizes: Sizes) => Question>> = {
  number: (name, stated) => {
    const feature = numberFeature(name, stated, ' mechanism laws');
    return aboutFeature(name, stated, 'number', feature, mechanismOf(name, stated));
  },
  'yes-no': (name, stated) =>
    aboutFeature(name, stated, 'yes-no', yesNoFeature(name, stated, ' laws'), MECHANISMS['multibit']!),
  choice: (name, stated) => aboutFeature(name, stated, 'choice', choiceFeature(name, stated, ' laws'), choiceLaw),
  direction,
  model,
  score,
};

/** Read a question; `sizes` are the numbers of classes that people are asked about, if these are personal. */
export function questionOf(name: string, stated: unknown, sizes: Sizes): Question {
  const kind = (stated as { kind?: unknown } | null)?.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(READERS, kind)) wrong(`${name}.kind`, 'is not a kind of question');
  return READERS[kind]!(name, stated as Table, sizes);
}

function mechanismOf(name: string, stated: Table): (name: string, stated: unknown) => Law {
  return MECHANISMS[oneOf(`${name}.mechanism`, stated['mechanism'], Object.keys(MECHANISMS).join(' '))]!;
}

/** Give a question its laws, as the document has them: one for each of some numbers of levels. */
function withLaws(
  name: string,
  stated: Table,
  read: (name: string, stated: unknown) => Law | NearestLaw,
  levels: readonly number[],
  own: Own,
  components = 0,
): Question {
  const laws = list(`${name}.laws`, stated['laws'], levels.length, levels.length, read);
  laws.forEach((law, place) => {
    if (('levels' in law ? law.levels : law.outputs) !== levels[place]) wrong(`${name}.laws`, 'is of another grid');
    if (!law.tells) wrong(`${name}.laws`, 'the answer would say nothing');
  });
  const ratio = laws.map((law) => law.ratio).sort(compareRatios)[0]!;
  const lawFor = (personal: Personal | null): Law | NearestLaw =>
    laws[personal ? levels.indexOf(personal.classes.length) : 0]!;
  return { ...own, laws, ratio, components, lawFor };
}

function aboutFeature(
  name: string,
  stated: Table,
  kind: 'number' | 'yes-no' | 'choice',
  feature: Feature,
  read: (name: string, stated: unknown) => Law,
): Question {
  const question: Question = withLaws(name, stated, read, [feature.levels], {
    kind,
    title: feature.name,
    options: kind === 'yes-no' ? ['no', 'yes'] : feature.forms[0]!.values,
    rawNames: [feature.name],
    rawWidth: 1,
    forms: () => feature.forms,
    answer(values) {
      const { level, absent, outside } = feature.read(values, 0);
      return answered(question.laws[0] as Law, level, absent, outside);
    },
  });
  return question;
}

function direction(name: string, stated: Table): Question {
  table(name, stated, 'kind directions rule features laws');
  const encoding = encodingOf(`${name}.features`, stated['features']);
  const directions = integer(`${name}.directions`, stated['directions'], 2, MOST_DIRECTIONS);
  oneOf(`${name}.rule`, stated['rule'], RULE);
  const reach = LARGEST * encoding.largest.reduce((sum, most) => sum + most, 0);
  if (!(reach < TOTAL)) wrong(name, 'an inner product could reach 2**53');
  const question: Question = withLaws(
    name,
    stated,
    nearestLaw,
    [directions],
    {
      ...about(encoding),
      kind: 'direction',
      title: 'direction',
      options: [],
      answer(values, asked) {
        const { coordinates, absent, outside } = encoding.encoded(values);
        const scores = directionScores(asked.campaign, asked.question, asked.node, directions, coordinates);
        const law = question.laws[0] as NearestLaw;
        return { level: null, missing: absent, outside, code: (word) => law.code(scores, word) };
      },
    },
    directions * encoding.largest.length,
  );
  return question;
}

function model(name: string, stated: Table, sizes: Sizes): Question {
  table(name, stated, `${MODEL_FIELDS} classes`);
  const encoding = encodingOf(`${name}.features`, stated['features']);
  const classes = list(`${name}.classes`, stated['classes'], 2, MOST_LEVELS, text);
  distinct(`${name}.classes`, classes);
  if (sizes && sizes.at(-1)! > classes.length) wrong('assignment', 'assigns more classes than the question has');
  const scorer = scorerOf(name, stated, encoding, classes.length);
  const question: Question = withLaws(name, stated, choiceLaw, sizes ?? [classes.length], {
    ...about(encoding),
    kind: 'model',
    title: 'model',
    options: classes,
    answer(values, { personal }) {
      const { coordinates, absent, outside } = encoding.encoded(values);
      const each = scorer(coordinates);
      const scores = personal ? personal.classes.map((place, i) => each[place]! + personal.offsets[i]!) : each;
      let level = 0;
      for (let place = 1; place < scores.length; place++) {
        level += (place - level) * Number(scores[place]! > scores[level]!); // the first of equal ones
      }
      return answered(question.lawFor(personal) as Law, level, absent, outside);
    },
  });
  return question;
}

function score(name: string, stated: Table): Question {
  table(name, stated, `${MODEL_FIELDS} low high levels mechanism name`);
  const encoding = encodingOf(`${name}.features`, stated['features']);
  const levels = integer(`${name}.levels`, stated['levels'], 2, MOST_LEVELS);
  const [low, high] = [integer52(`${name}.low`, stated['low']), integer52(`${name}.high`, stated['high'])];
  const span = high - low;
  if (!(span > 0 && 2 * span * levels < TOTAL)) wrong(name, 'low must be below high, not too far');
  const scorer = scorerOf(name, stated, encoding, 1);
  const title = text(`${name}.name`, stated['name']);
  const question: Question = withLaws(name, stated, mechanismOf(name, stated), [levels], {
    ...about(encoding),
    kind: 'score',
    title,
    options: [],
    answer(values) {
      const { coordinates, absent, outside } = encoding.encoded(values);
      const above = Math.min(Math.max(scorer(coordinates)[0]!, low), high) - low;
      const level = Math.floor((2 * above * (levels - 1) + span) / (2 * span)); // the nearest, halves upwards
      return answered(question.laws[0] as Law, level, absent, outside);
    },
  });
  return question;
}

function about(encoding: Encoding): Pick<Question, 'rawNames' | 'rawWidth' | 'forms'> {
  return { rawNames: encoding.rawNames, rawWidth: encoding.rawWidth, forms: encoding.forms };
}

/** A law promises nothing for what is not one of its levels, so none other gets there. */
export function answered(law: Law, computed: number, missing: number, outside: number): Answer {
  const level = Math.min(Math.max(computed, 0), law.levels - 1);
  return { level, missing, outside, code: (word) => law.code(level, word) };
}
