/** What a person has spent, and how much they are willing to spend; and the reports that may be sent again. */
import type { Campaign } from './campaign.ts';
import { refuse } from './errors.ts';
import { decimal } from './exact.ts';

/** A person's own limits on epsilon: for one campaign, and for all campaigns of a lifetime together. */
export interface Caps {
  readonly campaign: number;
  readonly lifetime: number;
}

/** Epsilon 3 for one campaign, 6 for life: observers that were undecided end at most 95 % and 99.8 % sure. */
export const DEFAULT_CAPS: Caps = { campaign: 3, lifetime: 6 };

/** A report that is kept: only what was perturbed. */
export interface Kept {
  readonly node: string;
  readonly epsilon: number;
  readonly round: string | null;
  /** The bytes that are sent, in hexadecimal; null after erasure. */
  readonly codes: string | null;
  /** Their SHA-256. */
  readonly report: string;
}

/** Everything that a device remembers, by campaign. */
export interface State {
  readonly format: typeof FORMAT;
  readonly caps: Caps;
  /** Drawn, and seen by nobody: costs nothing. */
  readonly prepared: Readonly<Record<string, Kept>>;
  /** Charged: these may have been sent, and count for ever. */
  readonly charged: Readonly<Record<string, Kept>>;
}

const FORMAT = 'privge-device-1';

/** Read a state; a damaged one is refused, because an empty one in its place would forget what was spent. */
export function stateOf(text: string | null): State {
  if (text === null) return { format: FORMAT, caps: DEFAULT_CAPS, prepared: {}, charged: {} };
  try {
    const state = JSON.parse(text) as State;
    const kept = [...Object.values(state.prepared), ...Object.values(state.charged)];
    if (state.format === FORMAT && capsAreSound(state.caps) && kept.every(keptIsSound)) return state;
  } catch {
    // said below
  }
  return refuse('storage', ': what it keeps is damaged');
}

function keptIsSound({ node, epsilon, report }: Kept): boolean {
  return typeof node === 'string' && typeof report === 'string' && epsilon > 0 && Number.isFinite(epsilon);
}

function capsAreSound({ campaign, lifetime }: Caps): boolean {
  return [campaign, lifetime].every((cap) => cap >= 0 && Number.isFinite(cap));
}

/** Return the state with other caps; what is left out stays as it is. */
export function withCaps(state: State, caps: Partial<Caps>): State {
  const all = { ...state.caps, ...caps };
  return capsAreSound(all) ? { ...state, caps: all } : refuse('budget', ': a cap is a number of at least 0');
}

/** Return what all reports of a device cost together, in units of 10**-400: decimal numbers add up as they are stated. */
function total(state: State): bigint {
  return Object.values(state.charged).reduce((sum, { epsilon }) => sum + decimal(epsilon), 0n);
}

export function spentOf(state: State): number {
  return Number(`${total(state)}e-400`);
}

/** Refuse what a cap or a round forbids. It needs no value, and nothing has been drawn. */
export function checkLedger(state: State, campaign: Campaign): void {
  for (const [other, { round }] of Object.entries(state.charged)) {
    if (round !== null && round === campaign.round && other !== campaign.id) {
      refuse('second_draw', ' in this round');
    }
  }
  const { caps } = state;
  const cost = decimal(campaign.epsilon);
  if (cost > decimal(caps.campaign)) {
    refuse('budget', `: ${campaign.epsilon} is above ${caps.campaign}`);
  }
  if (total(state) + cost > decimal(caps.lifetime)) {
    refuse('budget', `: ${spentOf(state)} + ${campaign.epsilon} is above ${caps.lifetime}`);
  }
}
