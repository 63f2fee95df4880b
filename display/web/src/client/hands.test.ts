import assert from "node:assert/strict";
import { test } from "node:test";
import { frames, maxHands, over, recalled } from "./hands";
import { nothing, reduce, type Message, type Table } from "./table";
import type { Event, Snapshot } from "./wire";

const players = ["ada", "bea"].map((p, i) => ({ seat: i + 1, player: p, name: p, kind: "remote" as const }));

function snapshot(seq: number): Message {
  const body: Snapshot = {
    v: 1,
    epoch: 3,
    time: 1,
    name: "Table 1",
    players,
    view: {
      seq,
      hand: 6,
      game: "holdem",
      limit: "no-limit",
      house: "tda",
      phase: "between",
      button: 1,
      small_blind: 1,
      big_blind: 2,
      stakes: { small_blind: 1, big_blind: 2 },
      board: ["As"],
      pots: [],
      total: 0,
      bet: 0,
      awaits: { kind: "nothing" },
      seats: [1, 2].map((seat) => ({ seat, stack: 100, bet: 0 })),
    },
  };
  return { kind: "snapshot", body, at: 1, retained: false };
}

/** A heads-up hand: seat 1 raises to 6 and bets 10 on the flop, seat 2 pays and loses. */
const hand: Event[] = [
  { event: "hand_began", hand: 7, dealt: 0b110, button: 1, small_blind: 1, big_blind: 2 },
  { event: "blind_posted", seat: 1, amount: 1, to: 1 },
  { event: "blind_posted", seat: 2, amount: 2, to: 2 },
  { event: "hole_dealt", seat: 1, card: "??" },
  { event: "hole_dealt", seat: 2, card: "??" },
  { event: "betting_opened" },
  { event: "turn_passed", seat: 1 },
  { event: "player_acted", seat: 1, action: "raise", amount: 5, to: 6 },
  { event: "player_acted", seat: 2, action: "call", amount: 4, to: 6 },
  { event: "bets_collected", amount: 12 },
  { event: "board_dealt", card: "Kd" },
  { event: "player_acted", seat: 1, action: "bet", amount: 10, to: 10 },
  { event: "player_acted", seat: 2, action: "call", amount: 10, to: 10 },
  { event: "bets_collected", amount: 32 },
  { event: "showdown_opened" },
  { event: "hand_shown", seat: 1, cards: "Ah" },
  { event: "hand_mucked", seat: 2 },
  { event: "pot_awarded", seat: 1, amount: 32 },
  { event: "hand_ended" },
];

function play(from: Table, events: Event[], first = 11): Table {
  return events.reduce((t, event, i) => {
    return reduce(t, { kind: "event", body: { v: 1, epoch: 3, seq: first + i, hand: 7, time: 1, event } });
  }, from);
}

const start = [{ kind: "link", link: "online" } as Message, snapshot(10)].reduce(reduce, nothing);

test("a hand is kept with what was before it, and what comes after is no part of it", () => {
  const t = play(start, [...hand, { event: "player_sat_out", seat: 2 }]);
  assert.equal(t.hands.length, 1);
  const kept = t.hands[0]!;
  assert.equal(kept.events.length, hand.length);
  assert.equal(kept.before?.view.seq, 10);
  assert.ok(over(kept) && !kept.torn);
});

test("the pictures of a hand keep its books", () => {
  const t = reduce(play(start, hand), { kind: "hole", body: { v: 1, epoch: 3, seq: 14, hand: 7, seat: 1, cards: ["Ah"] } });
  const all = frames(t.hands[0]!);
  const last = all.at(-1)!;
  assert.deepEqual(last.snapshot?.view.seats.map((s) => s.stack), [116, 84]);
  assert.deepEqual(last.won, { 1: 32 });
  for (const { snapshot, won } of all) {
    const v = snapshot!.view;
    const paid = Object.values(won).reduce((sum, n) => sum + n, 0);
    if (v.phase !== "between") assert.equal(v.seats.reduce((sum, s) => sum + s.stack, v.total - paid), 200);
  }
  const dealt = all.find((f) => f.snapshot?.view.seats[1]?.cards)!;
  assert.deepEqual(dealt.snapshot?.view.seats.map((s) => s.cards), [["Ah"], ["??"]], "own cards are seen, others are not");
  assert.deepEqual(dealt.snapshot?.view.board, [], "the board of the hand before is gone");
  assert.ok(all.every((f, i) => i === 0 || f.log.length >= all[i - 1]!.log.length), "the story grows");
});

