/** Bytes, hexadecimal digits and UTF-8. */

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join('');
}

export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** Return text in UTF-8. It must be well formed: see `isWellFormed`. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Say whether text is Unicode: half of a surrogate pair is not. */
export function isWellFormed(text: string): boolean {
  return !/[\ud800-\udfff]/u.test(text);
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

/** Return an unsigned 32-bit integer as four bytes, big-endian. */
export function bigEndian(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** Read the unsigned 32-bit word, big-endian, that begins at a place. */
export function wordAt(bytes: Uint8Array, place: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(place);
}
