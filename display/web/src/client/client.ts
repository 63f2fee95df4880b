// Client is one person's connection to one table: it connects and reconnects, keeps what is known of the table, asks to be
// told again what may have been missed, and repeats a request until it is answered.

import { nothing, reduce, type Message, type Table } from "./table";
import { version, type Reply, type Request } from "./wire";

/** Which table, and as whom. */
export interface Account {
  studio: string;
  table: string;
  user: string;
  password: string;
}

/** A connection to a broker, for one life. */
export interface Link {
  publish(topic: string, payload: string): void;
  close(): void;
}

/** What a Link tells. After `closed` it tells nothing more. */
export interface Ears {
  /** The broker let the account in; its messages follow. */
  opened(): void;
  message(topic: string, payload: string, retained: boolean): void;
  /** How long the broker took to answer. */
  delay(ms: number): void;
  /** `why` is a Refused where trying again is of no use. */
  closed(why: Error): void;
}

/** Dial opens a Link, which subscribes to the topics. */
export type Dial = (account: Account, topics: readonly string[], ears: Ears) => Link;

/** The broker does not let an account in. */
export class Refused extends Error {}

export interface Options {
  /** player: who may have cards, and asks for things. spectator: who only watches. */
  role: "player" | "spectator";
  /** Asked before each connection; one that fails is tried again. */
  account(): Promise<Account>;
  dial: Dial;
  /** Hears of each change. */
  changed(table: Table): void;
}

/** What became of a request. */
export interface Answer {
  ok: boolean;
  /** Stable, for programs; unanswered where no answer came in time. */
  code?: string;
  /** A sentence, for people. */
  text?: string;
}

/** How long a request waits for its reply before it is sent again, in ms; the wait doubles each time. */
const patience = 1000;

export class Client {
  /** What is known of the table. */
  table: Table = nothing;

  readonly #options: Options;
  readonly #waiting = new Map<string, (a: Answer) => void>();
  #send?: (request: string) => void;
  #ended = false;
  #end = () => {};
  #hurry = () => {};

  constructor(options: Options) {
    this.#options = options;
  }

  /** run keeps the connection until close is called or the account is refused. Call it once. */
  async run(): Promise<void> {
    while (!this.#ended) {
      let why: unknown;
      try {
        const account = await this.#options.account();
        if (this.#ended) return;
        why = await this.#session(account);
      } catch (err) {
        why = err;
      }
      this.#send = undefined;
      if (this.#ended) return;
      if (why instanceof Refused) return this.#tell({ kind: "link", link: "refused" });
      this.#tell({ kind: "link", link: "lost" });
      await this.#pause();
    }
  }

  /** close ends the connection for good; requests that wait stay unanswered. */
  close(): void {
    this.#ended = true;
    this.#end();
    this.#hurry();
    for (const answer of this.#waiting.values()) answer({ ok: false, code: "unanswered" });
  }

  /** hurry tries at once to connect again, if that is waited for: when the network has come back. */
  hurry(): void {
    this.#hurry();
  }

  /** ask sends a request, again and again until its answer has come, at most for `limit` ms. The table does it once. */
  ask(request: Request, limit = 15_000): Promise<Answer> {
    const id = newID();
    const text = JSON.stringify({ v: version, id, ...request });
    return new Promise((done) => {
      let again: ReturnType<typeof setTimeout>;
      const end = (a: Answer) => {
        clearTimeout(again);
        clearTimeout(late);
        this.#waiting.delete(id);
        done(a);
      };
      const late = setTimeout(() => end({ ok: false, code: "unanswered" }), limit);
      const send = (wait: number) => {
        this.#send?.(text);
        again = setTimeout(send, wait, 2 * wait);
      };
      this.#waiting.set(id, end);
      send(patience);
    });
  }

  /** session lives as long as one connection, and says why it ended. */
  #session(account: Account): Promise<Error> {
    const root = `tavolo/v1/${account.studio}/${account.table}/`;
    const own = `${root}seat/${account.user}/`;
    const topics = [root + "status", root + "pub/state", root + "pub/ev"];
    if (this.#options.role === "player") topics.push(...["hole", "turn", "offer", "reply"].map((t) => own + t));
    return new Promise((done) => {
      const link = this.#options.dial(account, topics, {
        opened: () => {
          this.#send = (request) => link.publish(`${root}act/${account.user}`, request);
          this.#tell({ kind: "link", link: "online" });
        },
        message: (topic, payload, retained) => {
          const body = parse(payload);
          if (!body) console.warn(`tavolo: ${topic}: no payload of version ${version}`);
          else if (topic.startsWith(own)) this.#own(topic.slice(own.length), body);
          else this.#public(topic.slice(root.length), body, retained);
        },
        delay: (ms) => this.#tell({ kind: "delay", ms }),
        closed: done,
      });
      this.#end = () => {
        link.close();
        done(new Error("closed"));
      };
    });
  }

  #public(topic: string, body: any, retained: boolean): void {
    switch (topic) {
      case "status": {
        // It comes after each connection, being retained, and at each start of the table: both are times to ask again.
        const asks = body.state === "online" && (retained || body.epoch !== this.table.epoch);
        this.#tell({ kind: "status", body });
        if (asks) this.#resync();
        return;
      }
      case "pub/state":
        return this.#tell({ kind: "snapshot", body, at: Date.now(), retained });
      case "pub/ev": {
        const knew = this.table.gap;
        this.#tell({ kind: "event", body });
        if (this.table.gap && !knew) this.#resync();
      }
    }
  }

  #own(topic: string, body: any): void {
    switch (topic) {
      case "hole":
      case "turn":
      case "offer":
        return this.#tell({ kind: topic, body });
      case "reply": {
        const { id, ok, code, text } = body as Reply;
        this.#waiting.get(id)?.({ ok, code, text });
      }
    }
  }

  /** resync asks to be told again: the state, and what is one's own. The reply only says that it was sent. */
  #resync(): void {
    if (this.#options.role !== "player") return;
    this.#send?.(JSON.stringify({ v: version, id: newID(), action: "resync" }));
  }

  #tell(m: Message): void {
    const next = reduce(this.table, m);
    if (next === this.table) return;
    this.table = next;
    this.#options.changed(next);
  }

  /** pause waits a second or two, not all clients alike, so that they do not come back in one wave. */
  #pause(): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, 1000 + Math.random() * 1000);
      this.#hurry = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** newID is a request identifier that nobody else makes. */
function newID(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** parse reads a payload of the version known here; what is in it is as wire.ts says, since only the daemon may publish
 * it. */
function parse(text: string): any {
  try {
    const body = JSON.parse(text);
    return body?.v === version ? body : undefined;
  } catch {
    return undefined;
  }
}
