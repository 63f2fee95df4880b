import assert from "node:assert/strict";
import { test } from "node:test";
import { nothing, offered, reduce, type Message, type Table } from "./table";
import type { Event, Hole, Snapshot, Turn } from "./wire";

const online: Message = { kind: "link", link: "online" };

function status(epoch: number, state: "online" | "lost" | "stopped" = "online", retained = false): Message {
  return { kind: "status", body: { v: 1, state, epoch }, retained };
}

function snapshot(seq: number, { epoch = 3, hand = 1, at = 1000, time = 1000, retained = false } = {}): Message {
  const body: Snapshot = {
    v: 1,
    epoch,
    time,
    name: "Table 1",
    players: [{ seat: 4, player: "ada", name: "Ada", kind: "felt" }],
    view: {
      seq,
      hand,
      game: "holdem",
      limit: "no-limit",
      house: "tda",
      phase: "betting",
      button: 1,
      small_blind: 2,
      big_blind: 4,
      stakes: { small_blind: 50, big_blind: 100 },
      board: [],
      pots: [],
      total: 0,
      bet: 0,
      awaits: { kind: "nothing" },
      seats: [],
    },
  };
  return { kind: "snapshot", body, at, retained };
}

function event(seq: number, event: Event, epoch = 3): Message {
  return { kind: "event", body: { v: 1, epoch, seq, hand: 1, time: 1000, event } };
}

function fold(seq: number, epoch = 3): Message {
  return event(seq, { event: "player_acted", seat: 4, action: "fold" }, epoch);
}

function after(...messages: Message[]): Table {
  return messages.reduce(reduce, nothing);
}

/** told is the log in short. */
function told(t: Table): string {
  return t.log.map((e) => e.what + e.cards.join("")).join(" ");
}

const began: Event = { event: "hand_began", hand: 2, button: 3, small_blind: 4, big_blind: 5 };

test("the newest snapshot is the picture, and events go into the log", () => {
  const t = after(online, snapshot(10), fold(11), snapshot(11), fold(12));
  assert.equal(t.snapshot?.view.seq, 11);
  assert.equal(told(t), "player_acted player_acted");
  assert.equal(t.log[0]?.name, "Ada");
  assert.equal(t.seq, 12);
});

test("what has been seen is dropped", () => {
  const t = after(online, snapshot(10), fold(10), fold(11), fold(11), snapshot(11), snapshot(9));
  assert.equal(told(t), "player_acted");
  assert.equal(t.snapshot?.view.seq, 11);
});

test("a lost event makes the log wait for the next snapshot", () => {
  const waiting = after(online, snapshot(10), fold(11), fold(13), fold(14));
  assert.equal(told(waiting), "player_acted");
  const t = [snapshot(14), fold(15)].reduce(reduce, waiting);
  assert.equal(told(t), "player_acted gap player_acted");
});

test("a lost event that the snapshot in hand includes makes nobody wait", () => {
  const t = after(online, snapshot(10), fold(11), snapshot(14), fold(13), fold(14), fold(15));
  assert.equal(told(t), "player_acted gap player_acted");
});

test("a snapshot may come before the events it includes", () => {
  const t = after(online, snapshot(10), snapshot(12), fold(11), fold(12), fold(13));
  assert.equal(told(t), "player_acted player_acted player_acted");
});

test("the beginning of a hand ends any wait", () => {
  const t = after(online, snapshot(10), fold(11), fold(13), event(20, began), fold(21));
  assert.equal(told(t), "player_acted hand_began player_acted");
});

test("a new epoch drops all that was known but the events, which go on", () => {
  const before = after(online, status(3), snapshot(10), fold(11));
  const t = reduce(before, status(4));
  assert.equal(t.snapshot, undefined);
  assert.equal(told(t), "player_acted");
  assert.equal(t.link, "online");
  assert.equal(reduce(before, fold(12, 4)).snapshot, undefined);
  const on = [fold(10, 4), fold(11, 4), fold(12, 4), snapshot(12, { epoch: 4 }), fold(13, 4)].reduce(reduce, t);
  assert.equal(told(on), "player_acted player_acted player_acted");
});

