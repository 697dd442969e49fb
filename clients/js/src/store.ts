/**
 * Where a device keeps what it must not forget: one text, changed as a whole or not at all, by one tab at a time.
 *
 * IndexedDB does both by itself: a transaction reads and writes, no other runs meanwhile, and it is durable when it
 * completes. Anything with `getItem` and `setItem` (localStorage, React Native's AsyncStorage, an own store) is changed
 * under a Web Lock; where there are none, and no tabs, it must belong to one process.
 */
import { refuse } from './errors.ts';

/** A store that changes its text atomically and durably. */
export interface Store {
  /** Replace the text by what a function makes of it (null: nothing is kept yet); wait until that is durable. */
  update(change: (text: string | null) => string): Promise<void>;
}

/** A store of texts by key, such as localStorage. */
export interface KeyValue {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
}

const NAME = 'privge';
const KEY = 'device';

/** Return the store to use: the given one, or IndexedDB. Without any, nothing can be drawn. */
export function storeOf(given: Store | KeyValue | undefined): Store {
  if (given) return 'update' in given ? given : lockedStore(given);
  return globalThis.indexedDB ? indexedDBStore() : refuse('storage', ': give a store');
}

/** The store of a browser: one database for this site. */
export function indexedDBStore(name = NAME): Store {
  return {
    async update(change) {
      const database = await opened(name);
      try {
        await new Promise<void>((resolve, reject) => {
          const transaction = database.transaction(KEY, 'readwrite', { durability: 'strict' });
          let problem: unknown;
          transaction.oncomplete = () => resolve();
          transaction.onabort = () => reject(problem as Error);
          const table = transaction.objectStore(KEY);
          const reading = table.get(KEY) as IDBRequest<string | undefined>;
          reading.onsuccess = () => {
            try {
              const before = reading.result ?? null;
              const after = change(before);
              if (after !== before) table.put(after, KEY);
            } catch (error) {
              problem = error;
              transaction.abort();
            }
          };
        });
      } finally {
        database.close();
      }
    },
  };
}

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = globalThis.indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(KEY);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = opening.onblocked = reject;
  });
}

let queue: Promise<unknown> = Promise.resolve();

/** A store of texts by key, changed under a lock: a Web Lock, or within this process where there are none. */
function lockedStore(items: KeyValue): Store {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  if (!locks && globalThis.document) refuse('storage', ': there are no Web Locks'); // two tabs could draw twice
  const name = `${NAME}.${KEY}`;
  const work = async (change: (text: string | null) => string): Promise<void> => {
    const before = await items.getItem(name);
    const after = change(before);
    if (after === before) return;
    await items.setItem(name, after);
    if ((await items.getItem(name)) !== after) throw new Error();
  };
  return {
    async update(change) {
      if (locks) return void (await locks.request(name, () => work(change)));
      const turn = queue.then(() => work(change));
      queue = turn.catch(() => undefined);
      return turn;
    },
  };
}
