// Events that were missed, asked for by their numbers: what live events and snapshots show to be missing, and, once, what
// was before.

import type { Message, Table } from "./table";
import type { Past, Published } from "./wire";

/** AskPast asks for the events from one number to another; undefined if no answer came in so many ms. */
export type AskPast = (first: number, last: number, wait: number) => Promise<Past | undefined>;

/** How many events are kept back while one before them is missing. */
const maxHeld = 64;
/** How long a missing event may take to follow by itself, in ms. */
const patience = 300;
/** How long an answer may take until it is asked for again, in ms; twice that each time, up to the longest. */
const shortest = 1000;
const longest = 16_000;
/** How much time lies between two questions, in ms: less than a table takes from one sender, so that actions have their room. */
const pace = 25;
/** How many events may be missing, some fifty hands: as many as the table has in memory. Whoever misses more goes on from the
 * snapshot, and so does whoever misses what the table no longer has. */
export const maxMissing = 4096;
/** How many events are asked for to know the hands before. */
const depth = 400;

/** CatchUp passes on events once and in order, and asks for those that are missing, until it is told them; where it cannot
 * be, it tells of a gap. */
export class CatchUp {
  readonly #held = new Map<number, Published>();
  readonly #ask: AskPast;
  readonly #tell: (m: Message) => void;
  readonly #table: () => Table;
  #timer?: ReturnType<typeof setTimeout>;
  #wait = shortest;
  #busy = false;
  #closed = false;

  constructor(ask: AskPast, tell: (m: Message) => void, table: () => Table) {
    this.#ask = ask;
    this.#tell = tell;
    this.#table = table;
  }

  /** event takes one as it comes. */
  event(p: Published): void {
    const t = this.#table();
    const early = !t.gap && p.epoch >= t.epoch && p.seq > t.seq + 1;
    if (!early) this.#tell({ kind: "event", body: p });
    else if (this.#held.size < maxHeld) this.#held.set(p.seq, p);
    this.#drain();
    this.look();
  }

  /** look sees whether events are missing; to be called when there is a new snapshot. */
  look(): void {
    if (!this.#missing()) this.#rest();
    else if (!this.#busy && !this.#closed) this.#timer ??= setTimeout(() => void this.#chase(), patience);
  }

  /** hurry asks again soon if an answer fails to come: the table is there anew. */
  hurry(): void {
    this.#wait = 0;
  }

  /** close waits for nothing more. */
  close(): void {
    this.#closed = true;
    this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** missing are the numbers of the first and the last event that a later one or a snapshot shows to be missing. */
  #missing(): [first: number, last: number] | undefined {
    const t = this.#table();
    if (t.gap) return undefined;
    const last = this.#held.size > 0 ? Math.min(...this.#held.keys()) - 1 : (t.snapshot?.view.seq ?? 0);
    return last > t.seq ? [t.seq + 1, last] : undefined;
  }

  async #chase(): Promise<void> {
    this.#rest();
    this.#busy = true;
    this.#wait = shortest;
    for (let missing = this.#missing(); missing && !this.#closed; missing = this.#missing()) {
      const [first, last] = missing;
      if (last - first >= maxMissing) {
        this.#skip();
        continue;
      }
      const past = await this.#ask(first, last, this.#wait);
      if (this.#closed) break;
      if (past && past.epoch === this.#table().epoch && past.oldest > this.#table().seq + 1) this.#skip();
      for (const p of past?.events ?? []) {
        if (p.epoch === this.#table().epoch && p.seq === this.#table().seq + 1) this.#tell({ kind: "event", body: p });
      }
      this.#drain();
      const told = this.#table().seq >= first;
      this.#wait = told ? shortest : Math.min(Math.max(2 * this.#wait, shortest), longest);
      if (told) await new Promise((done) => setTimeout(done, pace));
    }
    this.#busy = false;
  }

  /** skip goes on from the snapshot. */
  #skip(): void {
    this.#tell({ kind: "gap" });
    this.#drain();
  }

  /** drain passes on what was held and is next now, and lets go of what is known. */
  #drain(): void {
    for (;;) {
      const next = this.#held.get(this.#table().seq + 1);
      if (!next) break;
      this.#held.delete(next.seq);
      this.#tell({ kind: "event", body: next });
    }
    for (const [seq, p] of this.#held) if (seq <= this.#table().seq || p.epoch < this.#table().epoch) this.#held.delete(seq);
  }
}

/** recall asks, with so much patience, for the events up to now, some hundred of them; undefined if they cannot be told. None of those that the
 * picture of now includes is missing. */
export async function recall(ask: AskPast, table: () => Table, wait: number): Promise<Published[] | undefined> {
  const { epoch } = table();
  const now = () => Math.max(table().seq, table().snapshot?.view.seq ?? 0);
  const events: Published[] = [];
  for (let next = Math.max(1, now() - depth + 1); next <= now(); next = events.at(-1)!.seq + 1) {
    let past = await ask(next, now(), wait);
    if (past && past.events.length === 0 && past.oldest > next) past = await ask(past.oldest, now(), wait);
    if (!past || past.events.length === 0 || table().epoch !== epoch || table().gap) return undefined;
    events.push(...past.events);
  }
  return events;
}
