import type { KeyValue } from '../src/index.ts';

/** A store that forgets everything with its process. */
export function memoryStore(items = new Map<string, string>()): KeyValue {
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
}
