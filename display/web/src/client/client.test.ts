import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Refused, type Answer, type Dial, type Ears, type Farewell } from "./client";
import { readKey } from "./seal";
import { TableEnd } from "./sealtest";
import { lacks } from "./table";

/** A broker with one table, in memory: it hands out what is retained, opens and keeps what it was sent, and seals what is
 * for the player. */
class Broker {
  dials: { device: string; topics: readonly string[]; ears: Ears; farewell?: Farewell }[] = [];
  /** n is the number of a request that was sealed. */
  sent: { topic: string; n: number; body: any }[] = [];
  readonly #end = new TableEnd(secret, { studio: "milan", table: "t1", player: "ada" });
  pings: number[] = [];
  retained = new Map<string, unknown>();
  refuses = false;
  /** Those who wait for the next dial, or the next message sent. */
  #waiting: (() => void)[] = [];

  dial: Dial = (_, device, topics, ears, farewell) => {
    this.dials.push({ device, topics, ears, farewell });
    queueMicrotask(() => {
      if (this.refuses) return ears.closed(new Refused("no such user"));
      ears.opened();
      for (const [topic, body] of this.retained) ears.message(root + topic, JSON.stringify(body), true);
      this.#happened();
    });
    return {
      publish: async (topic, payload) => {
        const body = JSON.parse(payload);
        this.sent.push({ topic, n: body.n, body: topic.endsWith("/cmd") ? body : JSON.parse(await this.#end.open(body)) });
        this.#happened();
      },
      ping: (limit) => this.pings.push(limit),
      close: () => {},
    };
  };

  say(topic: string, body: object): void {
    this.dials.at(-1)!.ears.message(root + topic, JSON.stringify({ v: 1, epoch: 3, ...body }), false);
  }

  /** tell says something to the player alone. */
  async tell(leaf: string, body: { epoch?: number; seq: number; hand?: number; [field: string]: unknown }): Promise<void> {
    const text = JSON.stringify({ v: 1, epoch: 3, ...body });
    const sealed = await this.#end.seal(leaf, { epoch: body.epoch ?? 3, hand: body.hand ?? 1, seq: body.seq }, text);
    this.dials.at(-1)!.ears.message(`${root}seat/ada/${leaf}`, JSON.stringify(sealed), false);
  }

  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #happened(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

console.warn = () => {}; // what is said of broken connections and messages is no part of a test

const root = "tavolo/v1/milan/t1/";
const online = { v: 1, state: "online", epoch: 3 };
const secret = "ABCDEFGHIJKLMNOPQRSTUVWX23";

/** connect also gives a promise of the next change that will do. */
function connect(broker: Broker, plays = true) {
  const account = async () => {
    const key = plays ? await readKey(secret) : undefined;
    return { studio: "milan", table: "t1", user: "ada", password: "sesame", key };
  };
  let changed = () => {};
  const client = new Client({ account, dial: broker.dial, changed: () => changed() });
  const until = (done: () => boolean) =>
    new Promise<void>((resolve) => {
      changed = () => done() && resolve();
      changed();
    });
  return { client, until, run: client.run() };
}

function asked(broker: Broker, verb: string) {
  return broker.sent.filter((s) => s.body.action === verb);
}

test("a player is told what is theirs, after each connection and each start of the table", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, until, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  assert.ok(broker.dials[0]!.topics.includes(root + "seat/ada/hole"));
  await broker.tell("hole", { seq: 9, hand: 1, seat: 4, cards: ["Ah", "Kd"] });
  await until(() => client.table.holes[4]?.cards.join("") === "AhKd");
  assert.equal(broker.dials[0]!.farewell?.topic, root + "act/ada");

  broker.say("status", { state: "online", epoch: 4 });
  await broker.until(() => asked(broker, "resync").length === 2);
  assert.deepEqual(client.table.holes, {});

  client.hurry();
  assert.deepEqual(broker.pings, [2000], "who comes to look soon knows whether the line is dead");

  broker.dials[0]!.ears.closed(new Error("pulled"));
  await new Promise(setImmediate);
  assert.equal(client.table.link, "lost");
  client.hurry();
  assert.equal(broker.pings.length, 1, "there is no line");
  await broker.until(() => asked(broker, "resync").length === 3);
  assert.equal(client.table.link, "online");

  const [first, second] = broker.dials;
  assert.match(first!.device, /^[0-9a-f]{32}$/);
  assert.equal(second!.device, first!.device, "the broker is to let go of the dead connection");
  const [before, now] = [first, second].map((d) => JSON.parse(d!.farewell!.payload));
  assert.equal(before.gone, now.gone);
  assert.ok(before.n < now.n && before.mac !== now.mac, "each connection has a farewell of its own");
  assert.ok(broker.sent.at(-1)!.n > before.n, "the late farewell of the dead connection says nothing of this one");
  client.close();
  await run;
});

test("who is told the table later has its topics, and is shown the hands that come there", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const account = async () => ({ studio: "milan", table: "t1", user: "later", password: "sesame", delayed: true });
  const client = new Client({ account, dial: broker.dial, changed: () => {} });
  const run = client.run();
  await broker.until(() => broker.dials.length === 1 && client.table.status === "online");
  assert.deepEqual(broker.dials[0]!.topics, ["status", "delayed/state", "delayed/ev"].map((t) => root + t));
  assert.equal(client.table.delayed, true);
  broker.say("delayed/ev", { seq: 1, hand: 7, time: 1, event: { event: "hand_began", hand: 7, dealt: 6, button: 1 } });
  assert.equal(client.table.hand, 7);
  assert.deepEqual(broker.sent, []);
  client.close();
  await run;
});

test("a player pings the table, and is told how late it is", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, until, run } = connect(broker);
  await broker.until(() => asked(broker, "ping").length === 1);
  broker.dials[0]!.ears.delay(7);
  assert.equal(client.table.delay, undefined, "the broker's answer is not the table's");
  await broker.tell("pong", { seq: 0, id: "another" });
  await broker.tell("pong", { seq: 0, id: asked(broker, "ping")[0]!.body.id });
  await until(() => client.table.delay !== undefined);
  assert.ok(broker.dials[0]!.topics.includes(root + "seat/ada/pong"));
  client.close();
  await run;
});

