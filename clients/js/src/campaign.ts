/** The public contract of one collection, read out of its document and checked; named by the hash of its text. */
import { assignmentOf, type Assignment } from './assignment.ts';
import { utf8 } from './bytes.ts';
import { parseCanonical } from './canonical.ts';
import { refuse } from './errors.ts';
import { compareRatios, spendAtMost } from './exact.ts';
import type { Column } from './features.ts';
import { checkedKey, INDEX_RULE, indicesOf, type Node } from './indices.ts';
import { questionOf, TAUGHT, type Question, type Taught } from './questions.ts';
import { sha256Hex } from './sha256.ts';
import { shortFormOf, SHORT_FIELDS, type ShortForm } from './short_form.ts';
import { anyText, has, integer, list, number, oneOf, table, text, wrong, type Table } from './stated.ts';

const SHARED = 'format epsilon k purpose opens closes retention_days index_rule assignment? round? ';
const MOST_COMPONENTS = 2 ** 22;

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

  private constructor(id: string, document: Table, taught: Taught | null) {
    this.id = id;
    const short = !has(document, 'questions');
    const stated = table({ document }, 'document', SHARED + (short ? SHORT_FIELDS : 'questions'));
    const [assigned, inRound] = [has(stated, 'assignment'), has(stated, 'round')];
    oneOf(stated, 'format', [`privge-campaign-${short && !assigned && !inRound ? 1 : 2}`]);
    oneOf(stated, 'index_rule', [INDEX_RULE]);
    this.purpose = anyText(stated, 'purpose');
    [this.opens, this.closes] = [timeOf(stated, 'opens'), timeOf(stated, 'closes')];
    if (this.opens && this.closes && this.opens >= this.closes) wrong('closes');
    this.retentionDays = stated['retention_days'] === null ? null : integer(stated, 'retention_days', 0, 36_500);
    this.assignment = assigned ? assignmentOf(stated) : null;
    this.round = inRound ? roundOf(stated) : null;
    const sizes = this.assignment?.sizes.length ? this.assignment.sizes : null;
    this.shortForm = short ? shortFormOf(stated) : null;
    this.questions = short ? null : list(stated, 'questions', 1, 4096, (each, place) => questionOf(each, place, sizes, taught));
    // Classes are assigned to people for one model question alone.
    if (sizes && (this.questions?.length !== 1 || this.questions[0]!.kind !== 'model')) wrong('assignment');
    this.dimensions = this.shortForm?.dimensions ?? this.questions!.length;
    this.k = integer(stated, 'k', 1, Math.min(this.dimensions, 65_536));
    this.epsilon = number(stated, 'epsilon');
    if (this.epsilon <= 0 || !spendAtMost(this.ratios(), this.epsilon)) wrong('epsilon');
    const components = this.questions?.map((question) => question.components).sort((one, other) => other - one) ?? [];
    if (components.slice(0, this.k).reduce((sum, each) => sum + each, 0) > MOST_COMPONENTS) wrong('questions');
    const names = this.questions?.map((question) => question.rawNames) ?? [this.shortForm!.names];
    if (names.length > 1 && names.includes(null)) wrong('questions'); // numbers without names stand alone
    this.rawNames = names[0] ? [...new Set(names.flatMap((each) => each!))] : null;
    this.rawWidth = this.rawNames?.length ?? this.questions?.[0]!.rawWidth ?? this.dimensions;
    Object.freeze(this);
  }

  /**
   * Read a document: canonical JSON, as text or bytes. Whatever no device may answer is refused. Questions about whole profiles
   * are read by a module of their own, `taught.js`, fetched from where this one is: what is fetched depends on the document alone.
   */
  static async read(document: string | Uint8Array): Promise<Campaign> {
    const bytes = typeof document === 'string' ? utf8(document) : document;
    const stated = Object(parseCanonical(bytes)) as Table;
    const questions = stated['questions'];
    const isTaught = (question: Table | null): boolean => TAUGHT.includes(question?.['kind']);
    return new Campaign(sha256Hex(bytes), stated, Array.isArray(questions) && questions.some(isTaught) ? await fetchTaught() : null);
  }

  /** Return which features or questions a node reports, in order. */
  indicesOf(node: Node): number[] {
    return indicesOf(this.id, checkedKey(node), this.dimensions, this.k);
  }

  /** Return the SHA-256 of the shard that says what a node is asked; null if everybody is asked the same. */
  shardOf(node: Node): string | null {
    return this.assignment?.shardOf(checkedKey(node)) ?? null;
  }

  /** Return what a feature or question is called. */
  titleOf(index: number): string {
    return this.questions?.[index]?.title ?? this.shortForm?.names?.[index] ?? `${index}`;
  }

  /** Return every raw column once, with what a form that asks for it needs to know. */
  columns(): readonly Column[] {
    const each = (this.questions ?? [this.shortForm!]).flatMap((question) => question.columns());
    return [...new Map(each.map((column) => [column.name, column])).values()];
  }

  /** Return the worst quotients that any k answers have, and how often each counts. */
  private ratios(): Parameters<typeof spendAtMost>[0] {
    if (this.shortForm) return [{ ratio: this.shortForm.law.ratio, uses: this.k }];
    const each = this.questions!.map(({ ratio }) => ratio).sort(compareRatios);
    return each.slice(0, this.k).map((ratio) => ({ ratio, uses: 1 }));
  }
}

async function fetchTaught(): Promise<Taught> {
  try {
    return await import('./taught.ts');
  } catch {
    return refuse('unavailable', ': this campaign needs taught.js, beside privge.js');
  }
}

/** Return a time in UTC with whole seconds, or null. */
function timeOf(stated: Table, key: string): string | null {
  if (stated[key] === null) return null;
  const time = text(stated, key);
  const isTime = time.length === 20 && time > '0001' && new Date(time).toJSON() === time.replace('Z', '.000Z');
  return isTime ? time : wrong(key);
}

/** Return a name that is the same wherever it looks the same: printable, its characters composed. */
function roundOf(stated: Table): string {
  const round = text(stated, 'round');
  const printable = /^[^\p{C}\p{Z}]+( +[^\p{C}\p{Z}]+)*$/u.test(round);
  return printable && round === round.normalize('NFC') ? round : wrong('round');
}
