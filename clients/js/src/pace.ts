/**
 * When a report leaves says nothing about it. The service sees when a device fetches a campaign and when it comes back
 * with a token; in between, the report is prepared. So the device first rehearses on public values, and then lets the
 * preparation end at the end of a *slot*: a quarter of a second, or four times the rehearsal if that is longer.
 */

/** Milliseconds of the shortest slot. */
export const PACE = 250;

const now = (): number => globalThis.performance?.now?.() ?? Date.now();

/** Rehearse, then let the work take a whole number of slots, whether it succeeds or fails. */
export async function inSlot<Result>(least: number, rehearse: () => void, work: () => Promise<Result>): Promise<Result> {
  const begin = now();
  rehearse();
  const start = now();
  const length = Math.max(least, 4 * (start - begin));
  try {
    return await work();
  } finally {
    const rest = length - ((now() - start) % length);
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
}
