/**
 * Questions about a whole profile: the nearest public direction, the class or the score of a public model. Few campaigns ask
 * them, so this is a module of its own (dist/taught.js); which one needs it, its public document says.
 */
import { directionScores, LARGEST, MOST_DIRECTIONS, nearestLaw, RULE, type NearestLaw } from './directions.ts';
import { encodingOf, type Encoding } from './encoding.ts';
import { clip } from './grid.ts';
import { choiceLaw, MOST_LEVELS, type Law } from './laws.ts';
import { answered, asking, mechanismOf, type Answering, type Own, type Question, type Sizes } from './questions.ts';
import { TOTAL } from './random.ts';
import { MODEL_FIELDS, scorerOf } from './scores.ts';
import { distinct, integer, integer52, list, oneOf, table, text, wrong, type Table } from './stated.ts';

/** Read a question of one of the kinds that `TAUGHT` names. */
export function taughtOf(holder: Table, key: string | number, sizes: Sizes): Question {
  switch ((holder[key] as Table)['kind']) {
    case 'direction':
      return direction(table(holder, key, 'kind directions rule features laws'));
    case 'model':
      return model(table(holder, key, `${MODEL_FIELDS} classes`), sizes);
    case 'score':
      return score(table(holder, key, `${MODEL_FIELDS} low high levels mechanism name`));
    default:
      return wrong(key);
  }
}

function about(encoding: Encoding, title: string, options: readonly string[] = []): Own {
  return { title, options, rawNames: encoding.rawNames, rawWidth: encoding.rawWidth, columns: encoding.columns };
}

function direction(stated: Table): Question {
  const encoding = encodingOf(stated);
  const directions = integer(stated, 'directions', 2, MOST_DIRECTIONS);
  oneOf(stated, 'rule', [RULE]);
  const { largest } = encoding;
  if (!(LARGEST * largest.reduce((sum, most) => sum + most) < TOTAL)) wrong('features');
  const answer: Answering = (values, law, { campaign, question, node }) => {
    const { coordinates, absent, outside } = encoding.encoded(values);
    const scores = directionScores(campaign, question, node, directions, coordinates);
    return { level: null, missing: absent, outside, code: (word) => (law as NearestLaw).code(scores, word) };
  };
  return asking(stated, about(encoding, 'direction'), nearestLaw, [directions], answer, directions * largest.length);
}

function model(stated: Table, sizes: Sizes): Question {
  const encoding = encodingOf(stated);
  const classes = list(stated, 'classes', 2, MOST_LEVELS, text);
  distinct('classes', classes);
  if (sizes && sizes.at(-1)! > classes.length) wrong('assignment');
  const scorer = scorerOf(stated, encoding, classes.length);
  return asking(stated, about(encoding, 'model', classes), choiceLaw, sizes ?? [classes.length], (values, law, { personal }) => {
    const { coordinates, absent, outside } = encoding.encoded(values);
    const each = scorer(coordinates);
    const scores = personal ? personal.classes.map((place, i) => each[place]! + personal.offsets[i]!) : each;
    let level = 0;
    scores.forEach((own, place) => (level += (place - level) * +(own > scores[level]!))); // the first of equal ones
    return answered(law as Law, level, absent, outside);
  });
}

function score(stated: Table): Question {
  const encoding = encodingOf(stated);
  const levels = integer(stated, 'levels', 2, MOST_LEVELS);
  const [low, high] = [integer52(stated, 'low'), integer52(stated, 'high')];
  const span = high - low;
  if (!(span > 0 && 2 * span * levels < TOTAL)) wrong('low');
  const scorer = scorerOf(stated, encoding, 1);
  return asking(stated, about(encoding, text(stated, 'name')), mechanismOf(stated), [levels], (values, law) => {
    const { coordinates, absent, outside } = encoding.encoded(values);
    const above = clip(scorer(coordinates)[0]!, low, high) - low;
    const level = Math.floor((2 * above * (levels - 1) + span) / (2 * span)); // the nearest, halves upwards
    return answered(law as Law, level, absent, outside);
  });
}