test("a new epoch with lower numbers has another journal, and begins anew", () => {
  const t = after(online, snapshot(30), fold(31), status(4), fold(6, 4), snapshot(7, { epoch: 4 }), fold(8, 4));
  assert.equal(told(t), "player_acted");
  assert.equal(t.seq, 8);
  assert.equal(t.origin, 4);
});

test("an old epoch is not listened to: its will may come late, and what a broker keeps may be old", () => {
  const old = [status(3, "lost"), status(3, "online", true), snapshot(99), fold(11, 3)];
  const t = after(online, status(4), snapshot(10, { epoch: 4 }), ...old);
  assert.equal(t.status, "online");
  assert.equal(t.snapshot?.epoch, 4);
  assert.equal(told(t), "");
});

test("after an outage the next snapshot counts, and the log goes on", () => {
  const lost: Message = { kind: "link", link: "lost" };
  const t = after(online, snapshot(10), fold(11), lost, online, fold(15), snapshot(15), fold(16));
  assert.equal(told(t), "player_acted gap player_acted");
  const quiet = after(online, snapshot(10), fold(11), lost, online, snapshot(11), fold(12));
  assert.equal(told(quiet), "player_acted player_acted");
});

test("after an outage a table that began anew counts too, though its numbers are lower", () => {
  const lost: Message = { kind: "link", link: "lost" };
  for (const epoch of [1, 4]) {
    const t = after(online, snapshot(500), fold(501), lost, online, status(epoch), snapshot(7, { epoch }), fold(8, epoch));
    assert.equal(t.snapshot?.view.seq, 7);
    assert.equal(told(t), "player_acted");
  }
});

test("the cards of a street share a line, and streets do not", () => {
  const card = (seq: number, card: string) => event(seq, { event: "board_dealt", card });
  const street = (seq: number) => event(seq, { event: "street_opened", street: 1 });
  const t = after(
    online,
    snapshot(1),
    street(2),
    card(3, "Ah"),
    card(4, "Kd"),
    card(5, "2c"),
    street(6),
    event(7, { event: "card_burned", card: "??" }),
    card(8, "Ts"),
  );
  assert.equal(told(t), "boardAhKd2c boardTs");
  assert.deepEqual(t.log.map((e) => e.on), [3, 4]);
});

test("antes share a line with their sum", () => {
  const ante = (seq: number, seat: number) => event(seq, { event: "ante_posted", seat, amount: 10 });
  const t = after(online, snapshot(1), ante(2, 1), ante(3, 2), ante(4, 3));
  assert.equal(told(t), "antes");
  assert.equal(t.log[0]?.event.amount, 30);
});

test("blinds are known by their seats", () => {
  const blind = (seq: number, seat: number) => event(seq, { event: "blind_posted", seat, amount: 50 });
  const t = after(online, snapshot(1), event(2, began), blind(3, 4), blind(4, 5), blind(5, 6));
  assert.equal(told(t), "hand_began small_blind big_blind post");
});

test("what a seat said stays until the next round of betting", () => {
  const raise = event(4, { event: "player_acted", seat: 4, action: "raise", amount: 150, to: 200, all_in: true });
  const first = after(online, snapshot(1), event(2, { event: "blind_posted", seat: 4 }), event(3, { event: "street_opened" }));
  assert.equal(first.said[4]?.what, "big_blind");
  const t = [raise, event(5, { event: "bets_collected" })].reduce(reduce, first);
  assert.deepEqual(t.said[4], { what: "raise", amount: 200, allIn: true });
  const drawn = [event(6, { event: "street_opened", street: 1 }), event(7, { event: "cards_discarded", seat: 5, amount: 2 }), event(8, { event: "betting_opened", street: 1 })].reduce(reduce, t);
  assert.deepEqual(drawn.said, { 5: { what: "draw", amount: 2, allIn: false } });
});

