/** Why something was refused: what a caller may want to branch on (spec/protocol.md, "Errors"). */
export type ErrorCode =
  | 'address'
  | 'budget'
  | 'campaign'
  | 'declined'
  | 'features'
  | 'mismatch'
  | 'not_asked'
  | 'privacy'
  | 'random'
  | 'refused'
  | 'second_draw'
  | 'storage'
  | 'token'
  | 'unavailable';

const WORDS: Readonly<Record<ErrorCode, string>> = {
  address: 'an address is https://host/v1/campaigns/<id>; plain http is for this machine alone',
  budget: 'your own cap on epsilon forbids it',
  campaign: 'this is no campaign that a device may answer',
  declined: 'you declined',
  features: 'give one value for each feature, in order or by name',
  mismatch: 'the service sent something else',
  not_asked: 'this campaign asks others',
  privacy: 'no device answers what is for simulations',
  random: 'this platform has no crypto.getRandomValues',
  refused: 'the service refuses',
  second_draw: 'this device has reported already, and does not draw again',
  storage: 'this device cannot keep a report safely',
  token: 'the token is not one for this campaign',
  unavailable: 'the service cannot be reached; try again, nothing is lost',
};

/** Every error of this package. No message holds a private value, a token or a node id. */
export class PrivgeError extends Error {
  override readonly name = 'PrivgeError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** HTTP status of the service's answer, if it refused; 0 for one that points elsewhere, in a browser. */
    readonly status?: number,
  ) {
    super(message);
  }

  /** Errors of taught.js, which has a class of its own, are errors of this package too. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return (error as Error | null)?.name === 'PrivgeError';
  }
}

/** Refuse something, in the words of its code and perhaps more. */
export function refuse(code: ErrorCode, more = '', status?: number): never {
  throw new PrivgeError(code, WORDS[code] + more, status);
}
