/**
 * The report of a campaign: drawn once, kept, and sent as often as needed, always the same bytes.
 *
 * It is first *prepared* (drawn and kept, seen by nobody), then *charged* to the ledger before its first byte may leave.
 * Each step is one atomic change of the store, so that a crash, or another tab, comes before it or after it.
 */
import type { Campaign } from './campaign.ts';
import { fromHex, toHex } from './bytes.ts';
import { PrivgeError, refuse } from './errors.ts';
import { checkLedger, spentOf, stateOf, withCaps, type Caps, type Kept, type State } from './ledger.ts';
import { sha256Hex } from './sha256.ts';
import type { Store } from './store.ts';

export class Memory {
  constructor(private readonly store: Store) {}

  /** Change the state as a whole, and return what the change returns. */
  private async change<Result>(work: (state: State) => [State, Result]): Promise<Result> {
    let result: [State, Result] | undefined;
    try {
      await this.store.update((text) => {
        const before = stateOf(text);
        result = work(before);
        return result[0] === before && text !== null ? text : JSON.stringify(result[0]);
      });
    } catch (error) {
      if (error instanceof PrivgeError) throw error;
      refuse('storage', ' (private mode, or no space)');
    }
    return result![1];
  }

  /** Return what the device remembers. */
  state(): Promise<State> {
    return this.change((state) => [state, state]);
  }

  setCaps(caps: Partial<Caps>): Promise<void> {
    return this.change((state) => [withCaps(state, caps), undefined]);
  }

  /** Return the report of a campaign that may have been sent; refuse one of somebody else, or one that is gone. */
  charged(campaign: string, node: string): Promise<Kept | null> {
    return this.change((state) => [state, chargedIn(state, campaign, node)]);
  }

  /** Say whether there is a report of a campaign that was drawn and not sent. */
  hasPrepared(campaign: string, node: string): Promise<boolean> {
    return this.change((state) => [state, unseen(state, campaign, node) !== null]);
  }

  /** Return the report of a campaign, drawn now if it was not before: that happens once. Nothing is charged. */
  prepare(campaign: Campaign, node: string, draw: () => Uint8Array): Promise<Kept> {
    return this.change((state) => {
      const earlier = chargedIn(state, campaign.id, node) ?? unseen(state, campaign.id, node);
      if (earlier) return [state, earlier];
      checkLedger(state, campaign);
      const kept = keptOf(campaign, node, draw());
      return [{ ...state, prepared: { ...state.prepared, [campaign.id]: kept } }, kept];
    });
  }

  /**
   * Enter a report in the ledger, if the caps allow it, and return the one to send: the first that was charged.
   * It is the prepared one, or one that this person drew on another device; the prepared one is then forgotten.
   */
  charge(campaign: Campaign, report: Kept): Promise<Kept> {
    return this.change((state) => {
      const charged = chargedIn(state, campaign.id, report.node);
      if (charged) return [state, charged];
      checkLedger(state, campaign);
      const { [campaign.id]: _, ...prepared } = state.prepared;
      return [{ ...state, prepared, charged: { ...state.charged, [campaign.id]: report } }, report];
    });
  }

  /** Forget the codes of reports that a service has erased. That they were sent is remembered: it was spent. */
  forget(campaigns: readonly string[], node: string): Promise<void> {
    return this.change((state) => {
      const gone = Object.entries(state.charged).filter(([id, kept]) => campaigns.includes(id) && kept.node === node);
      const without = Object.fromEntries(gone.map(([id, kept]) => [id, { ...kept, codes: null }]));
      return [{ ...state, charged: { ...state.charged, ...without } }, undefined];
    });
  }

  async spent(): Promise<number> {
    return spentOf(await this.state());
  }
}

/** Write codes as a kept report. */
export function keptOf(campaign: Campaign, node: string, body: Uint8Array): Kept {
  return { node, epsilon: campaign.epsilon, round: campaign.round, codes: toHex(body), report: sha256Hex(body) };
}

/** Return the bytes of a kept report. */
export function bodyOf(kept: Kept): Uint8Array {
  return fromHex(kept.codes ?? '');
}

function chargedIn(state: State, campaign: string, node: string): Kept | null {
  const kept = state.charged[campaign];
  if (!kept) return null;
  if (kept.node !== node || kept.codes === null) refuse('second_draw');
  return isIntact(kept) ? kept : refuse('storage', ': what it keeps is damaged');
}

/** Return a report that was prepared for a node; nobody saw one that is damaged or another's: it does not count. */
function unseen(state: State, campaign: string, node: string): Kept | null {
  const kept = state.prepared[campaign];
  return kept?.node === node && isIntact(kept) ? kept : null;
}

function isIntact(kept: Kept): boolean {
  return sha256Hex(bodyOf(kept)) === kept.report;
}
