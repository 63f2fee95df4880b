// The table's contract is made and checked in Go, controller/mqtt; that it is a valid AsyncAPI document only a validator of
// that format can tell, and the one there is comes from npm.

import { Parser } from "@asyncapi/parser";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

/** faults are what the validator finds wrong, with where; what it would merely like is none. */
async function faults(text: string): Promise<string[]> {
  const { diagnostics } = await new Parser().parse(text);
  return diagnostics.filter((d) => d.severity === 0).map((d) => `${d.path.join(".")}: ${d.message}`);
}

const document = await readFile("../../controller/mqtt/asyncapi.json", "utf8");

test("the table's contract is a valid AsyncAPI document", async () => {
  assert.deepEqual(await faults(document), []);
});

test("one that is none is found out", async () => {
  const broken = JSON.parse(document);
  broken.operations.status.action = "shout";
  assert.match((await faults(JSON.stringify(broken))).join(), /operations\.status\.action/);
});
