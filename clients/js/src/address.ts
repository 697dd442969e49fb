/** Where a campaign lives: `https://host/v1/campaigns/<id>`. The id is the hash of what is there. */
import { refuse } from './errors.ts';

export interface Address {
  /** Scheme, host, port and base path of the service. */
  readonly origin: string;
  /** Id of the campaign. */
  readonly campaign: string;
}

const HOST = String.raw`(?:[\w.-]+|\[[\da-fA-F:.]+\])`;
const ORIGIN = String.raw`(https?):\/\/(${HOST})(?::\d{1,5})?(?:\/[\w.~-]+)*?`;
const CAMPAIGN = new RegExp(String.raw`^(${ORIGIN})\/v1\/campaigns\/([\da-f]{64})\/?$`);
const SERVICE = new RegExp(String.raw`^(${ORIGIN})\/?$`);
const THIS_MACHINE = ['127.0.0.1', '[::1]', 'localhost'];

/** Read the address of a campaign. Plain http is for this machine only, unless it is asked for. */
export function addressOf(url: string, insecureHttp: boolean): Address {
  const [, origin, scheme, host, campaign] = CAMPAIGN.exec(url) ?? [];
  if (!origin || !campaign) refuse('address');
  checkScheme(scheme, host, insecureHttp);
  return { origin, campaign };
}

/** Read the address of a service, or of a campaign of it. */
export function originOf(url: string, insecureHttp: boolean): string {
  const [, origin, scheme, host] = CAMPAIGN.exec(url) ?? SERVICE.exec(url) ?? [];
  if (!origin) refuse('address');
  checkScheme(scheme, host, insecureHttp);
  return origin;
}

function checkScheme(scheme: string | undefined, host: string | undefined, insecureHttp: boolean): void {
  if (scheme === 'http' && !THIS_MACHINE.includes(host ?? '') && !insecureHttp) refuse('address');
}
