import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeatView, View } from "./client";
import { winOf, winningOf, winningOn } from "./winning";

const ada: SeatView = { seat: 1, stack: 0, bet: 0, shown: true, best: ["As", "Ah", "Ad", "Kc", "8c"], best_low: ["8c", "4h", "3d", "2c", "Ad"] };
const bea: SeatView = { seat: 2, stack: 0, bet: 0, shown: true, best: ["Kd", "Kc", "8c", "8h", "4h"] };
const cleo: SeatView = { seat: 3, stack: 0, bet: 0 };
const view = { seats: [ada, bea, cleo] } as View;

test("who wins the high half and the low one wins with the cards of both hands", () => {
  const table = { won: { 1: 100 }, low: { 1: 50 } };
  assert.deepEqual(winningOf(ada, table), { high: ada.best, low: ada.best_low });
  assert.deepEqual(winOf("8c", winningOn(view, table)), { high: true, low: true });
  assert.deepEqual(winOf("2c", winningOn(view, table)), { high: false, low: true });
  assert.deepEqual(winOf("As", winningOn(view, table)), { high: true, low: false });
});

test("who wins a half wins with the cards of its hand alone, and who wins nothing with none", () => {
  const table = { won: { 1: 50, 2: 50 }, low: { 1: 50 } };
  assert.deepEqual(winningOf(ada, table), { high: [], low: ada.best_low });
  assert.deepEqual(winningOf(bea, table), { high: bea.best, low: [] });
  assert.deepEqual(winOf("Kd", winningOn(view, table)), { high: true, low: false });
  assert.deepEqual(winOf("As", winningOn(view, table)), { high: false, low: false });
  assert.deepEqual(winningOf(bea, { won: { 1: 50 }, low: {} }), { high: [], low: [] });
});

test("where nobody has shown what he won with no card stands out, and none steps back", () => {
  assert.equal(winningOn(view, { won: { 3: 100 }, low: {} }), undefined);
  assert.equal(winningOn(view, { won: {}, low: {} }), undefined);
  assert.equal(winOf("As", undefined), undefined);
});