/** A hand of three: seat 1 is all in for 20, seat 2 for 50, seat 3 has more; seat 1 has the best low hand. */
const sides: Event[] = [
  { event: "hand_began", hand: 7, dealt: 0b1110, button: 3, small_blind: 1, big_blind: 2 },
  { event: "ante_posted", seat: 3, amount: 2, dead: true },
  { event: "blind_posted", seat: 1, amount: 1, to: 1 },
  { event: "blind_posted", seat: 2, amount: 2, to: 2 },
  { event: "player_acted", seat: 3, action: "raise", amount: 60, to: 60 },
  { event: "player_acted", seat: 1, action: "call", amount: 19, to: 20, all_in: true },
  { event: "player_acted", seat: 2, action: "call", amount: 48, to: 50, all_in: true },
  { event: "uncalled_returned", seat: 3, amount: 10 },
  { event: "bets_collected", amount: 122 },
  { event: "showdown_opened", all_in: true },
  { event: "hand_shown", seat: 1, cards: "2c4d" },
  { event: "hand_shown", seat: 2, cards: "KdKc" },
  { event: "hand_shown", seat: 3, cards: "QdQc" },
  ...["Ks", "8h", "3h", "Ah", "Qs"].map((card) => ({ event: "board_dealt", card })),
  { event: "pot_awarded", seat: 2, pot: 1, amount: 60, cards: "KsKdKcAhQs" },
  { event: "pot_awarded", seat: 1, amount: 31, low: true, cards: "8h4d3h2cAh" },
  { event: "pot_awarded", seat: 2, amount: 31, cards: "KsKdKcAhQs" },
  { event: "hand_ended" },
];

const three = (() => {
  const message = snapshot(10) as Extract<Message, { kind: "snapshot" }>;
  message.body.view.seats = [20, 50, 100].map((stack, i) => ({ seat: i + 1, stack, bet: 0 }));
  return [{ kind: "link", link: "online" } as Message, message].reduce(reduce, nothing);
})();

test("the pictures of a hand have its side pots, and tell what each half was won with", () => {
  const all = frames(play(three, sides).hands[0]!);
  const at = (what: string) => all[sides.filter((e) => e.event !== "street_opened").findIndex((e) => e.event === what)]!;
  const pots = (t: Table) => t.snapshot!.view.pots;
  assert.deepEqual(pots(at("ante_posted")), [{ amount: 2, seats: [1, 2, 3] }]);
  assert.deepEqual(pots(at("uncalled_returned")), [{ amount: 2, seats: [1, 2, 3] }], "bets are not collected yet");
  assert.deepEqual(pots(at("bets_collected")), [{ amount: 62, seats: [1, 2, 3] }, { amount: 60, seats: [2, 3] }]);
  const last = all.at(-2)!;
  const [one, two, none] = last.snapshot!.view.seats;
  assert.deepEqual([last.won, last.low], [{ 1: 31, 2: 91 }, { 1: 31 }]);
  assert.deepEqual([one!.best, one!.best_low], [undefined, ["8h", "4d", "3h", "2c", "Ah"]]);
  assert.deepEqual([two!.best, two!.best_low], [["Ks", "Kd", "Kc", "Ah", "Qs"], undefined]);
  assert.deepEqual([none!.best, none!.best_low], [undefined, undefined]);
  assert.deepEqual(all.at(-1)!.snapshot!.view.seats.map((s) => s.stack), [31, 91, 48]);
});

test("money of seats that folded is in the pots of those who are in", () => {
  const folds: Event[] = [
    ...sides.slice(0, 4),
    { event: "player_acted", seat: 3, action: "raise", amount: 40, to: 40 },
    { event: "player_acted", seat: 1, action: "call", amount: 19, to: 20, all_in: true },
    { event: "player_acted", seat: 2, action: "call", amount: 38, to: 40 },
    { event: "bets_collected", amount: 102 },
    { event: "player_acted", seat: 2, action: "bet", amount: 10, to: 10, all_in: true },
    { event: "player_acted", seat: 3, action: "fold" },
    { event: "uncalled_returned", seat: 2, amount: 10 },
  ];
  const [before, after] = [frames(play(three, folds.slice(0, -2)).hands[0]!), frames(play(three, folds).hands[0]!)].map((all) => all.at(-1)!.snapshot!.view.pots);
  assert.deepEqual(before, [{ amount: 62, seats: [1, 2, 3] }, { amount: 40, seats: [2, 3] }]);
  assert.deepEqual(after, [{ amount: 62, seats: [1, 2] }, { amount: 40, seats: [2] }]);
});

