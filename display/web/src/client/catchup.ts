// Events that were missed, asked for by their numbers: what live events and snapshots show to be missing, and, once, what
// was before.

import type { Message, Table } from "./table";
import type { Past, Published } from "./wire";

/** AskPast asks for the events from one number to another; undefined if no answer came in time. */
export type AskPast = (first: number, last: number) => Promise<Past | undefined>;

/** How many events are kept back while one before them is missing. */
const maxHeld = 64;
/** How long a missing event may take to follow by itself, in ms. */
const patience = 300;
/** How often events are asked for until the table is shown without them, and how many may be missing. */
const tries = 3;
const maxMissing = 512;
/** How many events are asked for to know the hands before. */
const depth = 400;

/** CatchUp passes on events once and in order, and asks for those that are missing. */
export class CatchUp {
  readonly #held = new Map<number, Published>();
  readonly #ask: AskPast;
  readonly #tell: (m: Message) => void;
  readonly #table: () => Table;
  #timer?: ReturnType<typeof setTimeout>;
  #busy = false;

  constructor(ask: AskPast, tell: (m: Message) => void, table: () => Table) {
    this.#ask = ask;
    this.#tell = tell;
    this.#table = table;
  }

  /** event takes one as it comes. */
  event(p: Published): void {
    const t = this.#table();
    const early = !t.gap && p.epoch === t.epoch && p.seq > t.seq + 1;
    if (!early) this.#tell({ kind: "event", body: p });
    else if (this.#held.size < maxHeld) this.#held.set(p.seq, p);
    this.#drain();
    this.look();
  }

  /** look sees whether events are missing; to be called when there is a new snapshot. */
  look(): void {
    if (!this.#missing()) this.stop();
    else if (!this.#busy) this.#timer ??= setTimeout(() => void this.#chase(), patience);
  }

  /** stop waits for nothing more. */
  stop(): void {
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
    this.stop();
    this.#busy = true;
    for (let failed = 0; failed < tries; ) {
      const missing = this.#missing();
      if (!missing || missing[1] - missing[0] >= maxMissing) break;
      const past = await this.#ask(...missing);
      const before = this.#table().seq;
      for (const p of past?.events ?? []) {
        if (p.epoch === this.#table().epoch && p.seq === this.#table().seq + 1) this.#tell({ kind: "event", body: p });
      }
      this.#drain();
      failed = this.#table().seq > before ? 0 : failed + 1;
    }
    this.#busy = false;
    if (!this.#missing()) return;
    this.#tell({ kind: "gap" }); // goes on from the snapshot
    for (const seq of [...this.#held.keys()].sort((a, b) => a - b)) this.#tell({ kind: "event", body: this.#held.get(seq)! });
    this.#held.clear();
  }

  /** drain passes on what was held and is next now, and lets go of what is known. */
  #drain(): void {
    for (;;) {
      const next = this.#held.get(this.#table().seq + 1);
      if (!next) break;
      this.#held.delete(next.seq);
      this.#tell({ kind: "event", body: next });
    }
    for (const [seq, p] of this.#held) if (seq <= this.#table().seq || p.epoch !== this.#table().epoch) this.#held.delete(seq);
  }
}

/** recall asks for the events up to now, some hundred of them; undefined if they cannot be told. None of those that the
 * picture of now includes is missing. */
export async function recall(ask: AskPast, table: () => Table): Promise<Published[] | undefined> {
  const { epoch } = table();
  const now = () => Math.max(table().seq, table().snapshot?.view.seq ?? 0);
  const events: Published[] = [];
  for (let next = Math.max(1, now() - depth + 1); next <= now(); next = events.at(-1)!.seq + 1) {
    let past = await ask(next, now());
    if (past && past.events.length === 0 && past.oldest > next) past = await ask(past.oldest, now());
    if (!past || past.events.length === 0 || table().epoch !== epoch || table().gap) return undefined;
    events.push(...past.events);
  }
  return events;
}
