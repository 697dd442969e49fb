/** The test vectors of the specification, run by whatever runs this: Node or a browser. */
import { fromHex, utf8 } from '../src/bytes.ts';
import { Campaign, contribute, ledger, perturb, perturbWith, PrivgeError, type Features } from '../src/index.ts';
import { sha256Hex } from '../src/sha256.ts';
import { memoryStore } from './memory_store.ts';

export interface Vector {
  readonly name: string;
  readonly id: string;
  readonly document: string;
  readonly shards: Readonly<Record<string, string>>;
  readonly indices: Readonly<Record<string, number[]>>;
  readonly people: readonly {
    readonly node: string;
    readonly features: unknown;
    readonly missing: number;
    readonly outside: number;
    readonly words: readonly (readonly number[])[];
    readonly codes: readonly (readonly number[])[];
    readonly report: string;
  }[];
}

const ODD: Readonly<Record<string, unknown>> = { nan: NaN, inf: Infinity, '-inf': -Infinity, '-0': -0, object: {} };

/** Return a raw value that a vector states. */
export function valueOf(stated: unknown): unknown {
  if (Array.isArray(stated)) return stated.map(valueOf);
  if (typeof stated !== 'object' || stated === null) return stated;
  const keys = Object.keys(stated);
  if (keys.length === 1 && 'odd' in stated) return ODD[String(stated.odd)];
  if (keys.length === 1 && 'integer' in stated) return BigInt(String(stated.integer));
  return Object.fromEntries(Object.entries(stated).map(([name, value]) => [name, valueOf(value)]));
}

/** Run the cases of one campaign; return how many there were, and every difference in words. */
export async function differences(vector: Vector, document = vector.document): Promise<{ cases: number; found: string[] }> {
  const found: string[] = [];
  const campaign = await Campaign.read(document);
  if (campaign.id !== vector.id) found.push(`${vector.name}: id`);
  for (const [node, indices] of Object.entries(vector.indices)) {
    if (String(campaign.indicesOf(node)) !== String(indices)) found.push(`${vector.name}: indices of ${node}`);
  }
  let cases = 0;
  for (const person of vector.people) {
    const features = valueOf(person.features) as Features;
    const shard = fromHex(vector.shards[campaign.shardOf(person.node) ?? ''] ?? '');
    person.words.forEach((words, place) => {
      cases += 1;
      const where = `${vector.name}: ${person.node}, ${JSON.stringify(person.features)}, ${String(words)}`;
      const report = perturbWith(words, campaign, features, { node: person.node, shard });
      if (String(report.codes) !== String(person.codes[place])) {
        found.push(`${where}: ${String(report.codes)} and not ${String(person.codes[place])}`);
      }
      if (report.missing !== person.missing || report.outside !== person.outside) found.push(`${where}: what does not fit`);
      if (place === person.words.length - 1 && report.id !== person.report) found.push(`${where}: id of the report`);
    });
  }
  return { cases, found };
}

type Bytes = { readonly text?: string; readonly hex?: string; readonly repeat?: number };

export interface BadDocument extends Bytes {
  readonly name: string;
  readonly id: string;
  readonly refused: string;
}

export interface BadInput {
  readonly name: string;
  readonly document: string;
  readonly node: string;
  readonly features: unknown;
  readonly shard: string | null;
  readonly refused: string;
}

export interface Conversation {
  readonly name: string;
  readonly address: string;
  readonly token: string;
  readonly features: number[];
  readonly caps: Record<string, number>;
  readonly answers: Readonly<Record<string, readonly (Bytes & { status: number; retry_after?: string })[]>>;
  readonly requests: readonly string[];
  readonly charged: boolean;
  readonly refused?: string;
  readonly status?: number | null;
  readonly drawn?: boolean;
  readonly new?: boolean;
  readonly report?: string;
}

function bytesOf({ text, hex, repeat }: Bytes): Uint8Array {
  return repeat ? new Uint8Array(repeat).fill(32) : hex === undefined ? utf8(text ?? '') : fromHex(hex);
}

/** Return the code of what some work refuses; any other error is a mistake of the client. */
async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof PrivgeError) return error.code;
    throw error;
  }
  return 'nothing';
}

/** Return why a document that an address names is refused. */
export async function refusedDocument(vector: BadDocument): Promise<string> {
  const bytes = bytesOf(vector);
  return sha256Hex(bytes) === vector.id ? codeOf(() => Campaign.read(bytes)) : 'mismatch';
}

