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

/** Every error of this package. No message holds a private value, a token or a node id. */
export class PrivgeError extends Error {
  override readonly name = 'PrivgeError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** HTTP status of the service's answer, if it refused. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Refuse something. */
export function refuse(code: ErrorCode, message: string, status?: number): never {
  throw new PrivgeError(code, message, status);
}
