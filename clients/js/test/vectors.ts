/** The test vectors of the specification, run by whatever runs this: Node or a browser. */
import { fromHex } from '../src/bytes.ts';
import { Campaign, perturbWith, PrivgeError, type Features } from '../src/index.ts';

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
export function differences(vector: Vector, document = vector.document): { cases: number; found: string[] } {
  const found: string[] = [];
  const campaign = Campaign.read(document);
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

export { PrivgeError };