/** Return why the features or the shard of a person are refused. */
export async function refusedInput(vector: BadInput): Promise<string> {
  const campaign = await Campaign.read(vector.document);
  const shard = vector.shard === null ? undefined : fromHex(vector.shard);
  return codeOf(() => perturb(campaign, valueOf(vector.features) as Features, { node: vector.node, shard }));
}

function kindOf(url: string): string {
  const parts = url.split('/').slice(4);
  return parts[0] === 'shards' ? 'shard' : (['', '', 'campaign', 'standing', 'report'][parts.length] ?? '');
}

/** Contribute to a service that follows a script; return what came of it, as the vector states it. */
export async function conversation(vector: Conversation): Promise<Partial<Conversation>> {
  const requests: string[] = [];
  const store = memoryStore();
  const fetch = (url: unknown): Promise<Response> => {
    const kind = kindOf(String(url));
    const given = vector.answers[kind]!;
    const one = given[Math.min(requests.filter((each) => each === kind).length, given.length - 1)]!;
    requests.push(kind);
    const headers = one.retry_after === undefined ? {} : { 'Retry-After': one.retry_after };
    return Promise.resolve(new Response(bytesOf(one).slice(), { status: one.status, headers }));
  };
  const options = { campaign: vector.address, token: vector.token, caps: vector.caps, store, fetch, pace: 1 };
  let outcome: Partial<Conversation>;
  try {
    const done = await contribute(vector.features, { ...options, patience: { pause: 1, deadline: 5000 } });
    outcome = { drawn: done.drawn, new: done.new, ...(vector.report ? { report: done.report } : {}) };
  } catch (error) {
    if (!(error instanceof PrivgeError)) throw error;
    outcome = { refused: error.code, status: error.status ?? null };
  }
  return { ...outcome, requests, charged: (await ledger({ store })).reports.length > 0 };
}

/** Return how a conversation went otherwise than it should; nothing if it did not. */
export async function misheard(vector: Conversation): Promise<string[]> {
  const outcome = await conversation(vector);
  const wrong = Object.entries(outcome).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(vector[name as keyof Conversation]),
  );
  return wrong.map(([name, value]) => `${vector.name}: ${name} is ${JSON.stringify(value)}`);
}

export interface Files {
  readonly short: Vector[];
  readonly questions: Vector[];
  readonly taught: Vector[];
  readonly documents: BadDocument[];
  readonly inputs: BadInput[];
  readonly conversations: Conversation[];
}

/** Alter the law of a campaign by one unit of a weight that stays within epsilon; null if it is of another kind. */
export function altered(vector: Vector): string | null {
  const document = JSON.parse(vector.document) as { law?: Record<string, number>; k: number; dimensions?: number };
  const { law } = document;
  if (!law || document.k !== document.dimensions) return null;
  if ('window' in law) law['high']! -= 1;
  else if ('slope' in law) law['slope']! -= 1;
  else if ('tails' in law) law['centre']! -= 2;
  else law['low']! += 1;
  return JSON.stringify(document);
}

/** Run every vector; return how many cases there were, every difference, and how many altered laws went unnoticed. */
export async function everything(files: Files): Promise<{ cases: number; found: string[]; unnoticed: string[]; alteredLaws: number }> {
  const found: string[] = [];
  const unnoticed: string[] = [];
  let [cases, alteredLaws] = [0, 0];
  for (const vector of [...files.short, ...files.questions, ...files.taught]) {
    const run = await differences(vector);
    cases += run.cases;
    found.push(...run.found);
    const document = altered(vector);
    if (document === null || (await codeOf(() => Campaign.read(document))) !== 'nothing') continue;
    alteredLaws += 1;
    if ((await differences(vector, document)).found.length < 2) unnoticed.push(vector.name); // the id alone always differs
  }
  for (const vector of files.documents) {
    cases += 1;
    const code = await refusedDocument(vector);
    if (code !== vector.refused) found.push(`${vector.name}: ${code} and not ${vector.refused}`);
  }
  for (const vector of files.inputs) {
    cases += 1;
    const code = await refusedInput(vector);
    if (code !== vector.refused) found.push(`${vector.name}: ${code} and not ${vector.refused}`);
  }
  for (const vector of files.conversations) {
    cases += 1;
    found.push(...(await misheard(vector)));
  }
  return { cases, found, unnoticed, alteredLaws };
}
