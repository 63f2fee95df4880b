// Links to a broker over a WebSocket, by MQTT.js. Each life of a connection is a new MQTT client with a clean session, so
// that nothing is left of the one before: what was missed meanwhile is asked for.

import mqtt from "mqtt";
import { Refused, type Dial } from "./client";

/** How often the broker is asked for a sign of life, and how long it may take, in ms: together less than the time after which a
 * table takes a silent player for cut off. */
const beat = 5000;
const patience = 5000;

/** overWebSocket dials the broker at a URL, ws: or wss:. Of several, its nodes, each connection takes the next. */
export function overWebSocket(...urls: [string, ...string[]]): Dial {
  let dialled = 0;
  return (account, device, topics, ears, farewell) => {
    const client = mqtt.connect(urls[dialled++ % urls.length]!, {
      clientId: `${account.user}:${device}`,
      username: account.user,
      password: account.password,
      protocolVersion: 4,
      clean: true,
      keepalive: 15,
      connectTimeout: 5000,
      reconnectPeriod: 0,
      will: farewell && { topic: farewell.topic, payload: farewell.payload, qos: 1, retain: false },
    });
    let open = true;
    let pinged = 0;
    let beats: ReturnType<typeof setInterval> | undefined;
    let dead: ReturnType<typeof setTimeout> | undefined;
    const ping = (limit: number) => {
      if (!open) return;
      if (!pinged) pinged = performance.now();
      else if (limit >= patience) return; // an answer is waited for
      clearTimeout(dead);
      dead = setTimeout(() => close(new Error(`the broker is silent for ${limit} ms`)), limit);
      client.sendPing();
    };
    const close = (why?: Error) => {
      if (!open) return;
      open = false;
      clearInterval(beats);
      clearTimeout(dead);
      client.end(true);
      if (why) ears.closed(why);
    };
    client.on("close", () => close(new Error("the connection is lost")));
    client.on("error", (err) => {
      const code = (err as { code?: unknown }).code;
      close(code === 4 || code === 5 ? new Refused(err.message) : err);
    });
    client.on("packetreceive", (packet) => {
      if (packet.cmd !== "pingresp" || !pinged) return;
      clearTimeout(dead);
      ears.delay(Math.round(performance.now() - pinged));
      pinged = 0;
    });
    client.on("message", (topic, payload, packet) => {
      if (open) ears.message(topic, payload.toString(), packet.retain);
    });
    client.on("connect", () => {
      ears.opened();
      client.subscribe([...topics], { qos: 0 }, (err, granted) => {
        const refused = granted?.find((g) => g.qos > 2);
        if (refused) return close(new Refused(`${refused.topic}: not allowed`));
        if (err) return close(err);
        if (!open) return;
        beats = setInterval(ping, beat, patience);
        ping(patience);
      });
    });
    return {
      publish: (topic, payload) => void client.publish(topic, payload, { qos: 1 }),
      ping,
      close: () => close(),
    };
  };
}
