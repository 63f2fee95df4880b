// The keys of players that this browser is to remember. What is kept can be used by this page, but read by nobody.

/** A name and key that came with a link: #player=…&key=…, which browsers do not send to anybody. */
export interface Invitation {
  player: string;
  key: string;
}

/** invitation takes what came with the link out of the address, where whoever looks at the screen or the history could read it. */
export function invitation(at: Pick<Location, "hash" | "pathname">, past: Pick<History, "replaceState">): Invitation {
  const p = new URLSearchParams(at.hash.slice(1));
  if (p.has("key")) past.replaceState(null, "", at.pathname);
  return { player: p.get("player") ?? "", key: p.get("key") ?? "" };
}

/** kept is the key of a player, undefined where none is kept or the browser forbids it. */
export function kept(player: string): Promise<CryptoKey | undefined> {
  return using("readonly", (keys) => keys.get(player)).catch(() => undefined);
}

/** keep remembers a player's key, instead of another that was kept: one that the table has shown to know. Where the browser forbids that, it is asked for again the next time. */
export function keep(player: string, key: CryptoKey): Promise<unknown> {
  return using("readwrite", (keys) => keys.put(key, player)).catch(() => undefined);
}

/** forget takes a player's key off this device. */
export function forget(player: string): Promise<unknown> {
  return using("readwrite", (keys) => keys.delete(player)).catch(() => undefined);
}

function using<T>(mode: IDBTransactionMode, ask: (keys: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return new Promise((done, fail) => {
    const open = indexedDB.open("tavolo", 1);
    open.onerror = () => fail(open.error);
    open.onupgradeneeded = () => open.result.createObjectStore("keys");
    open.onsuccess = () => {
      const request = ask(open.result.transaction("keys", mode).objectStore("keys"));
      request.onerror = () => fail(request.error);
      request.onsuccess = () => {
        done(request.result);
        open.result.close();
      };
    };
  });
}
