/**
 * One person's contribution, in an order that tells the service nothing but the report.
 *
 * 1. Read the values, before any contact. Fetch the campaign, without saying who asks; check it, and the person's own caps
 *    and rounds, from public things alone. If it asks certain people, fetch the shard that the node id names.
 * 2. Ask the person (`approve`). Prepare: draw once and keep the report, in a time that says nothing about the values.
 * 3. Show the token and ask whether a report would be stored, or is already. Until here nothing is spent.
 * 4. Charge the ledger, and send until it is stored. Whatever happens from here on, the same bytes are sent again.
 */
import { addressOf } from './address.ts';
import { Campaign } from './campaign.ts';
import { refuse } from './errors.ts';
import { checkLedger, spentOf, type Caps, type Kept } from './ledger.ts';
import { bodyOf, keptOf, Memory } from './memory.ts';
import { inSlot, PACE } from './pace.ts';
import { encodeCodes, outputsOf, personalOf, perturb, type Person, type Report } from './perturb.ts';
import { sha256Hex } from './sha256.ts';
import { storeOf, type KeyValue, type Store } from './store.ts';
import { nodeOf } from './token.ts';
import { checkForm, type Features } from './values.ts';
import { Client, parsed, PATIENCE, type Fetch, type Patience, type Reply } from './web.ts';

const DAY = 86_400_000;
const LARGEST_CAMPAIGN = 2 ** 25;
const LARGEST_SHARD = 2 ** 22;
const LARGEST_STANDING = 2 ** 20;

/** How a service is spoken to. */
export interface Contact {
  /** Allow plain http to other machines. */
  readonly insecureHttp?: boolean;
  /** How often to try again, and for how long. */
  readonly patience?: Partial<Patience>;
  /** Instead of the platform's own. */
  readonly fetch?: Fetch;
}

/** Where a device keeps what it must not forget. */
export interface Keeping {
  /** By default IndexedDB; `localStorage`, anything else with `getItem` and `setItem`, or a `Store`. */
  readonly store?: Store | KeyValue;
}

export interface ContributeOptions extends Contact, Keeping {
  /** `https://host/v1/campaigns/<id>`. */
  readonly campaign: string;
  /** What the platform gave this person. It says as which node they report. */
  readonly token: string;
  /** The person's own caps on epsilon, for one campaign and for all; remembered from now on. At first 3 and 6. */
  readonly caps?: Partial<Caps>;
  /** Asked before anything is drawn, with the checked campaign; whatever is not true ends it. */
  readonly approve?: (campaign: Campaign) => boolean | Promise<boolean>;
  /** Milliseconds of the shortest slot in which a report is prepared: at least 1, by default 250. */
  readonly pace?: number;
}

/** What a contribution did. */
export interface Contribution {
  readonly campaign: string;
  /** SHA-256 of the bytes that were sent: what a receipt shows. */
  readonly report: string;
  /** The codes that were sent. */
  readonly codes: readonly number[];
  /** Whether it was drawn now; otherwise it is the one drawn before, here or on another device of the person. */
  readonly drawn: boolean;
  /** Whether the service stored it now; otherwise it had these bytes already. */
  readonly new: boolean;
  /** What this report costs, and what all reports of this device cost together. */
  readonly epsilon: number;
  readonly spent: number;
  /** If it was drawn now: how many values were missing or outside. For the person alone; kept nowhere. */
  readonly missing: number | null;
  readonly outside: number | null;
}

/** A function that returns the values is called only if a report is to be drawn, before any contact. */
export type GivenFeatures = Features | (() => Features | Promise<Features>);

/** Send one private report to a campaign. Run again after any failure: the same bytes are sent, never a second draw. */
export async function contribute(features: GivenFeatures, options: ContributeOptions): Promise<Contribution> {
  const { pace = PACE } = options;
  if (!(pace >= 1 && pace < 2 ** 31)) throw new RangeError('pace is in milliseconds, from 1 to 2 ** 31');
  const address = addressOf(options.campaign, options.insecureHttp);
  if (!address.campaign) refuse('address');
  const node = nodeOf(options.token, address.campaign);
  const memory = new Memory(storeOf(options.store));
  if (options.caps) await memory.setCaps(options.caps);
  let drawn: Report | null = null;
  let report = await memory.charged(address.campaign, node);
  const kept = report !== null || (await memory.hasPrepared(address.campaign, node));
  const values = typeof features === 'function' ? (kept ? null : await features()) : features;
  if (!kept) checkForm(values);
  const client = clientOf(address.origin, options);
  if (report === null) {
    const campaign = await fetched(client, address.campaign);
    checkLedger(await memory.state(), campaign);
    checkOpen(campaign);
    const person: Person = { node, shard: await shardOf(client, campaign, node) };
    personalOf(campaign, person);
    if (options.approve && (await options.approve(campaign)) !== true) refuse('declined');
    client.renew(); // whoever reads before they agree may take their time
    const prepared = await inSlot(
      pace,
      () => perturb(campaign, new Array<unknown>(campaign.rawWidth), person),
      () =>
        memory.prepare(campaign, node, () => {
          drawn = perturb(campaign, values ?? refuse('features'), person);
          return drawn.body;
        }),
    );
    const held = await standing(client, campaign, person, options.token);
    if (held) drawn = null;
    report = await memory.charge(campaign, held ?? prepared);
  }
  const isNew = await sent(client, address.campaign, report, options.token);
  const { missing, outside } = (drawn as Report | null) ?? { missing: null, outside: null };
  return {
    campaign: address.campaign,
    report: report.report,
    codes: codesOf(bodyOf(report)),
    drawn: drawn !== null,
    new: isNew,
    epsilon: report.epsilon,
    spent: await memory.spent(),
    missing,
    outside,
  };
}

