import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { canonical, parseCanonical } from '../src/canonical.ts';
import { utf8 } from '../src/bytes.ts';
import { compareRatios, decimal, roundEven, spendAtMost } from '../src/exact.ts';
import { Campaign } from '../src/index.ts';
import { integerRoot } from '../src/scores.ts';
import { sha256Hex } from '../src/sha256.ts';
import { TOTAL } from '../src/random.ts';

const word = fc.integer({ min: 0, max: TOTAL - 1 });
const positive = fc.oneof(fc.integer({ min: 1, max: TOTAL - 1 }), fc.integer({ min: 1, max: 5000 }));

describe('exact arithmetic', () => {
  it('a floor of a quotient is exact, below 0 too', () => {
    fc.assert(
      fc.property(word, positive, fc.boolean(), (a, b, below) => {
        const quotient = Math.floor((below ? -a : a) / b);
        const exact = below ? -((BigInt(a) + BigInt(b) - 1n) / BigInt(b)) : BigInt(a) / BigInt(b);
        return BigInt(quotient) === exact;
      }),
      { numRuns: 20_000 },
    );
  });

  it('a floor of a quotient is exact beside every multiple', () => {
    fc.assert(
      fc.property(positive, fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: -1, max: 1 }), (b, share, more) => {
        const a = Math.floor(share * Math.floor((TOTAL - 2) / b)) * b + more;
        return a < 0 || BigInt(Math.floor(a / b)) === BigInt(a) / BigInt(b);
      }),
      { numRuns: 20_000 },
    );
  });

  it('an integer root is rounded down, beside squares too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 94_906_264 }), fc.integer({ min: -1, max: 1 }), (root, more) => {
        const square = root * root + more;
        if (square < 0) return true;
        const found = BigInt(integerRoot(square));
        return found * found <= BigInt(square) && (found + 1n) * (found + 1n) > BigInt(square);
      }),
    );
  });

  it('halves are rounded to the even integer', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 5000 }), (n) => roundEven(n + 0.5) === n + (n % 2) && roundEven(n) === n));
  });

  it('a logarithm is compared as a float of it says, where that can say it', () => {
    fc.assert(
      fc.property(positive, positive, fc.integer({ min: 1, max: 50 }), (one, other, uses) => {
        const ratio = { high: Math.max(one, other), low: Math.min(one, other) };
        const log = uses * Math.log(ratio.high / ratio.low);
        if (log < 1e-9) return true;
        return spendAtMost([{ ratio, uses }], log * (1 + 1e-12)) && !spendAtMost([{ ratio, uses }], log * (1 - 1e-12));
      }),
    );
  });

  it('of two quotients the larger comes first', () => {
    expect([{ high: 3, low: 2 }, { high: TOTAL, low: 1 }, { high: 5, low: 3 }].sort(compareRatios).map(({ high }) => high)).toEqual([TOTAL, 5, 3]);
  });

  it('decimal numbers add up as they are stated', () => {
    expect(decimal(0.1) + decimal(0.2)).toBe(decimal(0.3));
    expect(decimal(5e-324) > 0n && decimal(1.7e308) > decimal(1e308)).toBe(true);
  });

  it('the hash is that of the platform', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => sha256Hex(bytes) === createHash('sha256').update(bytes).digest('hex')),
    );
    const long = new Uint8Array(1_000_003).fill(7);
    expect(sha256Hex(long)).toBe(createHash('sha256').update(long).digest('hex'));
  });
});

describe('canonical JSON', () => {
  it('whatever it writes it reads, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false } as object), (value) => {
        const text = canonical(JSON.parse(JSON.stringify(value)));
        expect(canonical(parseCanonical(utf8(text)))).toBe(text);
        expect(() => parseCanonical(utf8(`${text} `))).toThrow('canonical');
      }),
    );
  });
});

describe('a document with one byte changed', () => {
  const text = (JSON.parse(readFileSync(new URL('../../../spec/vectors/questions.json', import.meta.url), 'utf8')) as { vectors: { document: string }[] }).vectors[0]!.document;

  it('is another campaign or none, and never ends in another error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'0123456789"{}[],:aexyz -.\\'), async (place, letter) => {
        const changed = text.slice(0, place) + letter + text.slice(place + 1);
        if (changed === text) return true;
        try {
          return (await Campaign.read(changed)).id !== (await Campaign.read(text)).id;
        } catch (error) {
          return (error as { code?: string }).code === 'campaign' || (error as { code?: string }).code === 'privacy';
        }
      }),
      { numRuns: 400 },
    );
  });
});