/** say publishes an event of a hand: a seat that calls. */
function call(seq: number) {
  return { v: 1, epoch: 3, seq, hand: 1, time: 1, event: { event: "player_acted", seat: 1, action: "call", amount: seq } };
}

test("events that are missing are asked for, and told in their order", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, until, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  broker.say("pub/ev", { ...call(5), event: { event: "hand_began", hand: 1 } });
  for (const seq of [6, 9, 10]) broker.say("pub/ev", call(seq));
  await broker.until(() => asked(broker, "events").length === 1);
  const { id, first, last } = asked(broker, "events")[0]!.body;
  assert.deepEqual([first, last], [7, 8]);
  assert.equal(client.table.seq, 6);
  await broker.tell("past", { seq: 10, id, oldest: 1, events: [call(7), call(8)] });
  await until(() => client.table.seq === 10);
  assert.deepEqual(client.table.log.slice(1).map((e) => e.event.amount), [6, 7, 8, 9, 10]);
  assert.ok(!client.table.hands[0]!.torn);
  client.close();
  await run;
});

test("a turn and cards that were lost on the way are asked for", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, until, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  const players = [{ seat: 1, player: "ada", name: "Ada", kind: "remote" }];
  const seats = [{ seat: 1, stack: 100, bet: 0, cards: ["??", "??"] }];
  const picture = (seq: number, awaits: object) =>
    broker.say("pub/state", { seq, time: 1, players, view: { seq, hand: 1, phase: "betting", board: [], seats, awaits } });
  picture(5, { kind: "action", seat: 1 });
  await broker.until(() => asked(broker, "resync").length === 2);
  await broker.tell("hole", { seq: 5, hand: 1, seat: 1, cards: ["Ah", "Kd"] });
  await broker.until(() => asked(broker, "resync").length === 3); // the turn is still missing
  await broker.tell("turn", { seq: 5, hand: 1, seat: 1, kind: "action", turn: 5 });
  await until(() => client.table.turn !== undefined);
  picture(6, { kind: "action", seat: 2 });
  assert.equal(lacks(client.table, "ada"), false);
  picture(7, { kind: "action", seat: 1 });
  assert.equal(lacks(client.table, "ada"), true, "the turn before is another");
  assert.equal(lacks(client.table, "bob"), false);
  client.close();
  await run;
});

test("a spectator asks for nothing and has no topics of a player", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker, false);
  await broker.until(() => client.table.status === "online");
  assert.deepEqual(broker.dials[0]!.topics, ["status", "pub/state", "pub/ev"].map((t) => root + t));
  assert.deepEqual(broker.sent, []);
  client.close();
  await run;
});

