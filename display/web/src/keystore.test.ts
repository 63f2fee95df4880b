import assert from "node:assert/strict";
import { test } from "node:test";
import { invitation } from "./keystore";

test("an invitation leaves no key in the address", () => {
  const shown: unknown[] = [];
  const past = { replaceState: (...to: unknown[]) => void shown.push(to[2]) };
  assert.deepEqual(invitation({ hash: "#key=AJMY&player=ann", pathname: "/table" }, past), { player: "ann", key: "AJMY" });
  assert.deepEqual(shown, ["/table"]);
  assert.deepEqual(invitation({ hash: "#elsewhere", pathname: "/" }, past), { player: "", key: "" });
  assert.equal(shown.length, 1);
});
