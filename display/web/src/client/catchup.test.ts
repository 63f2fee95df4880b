import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { CatchUp, maxMissing } from "./catchup";
import { nothing, reduce, type Message, type Table } from "./table";
import type { Past, Published, Snapshot } from "./wire";

/** How many events one answer holds. */
const answered = 64;

/** A table that plays on while a client catches up with it. */
class Playing {
  table: Table = nothing;
  seq = 0;
  oldest = 1;
  epoch = 3;
  /** The numbers told, and 0 for a gap. */
  told: number[] = [];
  /** How the next questions are answered; true once there are none. */
  answers: boolean[] = [];
  asked = 0;

  readonly catchUp = new CatchUp(
    (first, last, wait) => this.#answer(first, last, wait),
    (m) => this.tell(m),
    () => this.table,
  );

  constructor() {
    this.tell({ kind: "link", link: "online", asks: true });
    this.snapshot();
  }

  tell(m: Message): void {
    const { seq } = this.table;
    this.table = reduce(this.table, m);
    if (m.kind === "gap") this.told.push(0);
    if (m.kind === "event" && this.table.seq > seq) this.told.push(this.table.seq);
  }

  snapshot(): void {
    const body = { v: 1, epoch: this.epoch, view: { seq: this.seq, hand: 1, board: [] as string[], seats: [] as object[] } };
    this.tell({ kind: "snapshot", body: body as unknown as Snapshot, at: 0, retained: false });
    this.catchUp.look();
  }

  event(seq: number): Published {
    return { v: 1, epoch: this.epoch, seq, hand: 1, time: 0, event: { event: "turn_passed" } };
  }

  /** goesOn has so many events happen; those on the way are told, out of order. */
  goesOn(n: number, told: boolean): void {
    const from = this.seq + 1;
    this.seq += n;
    if (!told) return;
    for (let seq = this.seq; seq >= from; seq--) this.catchUp.event(this.event(seq));
    this.snapshot();
  }

  async #answer(first: number, last: number, wait: number): Promise<Past | undefined> {
    this.asked++;
    if (this.answers.shift() === false) return new Promise((done) => setTimeout(done, wait, undefined));
    const events: Published[] = [];
    for (let seq = Math.max(first, this.oldest); seq <= last && events.length < answered; seq++) events.push(this.event(seq));
    return { v: 1, epoch: this.epoch, seq: this.seq, id: "", oldest: this.oldest, events };
  }

  /** passes has time pass, in steps, each with something to do. */
  async passes(ms: number, step = 50, each = () => {}): Promise<void> {
    for (; ms > 0; ms -= step) {
      mock.timers.tick(step);
      await new Promise(setImmediate);
      each();
    }
  }
}

/** count are the numbers from one to another. */
function count(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test.beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
test.afterEach(() => mock.timers.reset());

test("what was missed is told, each event once and in order, while the table plays on", async () => {
  const p = new Playing();
  p.goesOn(3, true);
  p.goesOn(maxMissing - 200, false);
  await p.passes(20_000, 50, () => p.seq < 6000 && p.goesOn(7, true));
  assert.deepEqual(p.told, count(1, p.seq));
  assert.ok(p.seq >= 6000);
});

test("a table that does not answer is asked until it does", async () => {
  const p = new Playing();
  p.goesOn(3, true);
  p.goesOn(100, false);
  p.answers = Array(12).fill(false);
  p.goesOn(1, true);
  await p.passes(60_000);
  assert.deepEqual(p.told, [1, 2, 3]);
  assert.ok(p.asked >= 6 && p.asked <= 8, `${p.asked} questions in a minute`);
  await p.passes(120_000);
  assert.deepEqual(p.told, count(1, 104));
  p.catchUp.close();
});

test("events go on over a start of the table", async () => {
  const p = new Playing();
  p.goesOn(3, true);
  p.goesOn(100, false);
  p.epoch = 4;
  for (const seq of [101, 102, 103]) p.catchUp.event(p.event(seq)); // those of the hand, told again
  p.goesOn(2, true);
  await p.passes(2000);
  assert.deepEqual(p.told, count(1, 105));
});

test("who misses too much, or what is gone, is told of a gap and goes on from the snapshot", async () => {
  for (const [missed, oldest] of [[maxMissing + 1, 1], [100, 50]] as const) {
    const p = new Playing();
    p.goesOn(3, true);
    p.goesOn(missed, false);
    p.oldest = oldest;
    p.goesOn(1, true);
    await p.passes(2000);
    p.goesOn(2, true);
    assert.deepEqual(p.told, [1, 2, 3, 0, p.seq - 1, p.seq]);
  }
});