test("a console is shown prompts and devices, and gives commands in the clear", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  let changed = () => {};
  const client = new Client({
    account: async () => ({ studio: "milan", table: "t1", user: "ada", password: "sesame", console: true }),
    dial: broker.dial,
    changed: () => changed(),
  });
  const run = client.run();
  const commands = (cmd: string) => broker.sent.filter((s) => s.body.cmd === cmd);
  await broker.until(() => commands("resync").length === 1);
  assert.equal(broker.sent[0]!.topic, root + "dealer/ada/cmd");
  const own = ["dealer/ada/prompt", "dealer/ada/reply", "dealer/ada/past", "hw/+/state"];
  assert.deepEqual(broker.dials[0]!.topics.slice(3), own.map((t) => root + t));
  assert.equal(broker.dials[0]!.farewell, undefined);

  const prompts = [{ id: 4, code: "confirm", text: "…", by: "floor", choices: [{ id: "confirm", text: "Confirm" }] }];
  broker.say("dealer/ada/prompt", { seq: 9, hand: 1, instruction: { kind: "settle", text: "…" }, prompts });
  broker.say("hw/shoe/state", { device: "shoe", kind: "pepper-c1", state: "down", text: "unplugged", since: 1 });
  assert.deepEqual(client.table.prompting?.prompts, prompts);
  assert.equal(client.table.devices.shoe?.text, "unplugged");

  const choice = client.ask({ cmd: "choose", epoch: 3, prompt: 4, choice: "confirm" });
  const { id, ...rest } = commands("choose")[0]!.body;
  assert.deepEqual(rest, { v: 1, cmd: "choose", epoch: 3, prompt: 4, choice: "confirm" });
  broker.say("dealer/ada/reply", { seq: 9, id, ok: false, code: "second_person", text: "…" });
  assert.equal((await choice).code, "second_person");

  broker.say("pub/ev", { ...call(5), event: { event: "hand_began", hand: 1 } });
  broker.say("pub/ev", call(7));
  await broker.until(() => commands("events").length === 1);
  const missed = commands("events")[0]!.body;
  assert.deepEqual([missed.first, missed.last], [6, 6]);
  const told = new Promise<void>((done) => (changed = () => client.table.seq === 7 && done()));
  broker.say("dealer/ada/past", { seq: 7, id: missed.id, oldest: 1, events: [call(6)] });
  await told;

  broker.say("status", { state: "online", epoch: 4 });
  assert.equal(client.table.prompting, undefined, "another run asks other things");
  assert.equal(client.table.devices.shoe?.state, "down");
  client.close();
  await run;
});

test("a request is repeated with the same identifier until it is answered, and its answer is its own", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  const call = client.ask({ action: "call", epoch: 3, turn: 8 });
  const fold = client.ask({ action: "fold", epoch: 3, turn: 8 });
  await broker.until(() => asked(broker, "call").length === 2);
  const [first, again] = asked(broker, "call");
  assert.deepEqual(again!.body, first!.body);
  assert.deepEqual({ ...first!.body, id: "" }, { v: 1, id: "", action: "call", epoch: 3, turn: 8 });
  assert.equal(first!.topic, root + "act/ada");
  void broker.tell("reply", { seq: 9, id: asked(broker, "fold")[0]!.body.id, ok: false, code: "stale_turn", text: "too late" });
  void broker.tell("reply", { seq: 9, id: first!.body.id, ok: true });
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

test("a key that is said not to be the table's is refused, until the table is heard to know it", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, until, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  const refuse = (login?: string) => broker.say("seat/ada/reply", { epoch: 0, id: "", ok: false, code: "not_sealed", text: "no", login });
  const { gone: login } = JSON.parse(broker.dials[0]!.farewell!.payload);
  refuse("another device");
  await broker.tell("turn", { seq: 1, seat: 4 });
  await until(() => client.table.turn !== undefined);
  assert.equal(client.table.link, "online");

  broker.say("status", { state: "online", epoch: 4 }); // it was started anew
  refuse(login);
  await until(() => client.table.link === "refused");
  await broker.until(() => asked(broker, "resync").length === 2);
  await broker.tell("turn", { epoch: 4, seq: 2, seat: 4 });
  await until(() => client.table.link === "online");

  const links: string[] = [];
  const stop = until(() => (links.push(client.table.link), client.table.turn?.seq === 3));
  refuse();
  refuse(login);
  await broker.tell("turn", { epoch: 4, seq: 3, seat: 4 });
  await stop;
  assert.deepEqual([...new Set(links)], ["online"]);
  assert.equal(broker.dials.length, 1);
  client.close();
  await run;
});

test("own cards that are not sealed by the table are not taken", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, until, run } = connect(broker);
  await broker.until(() => asked(broker, "resync").length === 1);
  broker.say("seat/ada/hole", { seq: 9, hand: 1, seat: 4, cards: ["2c", "7d"] });
  await broker.tell("hole", { seq: 10, hand: 1, seat: 4, cards: ["Ah", "Kd"] });
  await until(() => client.table.holes[4] !== undefined);
  assert.deepEqual(client.table.holes[4]?.cards, ["Ah", "Kd"]);
  client.close();
  await run;
});

test("what is no payload changes nothing", async () => {
  const broker = new Broker();
  broker.retained.set("status", online);
  const { client, run } = connect(broker);
  await broker.until(() => client.table.status === "online");
  const before = client.table;
  for (const text of ["", "{", "null", "7", '{"v":2}']) broker.dials[0]!.ears.message(root + "pub/state", text, false);
  assert.equal(client.table, before);
  client.close();
  await run;
});
