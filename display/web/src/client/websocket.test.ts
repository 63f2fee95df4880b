import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { mock, test } from "node:test";
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

/** A broker that lets a client in, and then answers as often as it is told to, and no more: its line is dead. */
async function mute(answers: () => boolean, heard: (kind: number) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    let head = "";
    const upgrade = (data: Buffer) => {
      head += data;
      const key = /sec-websocket-key: (.*)\r\n/i.exec(head)?.[1];
      if (!key || !head.endsWith("\r\n\r\n")) return;
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n`);
      socket.off("data", upgrade);
      socket.on("data", (data: Buffer) => hear(socket, data));
    };
    socket.on("data", upgrade);
  });
  const say = (socket: Socket, ...packet: number[]) => socket.write(Buffer.from([0x82, packet.length, ...packet]));
  /** Frames are short, and masked; a packet is one or several of them. */
  let frames: number[] = [];
  let bytes: number[] = [];
  const hear = (socket: Socket, data: Buffer) => {
    frames.push(...data);
    for (let n; frames.length >= 6 && frames.length >= (n = 6 + (frames[1]! & 0x7f)); ) {
      const [, , a, b, c, d, ...masked] = frames.splice(0, n);
      bytes.push(...masked.map((x, i) => x ^ [a, b, c, d][i % 4]!));
    }
    for (let n; bytes.length >= 2 && bytes.length >= (n = 2 + bytes[1]!); ) {
      const packet = bytes.splice(0, n);
      const kind = packet[0]! >> 4;
      if (kind === 1) say(socket, 0x20, 2, 0, 0);
      else if (kind === 8) say(socket, 0x90, 3, packet[2]!, packet[3]!, 0);
      else if (kind === 12 && answers()) say(socket, 0xd0, 0);
      heard(kind);
    }
  };
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  return server;
}

for (const hurried of [false, true]) {
  test(`a line that is dead is given up, ${hurried ? "soon when somebody looks" : "before a table takes its player for gone"}`, async () => {
    mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
    let pings = 0;
    let heard = () => {};
    const broker = await mute(
      () => pings < 2,
      (kind) => kind === 12 && (pings++, heard()),
    );
    const pinged = (n: number) => new Promise<void>((done) => ((heard = () => pings === n && done()), heard()));
    const account = { studio: "milan", table: "t1", user: "ada", password: "sesame" };
    const dial = overWebSocket(`ws://127.0.0.1:${(broker.address() as AddressInfo).port}/mqtt`);
    let why: Error | undefined;
    let answered = () => {};
    const answer = new Promise<void>((done) => (answered = done));
    const ears = { opened: () => {}, message: () => {}, delay: () => answered(), closed: (err: Error) => (why = err) };
    const link = dial(account, "d1", ["status"], ears);
    await pinged(1);
    await answer;
    mock.timers.tick(4999);
    assert.equal(why, undefined);
    mock.timers.tick(1); // the second is not answered
    await pinged(2);
    if (hurried) link.ping(2000);
    mock.timers.tick(hurried ? 1999 : 4999);
    assert.equal(why, undefined);
    mock.timers.tick(1);
    assert.match(why!.message, /silent/);
    mock.timers.reset();
    broker.close();
  });
}
