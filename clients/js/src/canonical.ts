/** Canonical JSON (RFC 8785): one text for one document, so that a hash can name it. */
import { refuse } from './errors.ts';

/** Return the canonical text of what JSON can hold. Numbers are written as the language itself writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const table = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(table).sort(); // by UTF-16 code units
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(table[key])}`).join(',')}}`;
}

/**
 * Read canonical JSON; any other text is refused, even if it would mean the same. Half of a surrogate pair comes through
 * here as the escape that it is; whoever reads text refuses it (`anyText` in stated.ts).
 */
export function parseCanonical(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (canonical(value) === text) return value;
  } catch {
    // not UTF-8, not JSON, or deeper than the stack
  }
  return refuse('campaign', ': it is not canonical JSON');
}
