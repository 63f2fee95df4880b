import assert from "node:assert/strict";
import { test } from "node:test";
import { seated, spots } from "./geometry";

test("seats stand on the rim, clockwise from the dealer's left, and look inward", () => {
  for (const [w, h] of [[800, 500], [280, 560], [400, 400]] as const) {
    for (const n of [2, 6, 9, 10]) {
      const round = Math.min(w, h) / 2;
      const all = spots(n, w, h, 100);
      assert.equal(all.length, n);
      for (const [i, s] of all.entries()) {
        assert.ok(Math.abs(Math.hypot(s.inX, s.inY) - 1) < 1e-9);
        // One radius inward lies on the line that the two round ends share.
        const [x, y] = [s.x + round * s.inX, s.y + round * s.inY];
        assert.ok(x > round - 1e-6 && x < w - round + 1e-6 && y > round - 1e-6 && y < h - round + 1e-6, `${w}x${h} ${i}/${n}`);
        // The table is the same from both sides of the dealer.
        const other = all[n - 1 - i]!;
        assert.ok(Math.abs(s.x + other.x - w) < 1e-6 && Math.abs(s.y - other.y) < 1e-6);
      }
      assert.ok(all[0]!.x > w / 2, "seat 1 is at the right of the picture");
    }
  }
});

test("a player sits at the bottom, and the others clockwise from there", () => {
  const seats = [1, 2, 4, 5, 7, 8, 9];
  const around = spots(seats.length, 800, 500, 100);
  assert.deepEqual(seated(seats, around, 0).map(([seat, spot]) => [seat, around.indexOf(spot)]), seats.map((s, i) => [s, i]));
  const turned = seated(seats, around, 8);
  const own = turned.find(([seat]) => seat === 8)![1];
  assert.ok(Math.abs(own.x - 400) < 1e-6 && own.y === 500);
  const order = [...turned].sort((a, b) => around.indexOf(a[1]) - around.indexOf(b[1])).map(([seat]) => seat);
  assert.deepEqual(order, [4, 5, 7, 8, 9, 1, 2]);
});