test("winnings add up over the pots, until the next hand", () => {
  const award = (seq: number, pot: number, amount: number) => event(seq, { event: "pot_awarded", seat: 4, pot, amount });
  const t = after(online, snapshot(1), award(2, 0, 300), award(3, 1, 40), event(4, { event: "hand_ended" }), snapshot(4));
  assert.deepEqual(t.won, { 4: 340 });
  const next = reduce(t, event(5, began));
  assert.deepEqual([next.won, next.last], [{}, { 4: 340 }]);
});

test("what a low hand won is told apart, and is a part of what was won", () => {
  const t = after(online, snapshot(1), event(2, { event: "pot_awarded", seat: 4, amount: 16 }), event(3, { event: "pot_awarded", seat: 4, amount: 15, low: true }));
  assert.deepEqual([t.won, t.low], [{ 4: 31 }, { 4: 15 }]);
  assert.deepEqual(reduce(t, event(4, began)).low, {});
});

test("a card that lies open is told, one that does not is not", () => {
  const dealt = (seq: number, card: string, up: boolean) => event(seq, { event: "hole_dealt", seat: 4, card, up });
  assert.equal(told(after(online, snapshot(1), dealt(2, "??", false), dealt(3, "Ah", true))), "hole_dealtAh");
});

test("the clock's difference is the least seen, and not taken from what was kept", () => {
  const kept = after(online, snapshot(1, { time: 1000, at: 90_000, retained: true }));
  assert.equal(kept.ahead, undefined);
  const t = [snapshot(2, { time: 2000, at: 2300 }), snapshot(3, { time: 3000, at: 3100 }), snapshot(4, { time: 4000, at: 4900 })];
  assert.equal(t.reduce(reduce, kept).ahead, 100);
});

test("the log is bounded", () => {
  let t = after(online, snapshot(0));
  for (let seq = 1; seq <= 1000; seq++) t = reduce(t, fold(seq));
  assert.equal(t.log.length, 200);
  assert.equal(t.log.at(-1)?.id, 1000);
});

test("a turn lasts until a newer snapshot says that it is over", () => {
  const body: Turn = { v: 1, epoch: 3, seq: 12, hand: 1, seat: 4, turn: 12, kind: "action", legal: { check: true } };
  const awaiting = (seq: number, seat: number): Message => {
    const m = snapshot(seq) as Extract<Message, { kind: "snapshot" }>;
    m.body.view.awaits = { kind: "action", seat };
    return m;
  };
  const t = after(online, snapshot(10), { kind: "turn", body }, awaiting(11, 2), awaiting(12, 4), awaiting(13, 4));
  assert.equal(t.turn?.turn, 12);
  assert.equal(reduce(t, awaiting(14, 5)).turn, undefined);
  assert.equal(reduce(t, status(4)).turn, undefined, "another epoch has other turns");
});

test("own cards are the newest told", () => {
  const hole = (seq: number, cards: string[]): Message => {
    const body: Hole = { v: 1, epoch: 3, seq, hand: 1, seat: 4, cards };
    return { kind: "hole", body };
  };
  const t = after(online, snapshot(10), hole(12, ["Ah", "Kd"]), hole(11, ["Ah"]));
  assert.deepEqual(t.holes[4]?.cards, ["Ah", "Kd"]);
});

test("a seat that is kept for the player is told until then, or until it is taken", () => {
  const offer: Message = { kind: "offer", body: { v: 1, epoch: 3, seq: 5, free: [6], until: 31_000 } };
  const t = after(online, snapshot(5, { at: 1500 }), offer); // this clock is half a second ahead
  assert.deepEqual(offered(t, "ada", 31_400), [6]);
  assert.deepEqual(offered(t, "ada", 31_500), []);
  assert.deepEqual(offered(after(online, snapshot(5)), "ada", 1000), []);
  const seated = { ...t, snapshot: { ...t.snapshot!, view: { ...t.snapshot!.view, seats: [{ seat: 4, stack: 1, bet: 0 }] } } };
  assert.deepEqual(offered(seated, "ada", 2000), []);
  assert.deepEqual(offered(seated, "bea", 2000), [6]);
});
