import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Server } from "node:net";
import { test } from "node:test";
import { overWebSocket } from "./websocket";

/** A node that hangs up on whoever connects. */
async function node(connected: () => void): Promise<Server> {
  const server = createServer((socket) => {
    connected();
    socket.destroy();
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  return server;
}

test("each connection takes the next node of the broker", async () => {
  const taken: string[] = [];
  const nodes = await Promise.all(["a", "b"].map((name) => node(() => taken.push(name))));
  const [a, b] = nodes.map((n) => `ws://127.0.0.1:${(n.address() as AddressInfo).port}/mqtt`) as [string, string];
  const dial = overWebSocket(a, b);
  const account = { studio: "milan", table: "t1", user: "ada", password: "sesame" };
  for (let i = 0; i < 3; i++) {
    await new Promise<Error>((closed) => dial(account, "d1", [], { opened: () => {}, message: () => {}, delay: () => {}, closed }));
  }
  assert.deepEqual(taken, ["a", "b", "a"]);
  for (const n of nodes) n.close();
});
