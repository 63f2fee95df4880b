import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = (file: string) => readFile(file, "utf8");

test("the package wants what the page is tested with, and its page shows the example", async () => {
  const [page, client] = [JSON.parse(await read("package.json")), JSON.parse(await read("src/client/package.json"))];
  for (const [name, version] of Object.entries(client.dependencies)) assert.equal(page.dependencies[name], version, name);
  assert.ok((await read("src/client/README.md")).includes(await read("src/client/example.ts")));
});
