/** A service in memory that follows the wire format and can fail at any request; for one node. */
import { toHex } from '../src/bytes.ts';
import { sha256Hex } from '../src/sha256.ts';

export class Service {
  /** Every body that was ever put, by campaign: also those whose answer was lost. */
  readonly put: string[] = [];
  readonly requests: string[] = [];
  stored: string | null = null;
  erased = false;
  /** Called before and after each request; what it throws, the device sees as a broken network. */
  trouble: (when: 'before' | 'after', request: string) => void = () => undefined;

  constructor(
    readonly id: string,
    readonly document: string,
  ) {}

  readonly fetch = (async (url: string, init: RequestInit) => {
    const method = init.method ?? 'GET';
    const path = url.replace(/^https:\/\/[^/]+/, '');
    const request = `${method} ${path.replace(/[0-9a-f]{64}/g, '…')}`;
    this.requests.push(request);
    this.trouble('before', request);
    const [status, body] = this.answer(method, path, init);
    this.trouble('after', request);
    await Promise.resolve();
    return new Response(body, { status });
  }) as unknown as typeof fetch;

  private answer(method: string, path: string, init: RequestInit): [number, string] {
    if (path === '/v1/me' && method === 'DELETE') {
      this.erased = true;
      return [200, JSON.stringify({ erased: [this.id] })];
    }
    if (path === '/v1/me') {
      return [200, JSON.stringify({ node: 'a', holdings: [{ campaign: this.id, codes: null, day: '2026-01-01', epsilon: 1 }] })];
    }
    if (method === 'PUT') {
      const body = init.body as Uint8Array;
      this.put.push(toHex(body));
      if (this.erased) return [410, ''];
      if (!path.endsWith(sha256Hex(body))) return [422, ''];
      const earlier = this.stored;
      this.stored ??= toHex(body);
      return [earlier === null ? 201 : earlier === toHex(body) ? 200 : 409, ''];
    }
    if (path.endsWith('/me')) return this.erased ? [410, ''] : [200, '{"reason":"open","codes":null}'];
    return [200, this.document];
  }
}

export function tokenOf(node: string | number, campaign: string | null = null): string {
  const payload = Buffer.from(JSON.stringify({ node, campaign, expires: 0, key: 'k' })).toString('base64url');
  return `${payload}.c2lnbmF0dXJl`;
}
