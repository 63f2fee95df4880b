// The connection to the broker. Each life of it is a new client with the daemon's present account, so that nothing is
// left of the one before; what was missed meanwhile is in the retained snapshot.

import mqtt from "mqtt";
import type { Message } from "./table";

/** What /config.json says: which table to follow, and as whom. */
interface Config {
  studio: string;
  table: string;
  user: string;
  password: string;
}

/** follow tells of the table for as long as the page lives. */
export async function follow(tell: (m: Message) => void): Promise<never> {
  for (;;) {
    try {
      await session(await config(), tell);
    } catch (err) {
      console.warn("tavolo: no connection to the table:", err);
    }
    tell({ kind: "link", link: "lost" });
    await pause();
  }
}

async function config(): Promise<Config> {
  const response = await fetch("/config.json", { cache: "no-store", signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`/config.json: ${response.status}`);
  return response.json();
}

/** pause waits a second or two, not all pages alike, so that they do not come back in one wave. */
function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 1000 + Math.random() * 1000));
}

/** session follows the table until the connection ends. */
function session(c: Config, tell: (m: Message) => void): Promise<void> {
  const root = `tavolo/v1/${c.studio}/${c.table}/`;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const client = mqtt.connect(`${scheme}://${location.host}/mqtt`, {
    clientId: `${c.user}:${Math.random().toString(36).slice(2, 12)}`,
    username: c.user,
    password: c.password,
    protocolVersion: 4,
    clean: true,
    keepalive: 15,
    connectTimeout: 5000,
    reconnectPeriod: 0,
  });
  return new Promise((done, fail) => {
    const end = (err?: Error) => {
      client.end(true);
      err ? fail(err) : done();
    };
    client.on("close", () => end());
    client.on("error", end);
    client.on("connect", () => {
      tell({ kind: "link", link: "online" });
      client.subscribe([root + "status", root + "pub/state", root + "pub/ev"], { qos: 0 }, (err, granted) => {
        const refused = granted?.find((g) => g.qos > 2);
        if (err || refused) end(err ?? new Error(`${refused?.topic}: not allowed`));
      });
    });
    client.on("message", (topic, payload, packet) => {
      const body = parse(payload.toString());
      if (!body) return;
      switch (topic.slice(root.length)) {
        case "status":
          return tell({ kind: "status", body });
        case "pub/state":
          return tell({ kind: "snapshot", body, at: Date.now(), retained: packet.retain });
        case "pub/ev":
          return tell({ kind: "event", body });
      }
    });
  });
}

/** parse reads a payload of the version this page knows; what is in it is as wire.ts says, since only the daemon may
 * publish it. */
function parse(text: string): any {
  try {
    const body = JSON.parse(text);
    if (body?.v === 1) return body;
  } catch {
    // told below
  }
  console.warn("tavolo: a message that is no payload of version 1");
}
