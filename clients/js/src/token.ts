/** What a device reads of its token: as which node it reports. Only the service can tell whether the token is genuine. */
import { refuse } from './errors.ts';
import { checkedKey } from './indices.ts';

const MOST_CHARACTERS = 2048;

/** Return the node that a token names; refuse what is not a token, or one for another campaign (null: for all). */
export function nodeOf(token: string, campaign: string | null): string {
  const text = token.trim();
  if (text.length > MOST_CHARACTERS || !/^[\w=-]+\.[\w=-]+$/.test(text)) {
    refuse('token');
  }
  const claims = claimsOf(text.slice(0, text.indexOf('.')));
  if (!claims || (claims.campaign !== null && campaign !== null && claims.campaign !== campaign)) refuse('token');
  checkedKey(claims.node);
  return claims.node;
}

function claimsOf(payload: string): { node: string; campaign: string | null } | null {
  try {
    const binary = atob(payload.replace(/=/g, '').replace(/-/g, '+').replace(/_/g, '/'));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (each) => each.charCodeAt(0)));
    const { node, campaign } = JSON.parse(text) as Record<string, unknown>;
    if (campaign !== null && typeof campaign !== 'string') return null;
    if (typeof node === 'string') return { node, campaign };
    const digits = /"node":(-?\d+)[,}]/.exec(text.replace(/\s/g, ''))?.[1]; // which may be more than a number holds
    return typeof node === 'number' && digits ? { node: BigInt(digits).toString(), campaign } : null;
  } catch {
    return null;
  }
}

/** Return the header that shows a token. */
export function authorization(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token.trim()}` };
}
