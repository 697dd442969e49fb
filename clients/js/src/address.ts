/** Where a campaign lives: `https://host/v1/campaigns/<id>`. The id is the hash of what is there. */
import { refuse } from './errors.ts';

export interface Address {
  /** Scheme, host, port and base path of the service. */
  readonly origin: string;
  /** Id of the campaign; empty if only a service is named. */
  readonly campaign: string;
}

const FORM =
  /^(https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[\w.~-]+)*?)(?:\/v1\/campaigns\/([\da-f]{64}))?\/?$/;
const SAFE = /^https:|^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)([:/]|$)/;

/** Read the address of a service or a campaign of it. Plain http is for this machine only, unless it is asked for. */
export function addressOf(url: string, insecureHttp = false): Address {
  const [, origin, campaign = ''] = FORM.exec(url) ?? [];
  return origin && (insecureHttp || SAFE.test(url)) ? { origin, campaign } : refuse('address');
}
