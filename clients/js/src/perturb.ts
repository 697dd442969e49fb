/** One person's values to one report. Only the values that the asked questions need are looked at. */
import type { Campaign } from './campaign.ts';
import { refuse } from './errors.ts';
import { checkedKey, type Node } from './indices.ts';
import { filled } from './laws.ts';
import type { Answer, Personal } from './questions.ts';
import { randomWords } from './random.ts';
import { sha256Hex } from './sha256.ts';
import { wrong } from './stated.ts';
import { readerOf, type Features } from './values.ts';

/** Whose report it is. */
export interface Person {
  /** The person's id in the graph; 17 and "17" are one. */
  readonly node: Node;
  /** The shard of the node, if the campaign asks certain people (`Campaign.assignment`). */
  readonly shard?: Uint8Array | undefined;
}

/** A perturbed report, and for the person's own eyes how many values were missing or did not fit. */
export interface Report {
  readonly campaign: string;
  readonly codes: readonly number[];
  /** What is sent: two bytes for each code, little-endian. */
  readonly body: Uint8Array;
  /** SHA-256 of `body`: the name of the report. */
  readonly id: string;
  readonly missing: number;
  readonly outside: number;
}

/** What a person answers before any noise, by the index of the feature or question. Private: it never leaves the device. */
export interface PrivateAnswer extends Answer {
  readonly index: number;
}

/** Return what a node is asked beyond the document; refuse whoever is not asked. Public data alone decides. */
export function personalOf(campaign: Campaign, { node, shard }: Person): Personal | null {
  const { assignment, questions } = campaign;
  if (!assignment) return null;
  if (!shard) refuse('mismatch', ': the shard is needed');
  const personal = assignment.personal(checkedKey(node), shard);
  const classes = questions?.[0]?.options.length ?? 0;
  if (personal.classes.some((each) => each >= classes)) wrong('assignment');
  return assignment.sizes.length ? personal : null;
}

/** Return the private answers of a person: what the law is applied to. */
export function answersOf(campaign: Campaign, features: Features, person: Person): PrivateAnswer[] {
  const key = checkedKey(person.node);
  const personal = personalOf(campaign, person);
  const valueAt = readerOf(features, campaign.rawNames, campaign.rawWidth);
  const places = new Map(campaign.rawNames?.map((name, place) => [name, place]));
  return campaign.indicesOf(person.node).map((index) => {
    if (campaign.shortForm) return { index, ...campaign.shortForm.answer(index, valueAt(index)) };
    const question = campaign.questions![index]!;
    const columns = question.rawNames?.map((name) => places.get(name)!) ?? filled(question.rawWidth, (place) => place);
    const asked = { campaign: campaign.id, question: index, node: key, personal };
    return { index, ...question.answer(columns.map(valueAt), asked) };
  });
}

/** Return what each code of a node's report is below. */
export function outputsOf(campaign: Campaign, person: Person): number[] {
  const personal = personalOf(campaign, person);
  const { shortForm, questions } = campaign;
  return campaign.indicesOf(person.node).map((index) => (shortForm?.law ?? questions![index]!.lawFor(personal)).outputs);
}

/** Perturb a person's values with the platform's cryptographic randomness. Draw once: each further report spends again. */
export function perturb(campaign: Campaign, features: Features, person: Person): Report {
  return perturbWith(randomWords(campaign.k), campaign, features, person);
}

/** NOT PRIVATE: perturb with words that are given. For test vectors alone: whoever knows the words can undo the noise. */
export function perturbWith(words: readonly number[], campaign: Campaign, features: Features, person: Person): Report {
  const answers = answersOf(campaign, features, person);
  const codes = answers.map((answer, place) => answer.code(words[place]!));
  const sum = (what: 'missing' | 'outside'): number => answers.reduce((total, each) => total + each[what], 0);
  const body = encodeCodes(codes);
  return { campaign: campaign.id, codes, body, id: sha256Hex(body), missing: sum('missing'), outside: sum('outside') };
}

/** Return codes as they are sent. */
export function encodeCodes(codes: readonly number[]): Uint8Array {
  const body = new Uint8Array(2 * codes.length);
  const view = new DataView(body.buffer);
  codes.forEach((code, place) => view.setUint16(2 * place, code, true));
  return body;
}