/** Fetch a campaign, and check that it is the one that the address names and that its laws hold its epsilon. */
export function fetchCampaign(url: string, contact: Contact = {}): Promise<Campaign> {
  const { origin, campaign } = addressOf(url, contact.insecureHttp);
  return fetched(clientOf(origin, contact), campaign);
}

/** Fetch the shard of a node, if the campaign asks certain people; `answersOf` and `perturb` take it. */
export function fetchShard(campaign: Campaign, url: string, node: string, contact: Contact = {}): Promise<Uint8Array | undefined> {
  return shardOf(clientOf(addressOf(url, contact.insecureHttp).origin, contact), campaign, node);
}

/** What is stored about a person at a service. */
export interface Holding {
  readonly campaign: string;
  /** Null after erasure. */
  readonly codes: readonly number[] | null;
  /** Day of arrival. */
  readonly day: string;
  readonly epsilon: number;
}

export interface AboutOptions extends Contact {
  /** `https://host`, or the address of one of its campaigns. */
  readonly service: string;
  readonly token: string;
}

/** Return everything that a service stores about the node of a token. */
export async function stored(options: AboutOptions): Promise<Holding[]> {
  return listed<Holding>(await aboutMe('GET', options), 'holdings');
}

/**
 * Erase what a service stores about the node of a token, in the token's campaign or in all; return the campaigns.
 * The device forgets the codes too, and remembers that it has sent them: there is no second draw.
 */
export async function erase(options: AboutOptions & Keeping): Promise<string[]> {
  const erased = listed<string>(await aboutMe('DELETE', options), 'erased');
  await new Memory(storeOf(options.store)).forget(erased, nodeOf(options.token, null));
  return erased;
}

/** What this device has spent, its caps, and the reports that it keeps. */
export interface Ledger {
  readonly caps: Caps;
  readonly spent: number;
  /** Of which node each is: a device may be shared. Codes are null after erasure. */
  readonly reports: readonly { campaign: string; node: string; epsilon: number; report: string; codes: readonly number[] | null }[];
}

export async function ledger(keeping: Keeping = {}): Promise<Ledger> {
  const state = await new Memory(storeOf(keeping.store)).state();
  const reports = Object.entries(state.charged).map(([campaign, kept]) => {
    const { node, epsilon, report } = kept;
    return { campaign, node, epsilon, report, codes: kept.codes === null ? null : codesOf(bodyOf(kept)) };
  });
  return { caps: state.caps, spent: spentOf(state), reports };
}

function aboutMe(method: string, options: AboutOptions): Promise<Reply> {
  const client = clientOf(addressOf(options.service, options.insecureHttp).origin, options);
  return client.ask(method, '/v1/me', { token: options.token, largest: LARGEST_CAMPAIGN });
}

function listed<Entry>(reply: Reply, field: string): Entry[] {
  const entries = parsed(reply)[field];
  return Array.isArray(entries) ? (entries as Entry[]) : unreadable();
}

function clientOf(origin: string, { patience, fetch }: Contact): Client {
  return new Client(origin, { ...PATIENCE, ...patience }, fetch ?? globalThis.fetch);
}

async function fetched(client: Client, id: string): Promise<Campaign> {
  const reply = await client.ask('GET', `/v1/campaigns/${id}`, { largest: LARGEST_CAMPAIGN });
  if (sha256Hex(reply.body) !== id) refuse('mismatch');
  return Campaign.read(reply.body);
}

async function shardOf(client: Client, campaign: Campaign, node: string): Promise<Uint8Array | undefined> {
  const digest = campaign.shardOf(node);
  if (digest === null) return undefined;
  return (await client.ask('GET', `/v1/shards/${digest}`, { largest: LARGEST_SHARD })).body;
}

/** Ask whether a report would be stored; return the one that the service has already, from another device. */
async function standing(client: Client, campaign: Campaign, person: Person, token: string): Promise<Kept | null> {
  const reply = await client.ask('GET', `/v1/campaigns/${campaign.id}/me`, { token, largest: LARGEST_STANDING });
  if (parsed(reply)['reason'] === 'open') return null;
  const [codes, limits] = [listed<number>(reply, 'codes'), outputsOf(campaign, person)];
  const fits = limits.every((limit, place) => Number.isInteger(codes[place]) && codes[place]! >= 0 && codes[place]! < limit);
  if (!fits || codes.length > limits.length) unreadable();
  return keptOf(campaign, String(person.node), encodeCodes(codes));
}

/** Send a report; return whether it is new to the service. */
async function sent(client: Client, campaign: string, report: Kept, token: string): Promise<boolean> {
  const path = `/v1/campaigns/${campaign}/reports/${report.report}`;
  return (await client.ask('PUT', path, { token, body: bodyOf(report) })).status === 201;
}

/** Refuse before anything is charged what the service would refuse after it; a device's clock may be wrong by a day. */
function checkOpen(campaign: Campaign): void {
  const at = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
  if (campaign.opens && at(Date.now() + DAY) < campaign.opens) {
    refuse('refused', `: it opens at ${campaign.opens}`, 410);
  }
  if (campaign.closes && at(Date.now() - DAY) >= campaign.closes) {
    refuse('refused', `: it closed at ${campaign.closes}`, 410);
  }
}

function unreadable(): never {
  refuse('refused', ' with an answer that cannot be read', 200);
}

function codesOf(body: Uint8Array): number[] {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  return Array.from({ length: body.length / 2 }, (_, place) => view.getUint16(2 * place, true));
}
