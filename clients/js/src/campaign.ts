/** The public contract of one collection, read out of its document and checked; named by the hash of its text. */
import { assignmentOf, type Assignment } from './assignment.ts';
import { utf8 } from './bytes.ts';
import { parseCanonical } from './canonical.ts';
import { refuse } from './errors.ts';
import { compareRatios, spendAtMost } from './exact.ts';
import type { Column } from './features.ts';
import { checkedKey, INDEX_RULE, indicesOf } from './indices.ts';
import { questionOf, type Question } from './questions.ts';
import { sha256Hex } from './sha256.ts';
import { shortFormOf, SHORT_FIELDS, type ShortForm } from './short_form.ts';
import { anyText, integer, list, number, oneOf, table, text, wrong, type Table } from './stated.ts';

const SHARED = 'format epsilon k purpose opens closes retention_days index_rule';
const MOST_QUESTIONS = 4096;
const MOST_COMPONENTS = 2 ** 22;
const MOST_K = 65_536;

/** One collection, frozen and checked: a document that no device may answer is not one. */
export class Campaign {
  /** SHA-256 of the canonical document, in hexadecimal. */
  readonly id: string;
  /** Privacy budget of a person's whole report. */
  readonly epsilon: number;
  /** How many features or questions a person answers. */
  readonly k: number;
  /** How many there are. */
  readonly dimensions: number;
  /** Why it is asked, in words for the person who is asked. */
  readonly purpose: string;
  /** RFC 3339 in UTC, or null. */
  readonly opens: string | null;
  readonly closes: string | null;
  readonly retentionDays: number | null;
  /** Of several campaigns of one round a person answers one. */
  readonly round: string | null;
  /** Who is asked; null if everybody is. */
  readonly assignment: Assignment | null;
  /** The questions; null in the short form, many numbers alike. */
  readonly questions: readonly Question[] | null;
  /** The short form; null if there are questions. */
  readonly shortForm: ShortForm | null;
  /** The raw columns in order; null if they have no names. */
  readonly rawNames: readonly string[] | null;
  readonly rawWidth: number;

  private constructor(bytes: Uint8Array) {
    const document = parseCanonical(bytes);
    this.id = sha256Hex(bytes);
    const short = !Object.hasOwn(Object(document), 'questions');
    const own = short ? SHORT_FIELDS : 'questions';
    const stated = table('document', document, `${SHARED} assignment? round? ${own}`);
    const later = !short || 'assignment' in stated || 'round' in stated;
    oneOf('format', stated['format'], `privge-campaign-${later ? 2 : 1}`);
    this.purpose = anyText('purpose', stated['purpose']);
    this.opens = timeOf('opens', stated['opens']);
    this.closes = timeOf('closes', stated['closes']);
    if (this.opens && this.closes && this.opens >= this.closes) wrong('closes', 'must be after opens');
    const days = stated['retention_days'];
    this.retentionDays = days === null ? null : integer('retention_days', days, 0, 36_500);
    oneOf('index_rule', stated['index_rule'], INDEX_RULE);
    this.assignment = 'assignment' in stated ? assignmentOf('assignment', stated['assignment']) : null;
    this.round = 'round' in stated ? roundOf('round', stated['round']) : null;
    this.shortForm = short ? shortFormOf(stated) : null;
    this.questions = short ? null : questionsOf(stated, this.assignment);
    this.dimensions = this.shortForm?.dimensions ?? this.questions!.length;
    this.k = integer('k', stated['k'], 1, Math.min(this.dimensions, MOST_K));
    this.epsilon = number('epsilon', stated['epsilon']);
    if (!(this.epsilon > 0)) wrong('epsilon', 'must be above 0');
    this.checkSpending();
    const each = this.questions?.map((question) => question.rawNames) ?? [this.shortForm!.names];
    if (each.length > 1 && each.includes(null)) wrong('questions', 'numbers without names must stand alone');
    this.rawNames = each[0] === null ? null : [...new Set(each.flatMap((names) => names!))];
    this.rawWidth = this.rawNames?.length ?? this.questions?.[0]!.rawWidth ?? this.dimensions;
    Object.freeze(this);
  }

  /** Read a document: canonical JSON, as text or bytes. Whatever no device may answer is refused. */
  static read(document: string | Uint8Array): Campaign {
    return new Campaign(typeof document === 'string' ? utf8(document) : document);
  }

  /** Return which features or questions a node reports, in order. */
  indicesOf(node: string | number | bigint): number[] {
    return indicesOf(this.id, checkedKey(node), this.dimensions, this.k);
  }

  /** Return the SHA-256 of the shard that says what a node is asked; null if everybody is asked the same. */
  shardOf(node: string | number | bigint): string | null {
    return this.assignment?.shardOf(checkedKey(node)) ?? null;
  }

  /** Return what a feature or question is called. */
  titleOf(index: number): string {
    return this.questions?.[index]?.title ?? this.shortForm?.names?.[index] ?? `feature ${index}`;
  }

  /** Return every raw column once, with what a form that asks for it needs to know. */
  columns(): readonly Column[] {
    if (this.shortForm) return this.shortForm.columns();
    const each = this.questions!.flatMap((question) => question.forms());
    return [...new Map(each.map((column) => [column.name, column])).values()];
  }

  /** Refuse laws that spend more than epsilon together, whichever k of the questions somebody answers. */
  private checkSpending(): void {
    const { questions, k } = this;
    const uses = questions
      ? questions.map(({ ratio }) => ({ ratio, uses: 1 })).sort((one, other) => compareRatios(one.ratio, other.ratio)).slice(0, k)
      : [{ ratio: this.shortForm!.law.ratio, uses: k }];
    if (!spendAtMost(uses, this.epsilon)) wrong('law', 'the laws spend more than epsilon');
    if (questions) {
      const components = questions.map((question) => question.components).sort((one, other) => other - one);
      if (components.slice(0, k).reduce((sum, each) => sum + each, 0) > MOST_COMPONENTS) {
        wrong('questions', 'the directions of a report have too many components');
      }
    }
  }
}

function questionsOf(stated: Table, assignment: Assignment | null): Question[] {
  const sizes = assignment?.width ? assignment.sizes : null;
  const questions = list('questions', stated['questions'], 1, MOST_QUESTIONS, (name, value) => questionOf(name, value, sizes));
  if (sizes && (questions.length !== 1 || questions[0]!.kind !== 'model')) {
    wrong('assignment', 'assigns classes: the campaign must then ask one model question alone');
  }
  return questions;
}

/** Return a time in UTC with whole seconds, or null. */
function timeOf(name: string, value: unknown): string | null {
  if (value === null) return null;
  const time = text(name, value);
  const date = new Date(time);
  const known = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time) && !Number.isNaN(date.getTime());
  if (!known || date.toISOString() !== time.replace('Z', '.000Z')) wrong(name, 'must be a time in UTC');
  return time;
}

/** Return a name that is the same wherever it looks the same. */
function roundOf(name: string, value: unknown): string {
  const round = text(name, value);
  const printable = /^[^\p{C}\p{Z}]+( +[^\p{C}\p{Z}]+)*$/u.test(round);
  if (!printable || round !== round.normalize('NFC')) wrong(name, 'must be a printable name in composed characters');
  return round;
}

/** Refuse a campaign that is not the one of an id. */
export function checkId(campaign: string, id: string): void {
  if (campaign !== id) refuse('mismatch', 'this is another campaign than its address names: the hash differs');
}
