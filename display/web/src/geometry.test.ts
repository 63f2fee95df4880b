import assert from "node:assert/strict";
import { test } from "node:test";
import { offsets, seated } from "./geometry";

const seats = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test("seats stand on the rim, clockwise from the dealer's left, and look inward", () => {
  for (const [w, h] of [[800, 500], [280, 560], [400, 400]] as const) {
    for (const n of [2, 6, 9, 10]) {
      const round = Math.min(w, h) / 2;
      const all = seated(seats(n), 0, { w, h, gap: 100, room: 0 });
      assert.deepEqual(all.map(([seat]) => seat), seats(n));
      for (const [i, [, s]] of all.entries()) {
        assert.ok(Math.abs(Math.hypot(s.inX, s.inY) - 1) < 1e-9);
        // One radius inward lies on the line that the two round ends share.
        const [x, y] = [s.x + round * s.inX, s.y + round * s.inY];
        assert.ok(x > round - 1e-6 && x < w - round + 1e-6 && y > round - 1e-6 && y < h - round + 1e-6, `${w}x${h} ${i}/${n}`);
        // The table is the same from both sides of the dealer.
        const [, other] = all[n - 1 - i]!;
        assert.ok(Math.abs(s.x + other.x - w) < 1e-6 && Math.abs(s.y - other.y) < 1e-6);
      }
      assert.ok(all[0]![1].x > w / 2, "seat 1 is at the right of the picture");
    }
  }
});

test("a player sits at the middle of the bottom, and the others clockwise from there", () => {
  const rim = { w: 800, h: 500, gap: 100, room: 200 };
  for (const [all, own, order] of [
    [[1, 2, 4, 5, 7, 8, 9], 8, [4, 5, 7, 8, 9, 1, 2]],
    [[1, 2, 3, 4], 2, [4, 1, 2, 3]],
    [[3, 6], 3, [6, 3]],
    [[5], 5, [5]],
  ] as const) {
    const turned = seated(all, own, rim);
    assert.deepEqual(turned.map(([seat]) => seat), order);
    for (const [seat, spot] of turned) {
      if (seat === own) assert.ok(Math.abs(spot.x - 400) < 1e-6 && spot.y === 500);
      else assert.ok(Math.hypot(spot.x - 400, spot.y - 500) >= 100, "nobody sits in the player's room");
    }
  }
});

test("the dealer button lies neither on the cards of a seat, nor on its name plate, nor on its bet", () => {
  for (const [w, h] of [[800, 500], [900, 400]] as const) {
    for (let n = 2; n <= 10; n++) {
      for (const [seat, spot] of seated(seats(n), 0, { w, h, gap: 250, room: 0 })) {
        const { bet, button } = offsets(spot, false, false, n);
        const [x, y] = button;
        assert.ok(Math.abs(x) > 90 || y < -98 || y > 38, `seat ${seat} of ${n}: ${x}, ${y}`);
        assert.ok(Math.hypot(x - bet[0], y - bet[1]) > 28, `seat ${seat} of ${n}: button ${button}, bet ${bet}`);
      }
    }
  }
});

test("on a phone the bets lie neither on each other nor on a name plate", () => {
  const apart = (a: readonly number[], b: readonly number[], w: number, h: number) => Math.abs(a[0]! - b[0]!) >= w || Math.abs(a[1]! - b[1]!) >= h;
  for (const [w, h] of [[463, 676], [466, 640], [463, 750]] as const) {
    for (let n = 2; n <= 10; n++) {
      const rim = seated(seats(n), 1, { w, h, gap: 150, room: 300 });
      const bets = rim.map(([seat, spot]) => {
        const [x, y] = offsets(spot, true, seat === 1, n).bet;
        return [spot.x + x, spot.y + y];
      });
      for (const [i, bet] of bets.entries()) {
        for (const other of bets.slice(i + 1)) assert.ok(apart(bet, other, 84, 24), `${n} seats: bets at ${bet} and ${other}`);
        for (const [seat, { x, y }] of rim) assert.ok(apart(bet, [x, y], 104, 36), `${n} seats: a bet at ${bet} on seat ${seat} at ${[x, y]}`);
      }
    }
  }
});
