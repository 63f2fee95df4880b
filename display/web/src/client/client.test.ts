import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Refused, type Answer, type Dial, type Ears } from "./client";
import type { Table } from "./table";

/** A broker with one table, in memory: it hands out what is retained, and keeps what it was sent. */
class Broker {
  dials: { topics: readonly string[]; ears: Ears }[] = [];
  sent: { topic: string; body: any }[] = [];
  retained = new Map<string, unknown>();
  refuses = false;
  /** Those who wait for the next dial, or the next message sent. */
  #waiting: (() => void)[] = [];

  dial: Dial = (_, topics, ears) => {
    this.dials.push({ topics, ears });
    queueMicrotask(() => {
      if (this.refuses) return ears.closed(new Refused("no such user"));
      ears.opened();
      for (const [topic, body] of this.retained) ears.message(root + topic, JSON.stringify(body), true);
      this.#happened();
    });
    return {
      publish: (topic, payload) => {
        this.sent.push({ topic, body: JSON.parse(payload) });
        this.#happened();
      },
      close: () => {},
    };
  };

  say(topic: string, body: object): void {
    this.dials.at(-1)!.ears.message(root + topic, JSON.stringify({ v: 1, epoch: 3, ...body }), false);
  }

  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #happened(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const root = "tavolo/v1/milan/t1/";
const online = { v: 1, state: "online", epoch: 3 };

function connect(broker: Broker, role: "player" | "spectator" = "player"): { client: Client; seen: Table[]; run: Promise<void> } {
  const seen: Table[] = [];
  const account = async () => ({ studio: "milan", table: "t1", user: "ada", password: "sesame" });
  const client = new Client({ role, account, dial: broker.dial, changed: (t) => seen.push(t) });
  return { client, seen, run: client.run() };
}

function asked(broker: Broker, verb: string) {
  return broker.sent.filter((s) => s.body.action === verb);
}

test("a player is told what is theirs, after each connection and each start of the table", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  assert.ok(broker.dials[0]!.topics.includes(root + "seat/ada/hole"));
  broker.say("seat/ada/hole", { seq: 9, hand: 1, seat: 4, cards: ["Ah", "Kd"] });
  assert.deepEqual(client.table.hole?.cards, ["Ah", "Kd"]);

  broker.say("status", { state: "online", epoch: 4 });
  await broker.until(() => asked(broker, "resync").length === 2);
  assert.equal(client.table.hole, undefined);

  broker.dials[0]!.ears.closed(new Error("pulled"));
  await new Promise(setImmediate);
  assert.equal(client.table.link, "lost");
  client.hurry();
  await broker.until(() => asked(broker, "resync").length === 3);
  assert.equal(client.table.link, "online");
  client.close();
  await run;
});

test("a lost event is asked for at once", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  const event = (seq: number) => broker.say("pub/ev", { seq, hand: 1, time: 1, event: { event: "hand_began", hand: 1 } });
  event(5);
  const hole = { seq: 8, hand: 1, time: 1, event: { event: "bets_collected" } };
  broker.say("pub/ev", hole);
  await broker.until(() => asked(broker, "resync").length === 2);
  assert.ok(client.table.gap);
  client.close();
  await run;
});

test("a spectator asks for nothing and has no topics of a player", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker, "spectator");
  await broker.until(() => client.table.status === "online");
  assert.deepEqual(broker.dials[0]!.topics, ["status", "pub/state", "pub/ev"].map((t) => root + t));
  assert.deepEqual(broker.sent, []);
  client.close();
  await run;
});

test("a request is repeated with the same identifier until it is answered, and its answer is its own", async () => {
  const broker = new Broker();
  const { client, run } = connect(broker);
  await broker.until(() => broker.dials.length > 0);
  const call = client.ask({ action: "call", epoch: 3, turn: 8 });
  const fold = client.ask({ action: "fold", epoch: 3, turn: 8 });
  await broker.until(() => asked(broker, "call").length === 2);
  const [first, again] = asked(broker, "call");
  assert.deepEqual(again, first);
  assert.deepEqual({ ...first!.body, id: "" }, { v: 1, id: "", action: "call", epoch: 3, turn: 8 });
  assert.equal(first!.topic, root + "act/ada");
  broker.say("seat/ada/reply", { seq: 9, id: asked(broker, "fold")[0]!.body.id, ok: false, code: "stale_turn", text: "too late" });
  broker.say("seat/ada/reply", { seq: 9, id: first!.body.id, ok: true });
  assert.deepEqual(await Promise.all([call, fold]), [
    { ok: true, code: undefined, text: undefined },
    { ok: false, code: "stale_turn", text: "too late" },
  ] satisfies Answer[]);
  client.close();
  await run;
});

test("a request without an answer ends, and so does one that waits when the client is closed", async () => {
  const broker = new Broker();
  const { client, run } = connect(broker);
  assert.deepEqual(await client.ask({ action: "sit_out" }, 5), { ok: false, code: "unanswered" });
  const waiting = client.ask({ action: "sit_out" });
  client.close();
  assert.deepEqual(await waiting, { ok: false, code: "unanswered" });
  await run;
});

test("an account that is refused is not tried again", async () => {
  const broker = new Broker();
  broker.refuses = true;
  const { client, run } = connect(broker);
  await run;
  assert.equal(client.table.link, "refused");
  assert.equal(broker.dials.length, 1);
});

test("what is no payload changes nothing", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker);
  await broker.until(() => client.table.status === "online");
  const before = client.table;
  const warn = console.warn;
  console.warn = () => {};
  for (const text of ["", "{", "null", "7", '{"v":2}']) broker.dials[0]!.ears.message(root + "pub/state", text, false);
  console.warn = warn;
  assert.equal(client.table, before);
  client.close();
  await run;
});
