import assert from "node:assert/strict";
import { test } from "node:test";
import { acts, idle, plans, presets, room, stepped, usual, within } from "./bet";
import type { Legal, View } from "./client";

function view(more: Partial<View> = {}): View {
  return {
    seq: 1,
    hand: 7,
    game: "holdem",
    limit: "no-limit",
    house: "tda",
    phase: "betting",
    street: "flop",
    button: 1,
    small_blind: 2,
    big_blind: 3,
    stakes: { small_blind: 50, big_blind: 100 },
    board: ["Ah", "Kd", "2c"],
    pots: [],
    total: 600,
    bet: 0,
    awaits: { kind: "action", seat: 2 },
    seats: [
      { seat: 2, stack: 5000, bet: 0 },
      { seat: 3, stack: 150, bet: 0 },
    ],
    ...more,
  };
}

test("the buttons bet shares of the pot as it is after a call, within what is legal", () => {
  const open: Legal = { check: true, raise: true, opens: true, min_to: 100, max_to: 5000 };
  assert.deepEqual(presets(open, view()).map((p) => p.to), [100, 300, 450, 600, 5000]);
  // 200 into 600 makes 800; after a call of 200 the pot is 1,000.
  const facing: Legal = { to_call: 200, raise: true, min_to: 400, max_to: 5000 };
  assert.deepEqual(presets(facing, view({ total: 800, bet: 200 })).map((p) => p.to), [400, 700, 950, 1200, 5000]);
  const potLimit: Legal = { ...facing, max_to: 1200 };
  assert.deepEqual(presets(potLimit, view({ total: 800, bet: 200 })).map((p) => p.to), [400, 700, 950, 1200, 1200]);
});

test("where there is one size, or two, there are no shares", () => {
  assert.deepEqual(presets({ raise: true, min_to: 200, max_to: 200 }, view()), [{ name: "min", to: 200 }]);
  const two: Legal = { raise: true, min_to: 200, max_to: 400, two_sizes: true };
  assert.deepEqual(presets(two, view()).map((p) => p.to), [200, 400]);
  assert.equal(within(290, two), 200);
  assert.equal(within(310, two), 400);
  assert.equal(stepped(200, 1, two, 100), 400);
  assert.equal(stepped(400, -1, two, 100), 200);
});

test("a step is a big blind, on whole ones", () => {
  const legal: Legal = { raise: true, min_to: 250, max_to: 5000 };
  assert.equal(stepped(250, 1, legal, 100), 300);
  assert.equal(stepped(430, -1, legal, 100), 400);
  assert.equal(stepped(300, -1, legal, 100), 250);
  assert.equal(stepped(4990, 1, legal, 100), 5000);
  assert.equal(stepped(300, 1, legal, 0), 301);
});

test("what can be decided ahead is what the seat faces", () => {
  const bet = view({ bet: 300, total: 900 });
  assert.deepEqual(plans(view(), 2).map((p) => p.verb), ["plan_check_fold", "plan_check", "plan_call_any"]);
  assert.deepEqual(plans(bet, 2)[1], { verb: "plan_call", amount: 300 });
  assert.equal(plans(bet, 3)[1]!.amount, 150, "no more than the stack");
});

test("who is in the hand has not folded, at the showdown neither and while others play against the house", () => {
  const seat = { seat: 2, stack: 100, bet: 0, dealt: true };
  for (const phase of ["betting", "dealing", "showing"] as const) {
    const v = view({ phase });
    assert.equal(idle({ ...seat, live: true }, v), undefined);
    assert.equal(idle({ ...seat, live: true, all_in: true }, v), "actions.all_in");
    assert.equal(idle({ ...seat, live: true, mucked: true }, v), undefined);
    assert.equal(idle(seat, v), "actions.folded");
    assert.equal(idle({ ...seat, out: true }, v), "actions.folded");
    assert.equal(idle({ ...seat, dealt: false }, v), "actions.next");
    assert.equal(idle({ ...seat, dealt: false, out: true }, v), "actions.out");
    assert.equal(idle({ ...seat, dealt: false, waits: true }, v), "actions.waits");
  }
  assert.equal(idle({ ...seat, live: true }, view({ phase: "between" })), "actions.between");
});

test("chips are proposed up to a hundred big blinds, within what may be brought", () => {
  const at = (stack: number, seating = {}) => usual({ view: view(), seating: { free: [], ...seating } }, stack);
  assert.equal(at(0), 10_000);
  assert.equal(at(9_300), 700);
  assert.equal(at(12_000), 100, "one more blind for who has as many");
  assert.equal(at(0, { max_buy_in: 5_000 }), 5_000);
  assert.equal(at(4_000, { max_buy_in: 5_000 }), 1_000);
  assert.equal(at(0, { min_buy_in: 20_000 }), 20_000);
  const fixed = view({ stakes: { small_blind: 0, big_blind: 0, ante: 5, small_bet: 20, big_bet: 40 } });
  assert.equal(usual({ view: fixed }), 2_000);
  assert.equal(usual({ view: view({ stakes: { small_blind: 0, big_blind: 0, min_ante: 2, max_ante: 1_000 } }) }), 200);
});

test("a turn has the fold and the call that are legal, and no others", () => {
  assert.deepEqual(acts({ to_call: 50, raise: true }), { fold: true, call: "call" });
  assert.deepEqual(acts({ check: true, raise: true, opens: true }), { fold: true, call: "check" }, "folding for nothing is legal");
  assert.deepEqual(acts({ bring_in: 2, raise: true }), { fold: false, call: "bring-in" });
  assert.deepEqual(acts({ no_fold: true, check: true, raise: true, opens: true }), { fold: false, call: "check" }, "against the house, after the first bet");
  assert.deepEqual(acts({ raise: true, opens: true }), { fold: true, call: undefined }, "against the house, before it: bet or fold");
});

test("who waited may take the seat that is kept, who sits may move, and where nothing is free there is the list", () => {
  const at = (seat: number, free: number[], offered: number[] = []) => room({ view: view(), seating: { free } }, seat, offered);
  assert.deepEqual(at(0, []), { free: [], moves: false, list: true });
  assert.deepEqual(at(0, [], [6]), { free: [6], moves: false, list: false });
  assert.deepEqual(at(0, [7, 5], [6, 5]), { free: [5, 6, 7], moves: false, list: false });
  assert.deepEqual(at(2, [5]), { free: [5], moves: true, list: false });
  assert.deepEqual(at(2, []), { free: [], moves: false, list: false });
  assert.deepEqual(at(8, []), { free: [], moves: false, list: false }, "a seat that is kept for the player is sat down at");
});
