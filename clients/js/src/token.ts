/** What a device reads of its token: as which node it reports. Only the service can tell whether the token is genuine. */
import { refuse } from './errors.ts';
import { checkedKey } from './indices.ts';

const MOST_CHARACTERS = 2048;

/** Return the node that a token names; refuse what is not a token, or one for another campaign (null: for all). */
export function nodeOf(token: string, campaign: string | null): string {
  const [, payload = ''] = /^([\w-]+)=*\.[\w=-]+$/.exec(String(token).trim()) ?? [];
  let claims: { node?: unknown; campaign?: unknown } = {};
  try {
    const binary = atob(payload.replace(/-/g, '+').replace(/_/g, '/'));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (each) => each.charCodeAt(0)));
    // An integer becomes its digits: it may have more than a number holds.
    claims = Object(JSON.parse(text.replace(/("node": *)(-?\d+)/, '$1"$2"'))) as typeof claims;
  } catch {
    // refused below
  }
  const { node, campaign: meant } = claims;
  const other = meant !== null && (typeof meant !== 'string' || (campaign !== null && meant !== campaign));
  if (typeof node !== 'string' || other || token.length > MOST_CHARACTERS) refuse('token');
  checkedKey(node);
  return node;
}
