/**
 * Exact arithmetic where numbers alone would not do.
 *
 * Everything else in this package stays in numbers, because two facts make them exact. (1) Integers up to 2**53 are
 * numbers, and sums, differences and products that end up there are exact. What exceeds it is rounded to at least 2**53,
 * so that a comparison with a bound of at most 2**53 is right in any case. (2) For integers |a| < 2**53 and
 * 1 <= b <= 2**53, `Math.floor(a / b)` is the exact quotient: a / b is at least 1 / b away from the next integer n unless
 * it is one, and half of the distance of two numbers there is at most n 2**-53 < 1 / b if b n < 2**53. (Where it is equal,
 * n is a power of two, below which numbers are twice as dense. Where b n is more, it is less than 2**54, and a / b is at
 * least (b n - a) / b >= 2 / b away, because a < 2**53.)
 */

const BITS = 256n; // of a fixed-point logarithm
const SLACK = 1n << 24n; // more than all roundings down of one logarithm together

/** A quotient of two integers, of at least 1. */
export interface Ratio {
  readonly high: number;
  readonly low: number;
}

/** Return which of two quotients is larger, as `sort` wants it, the largest first. */
export function compareRatios(one: Ratio, other: Ratio): number {
  const difference = BigInt(other.high) * BigInt(one.low) - BigInt(one.high) * BigInt(other.low);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Say whether the sum of the logarithms of some quotients is certainly at most epsilon. */
export function spendAtMost(ratios: readonly { readonly ratio: Ratio; readonly uses: number }[], epsilon: number): boolean {
  let spent = 0n;
  for (const { ratio, uses } of ratios) {
    if (ratio.high > ratio.low) spent += BigInt(uses) * logAbove(BigInt(ratio.high), BigInt(ratio.low));
  }
  // No k <= 65,536 laws spend 2**24, so that a larger epsilon need not be looked at; a power of two moves no digit.
  return spent <= BigInt(Math.floor(Math.min(epsilon, 2 ** 24) * 2 ** Number(BITS)));
}

/** Return a bound of 2**256 ln(high / low) from above, by ln x = 2 artanh((x - 1) / (x + 1)). */
function logAbove(high: bigint, low: bigint): bigint {
  let twos = 0n;
  while (3n * low < 2n * high) {
    low *= 2n; // until the quotient is at most 3/2
    twos += 1n;
  }
  return twos * twiceArtanh(1n, 3n) + twiceArtanh(high - low, high + low) + (twos + 1n) * SLACK;
}

/** Return 2**256 times 2 artanh(a / b), rounded towards 0, for |a / b| <= 1/3. */
function twiceArtanh(a: bigint, b: bigint): bigint {
  let power = (a << (BITS + 1n)) / b;
  let sum = 0n;
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += power / odd;
    power = (power * a * a) / (b * b);
  }
  return sum;
}

/** Return a decimal number, as a document states it, as an integer of 10**-400. */
export function decimal(value: number): bigint {
  const [digits = '0', exponent = '0'] = value.toExponential().split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(exponent) - fraction.length);
}

/** Round to the nearest integer, halves to the even one, for numbers of at least 0; the same work for each. */
export function roundEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return floor + (Number(rest > 0.5) | (Number(rest === 0.5) & floor & 1));
}
