/**
 * Requests to a service: bounded answers, no redirects, no cookies, and patience within one deadline. A request is tried
 * again when nobody answers in time, or after 408, 429 and 5xx; never after another 4xx. How long, how often and what is
 * said depends on the service alone.
 */
import { concat } from './bytes.ts';
import { PrivgeError, refuse } from './errors.ts';
import { randomWords, TOTAL } from './random.ts';

/** How often to try, and for how long. All times in milliseconds. */
export interface Patience {
  /** Time for everything together: all requests, all waits, all attempts. */
  readonly deadline: number;
  /** Time for one exchange: connection, request, and all of the answer. */
  readonly timeout: number;
  /** The wait before attempt n + 1 is drawn from 0 to `pause * 2**n`. */
  readonly pause: number;
  /** What no wait exceeds. */
  readonly longest: number;
}

export const PATIENCE: Patience = { deadline: 180_000, timeout: 30_000, pause: 500, longest: 60_000 };

export interface Reply {
  readonly status: number;
  readonly body: Uint8Array;
}

export interface Asking {
  readonly body?: Uint8Array;
  /** Shown, if it is given. */
  readonly token?: string;
  /** Bytes of the largest answer that is expected. */
  readonly largest?: number;
}

export type Fetch = typeof globalThis.fetch;

const SMALL = 2 ** 16;
const WORDS = 300; // characters of a problem that are shown

/** A service, and what is left of the deadline. */
export class Client {
  private end = 0;

  constructor(
    readonly origin: string,
    private readonly patience: Patience,
    private readonly fetch: Fetch,
  ) {
    this.renew();
  }

  /** Begin the deadline anew. */
  renew(): void {
    this.end = Date.now() + this.patience.deadline;
  }

  /** Send a request until it succeeds, or is refused and would be again. */
  async ask(method: string, path: string, asking: Asking = {}): Promise<Reply> {
    for (let failures = 0; ; failures++) {
      let wait = 0;
      try {
        const { reply, retryAfter } = await this.once(method, path, asking);
        if (reply.status < 300) return reply;
        if (![408, 429].includes(reply.status) && reply.status < 500) refused(reply);
        wait = retryAfter;
      } catch (error) {
        if (error instanceof PrivgeError) throw error;
      }
      const { pause, longest } = this.patience;
      const jitter = (randomWords(1)[0]! / TOTAL) * Math.min(longest, pause * 2 ** failures);
      const delay = Math.min(longest, jitter + wait);
      if (Date.now() + delay >= this.end) {
        refuse('unavailable');
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }

  private async once(method: string, path: string, asking: Asking): Promise<{ reply: Reply; retryAfter: number }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), Math.max(0, Math.min(this.patience.timeout, this.end - Date.now())));
    try {
      const response = await this.fetch.call(globalThis, this.origin + path, {
        method,
        headers: {
          ...(asking.token ? { Authorization: `Bearer ${asking.token.trim()}` } : {}),
          ...(asking.body ? { 'Content-Type': 'application/octet-stream' } : {}),
        },
        body: asking.body?.slice() ?? null,
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        signal: abort.signal,
      });
      const { status } = response;
      if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
        refuse('refused', ' with another address', status);
      }
      const body = await bodyOf(response, asking.largest ?? SMALL);
      const asked = response.headers.get('Retry-After') ?? '';
      return { reply: { status, body }, retryAfter: /^\d{1,9}$/.test(asked) ? 1000 * Number(asked) : 0 };
    } finally {
      clearTimeout(timer);
      abort.abort(); // lets go of an answer that was not read to its end
    }
  }
}

async function bodyOf(response: Response, largest: number): Promise<Uint8Array> {
  const tooMuch = (): never => refuse('refused', ' with too long an answer', response.status);
  const reader = response.body?.getReader?.();
  if (!reader) {
    const whole = new Uint8Array(await response.arrayBuffer()); // React Native has no streams
    return whole.length > largest ? tooMuch() : whole;
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > largest) tooMuch();
  }
  return concat(...parts);
}

/** Refuse with the service's own words, shortened and on one line. */
function refused(reply: Reply): never {
  const words = String(parsed(reply)['detail'] ?? '').replace(/[^\x20-\x7e]+/g, ' ');
  refuse('refused', ` with ${reply.status}. ${words.slice(0, WORDS)}`, reply.status);
}

/** Read the table that an answer holds; an empty one if it holds none. */
export function parsed({ body }: Reply): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(body))) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