test("a hand that was taken back goes on from where it began, and an award that was moved is the other's", () => {
  const again: Event[] = [
    ...hand.slice(0, 13),
    { ...hand[0]!, event: "hand_rewound" },
    ...hand.slice(1, 9),
    { event: "player_acted", seat: 2, action: "fold" },
    { event: "pot_awarded", seat: 1, amount: 12 },
    { event: "award_moved", seat: 1, target: 2, amount: 12 },
    { event: "hand_ended" },
  ];
  const t = play(start, again);
  const stacks = (h: Parameters<typeof frames>[0]) => frames(h).map((f) => f.snapshot!.view.seats.map((s) => s.stack));
  const live = stacks(t.hands[0]!);
  assert.deepEqual(live[10], [84, 84]);
  assert.deepEqual(live[11], [100, 100], "it is taken back");
  assert.deepEqual(live.at(-1), [94, 106]);
  const now = (snapshot(10 + again.length) as Extract<Message, { kind: "snapshot" }>).body;
  now.view.seats = [94, 106].map((stack, i) => ({ seat: i + 1, stack, bet: 0 }));
  assert.deepEqual(stacks(recalled(t.hands[0]!.events, now)[0]!), live);
});

test("who has left since is in the pictures of the hands that are told afterwards", () => {
  const events = play(start, hand).hands[0]!.events;
  const left = [...events, { ...events.at(-1)!, seq: 30, event: { event: "player_left", seat: 2, amount: 84 } }];
  const now = (snapshot(30) as Extract<Message, { kind: "snapshot" }>).body;
  now.view.seats = [{ seat: 1, stack: 116, bet: 0 }];
  const first = frames(recalled(left, now)[0]!)[0]!;
  assert.deepEqual(first.snapshot!.view.seats.map((s) => s.stack), [100, 100]);
});

test("a hand whose beginning was not seen is not kept, one with a hole in it says so", () => {
  assert.equal(play(start, hand.slice(1), 12).hands.length, 0);
  const torn = play(play(start, hand.slice(0, 5)), hand.slice(8), 19);
  const caughtUp = reduce(torn, snapshot(40));
  assert.equal(caughtUp.hands[0]?.events.length, 5);
  assert.ok(!over(caughtUp.hands[0]!));
});

test("cards that are exchanged leave the hand", () => {
  const draw: Event[] = [
    ...hand.slice(0, 5),
    { event: "cards_discarded", seat: 1, amount: 1, cards: "Ah" },
    { event: "cards_discarded", seat: 2, amount: 1, cards: "??" },
    { event: "hole_dealt", seat: 1, card: "??" },
  ];
  const hole = (seq: number, cards: string[]): Message => ({ kind: "hole", body: { v: 1, epoch: 3, seq, hand: 7, seat: 2, cards } });
  const t = [hole(15, ["2c"]), hole(17, [])].reduce(reduce, play(start, draw));
  const cards = frames(t.hands[0]!).map((f) => f.snapshot!.view.seats.map((s) => s.cards?.join("") ?? "-").join(" "));
  assert.deepEqual(cards.slice(3), ["?? -", "?? 2c", " 2c", " ", "?? "]);
});

test("hands that are told afterwards have pictures too, from what the table looks like now", () => {
  const live = play(start, [...hand, { event: "stack_added", seat: 2, amount: 50 }]);
  const events = live.hands[0]!.events;
  const after = [...events, { ...events.at(-1)!, seq: 30, event: { event: "stack_added", seat: 2, amount: 50 } }];
  const now = (snapshot(30) as Extract<Message, { kind: "snapshot" }>).body;
  now.view.seats = [116, 134].map((stack, i) => ({ seat: i + 1, stack, bet: 0 }));
  const [told] = recalled(after.slice(0), now);
  const stacks = (h: Parameters<typeof frames>[0]) => frames(h).map((f) => f.snapshot!.view.seats.map((s) => s.stack));
  assert.deepEqual(stacks(told!), stacks(live.hands[0]!));
});

test("the history is bounded", () => {
  let t = start;
  for (let n = 0; n < 2 * maxHands; n++) t = play(t, hand, t.seq + 1);
  assert.equal(t.hands.length, maxHands);
});
