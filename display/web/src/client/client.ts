// Client is one person's connection to one table: it connects and reconnects, keeps what is known of the table, asks to be
// told again what may have been missed, and repeats a request until it is answered. What a player and the table say to each
// other it seals and opens; each Client is a login of its own. A console is a person who deals, or has the floor: it is shown
// the dealer's prompts and the devices, and gives commands.

import { CatchUp, recall } from "./catchup";
import { Seal } from "./seal";
import { lacks, nothing, reduce, type Message, type Table } from "./table";
import { version, type Command, type Past, type Reply, type Request } from "./wire";

/** Which table, and as whom. */
export interface Account {
  studio: string;
  table: string;
  user: string;
  password: string;
  /** What a player shares with the table, see readKey; a spectator has none. */
  key?: CryptoKey;
  /** It is a dealer's console, or the floor's. */
  console?: boolean;
  /** It is a spectator who is told the table later, hand by hand. */
  delayed?: boolean;
}

/** What is to be said, by the broker, when a connection breaks. */
export interface Farewell {
  topic: string;
  payload: string;
}

/** A connection to a broker, for one life. */
export interface Link {
  publish(topic: string, payload: string): void;
  /** ping asks the broker for a sign of life, without which in so many ms the link is closed. */
  ping(limit: number): void;
  close(): void;
}

/** What a Link tells. After `closed` it tells nothing more. */
export interface Ears {
  /** The broker let the account in; its messages follow. */
  opened(): void;
  message(topic: string, payload: string, retained: boolean): void;
  /** How long the broker took to answer; for a player, the table's own answer counts. */
  delay(ms: number): void;
  /** `why` is a Refused where trying again is of no use. */
  closed(why: Error): void;
}

/** Dial opens a Link, which subscribes to the topics. By `device`, which is the same for all connections of a Client and which
 * nobody else knows, the broker tells that one that is dead has been replaced. */
export type Dial = (account: Account, device: string, topics: readonly string[], ears: Ears, farewell?: Farewell) => Link;

/** The broker does not let an account in. */
export class Refused extends Error {}

export interface Options {
  /** Asked before each connection; one that fails is tried again. With a key it is a player's. */
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

/** How often a player's client tells the table that it is there, in ms, and measures how late it is. */
const beat = 5000;

/** How long the broker may take to answer somebody who has just come to look, in ms. */
const soon = 2000;

/** How often the hands before are asked for. */
const recalls = 5;

export class Client {
  /** What is known of the table. */
  table: Table = nothing;

  readonly #options: Options;
  readonly #device = newID();
  readonly #waiting = new Map<string, (a: Answer) => void>();
  #send?: (request: string) => void;
  #seal?: Seal;
  /** The latest run of the table that has shown to know the key, and whether one has said that it does not. */
  #proven = 0;
  #unknown = false;
  /** How a request names what it asks for; undefined for a spectator, who asks for nothing. */
  #verb?: "action" | "cmd";
  /** For who may ask. */
  readonly #catchUp = new CatchUp(
    (first, last, wait) => this.#past(first, last, wait),
    (m) => this.#tell(m),
    () => this.table,
  );
  readonly #pasts = new Map<string, (p?: Past) => void>();
  /** Of which journal of the table the hands before were asked for, and how often. */
  #recalled = { origin: 0, tries: 0, busy: false };
  /** Who plays, and the wait until what is the player's own is asked for again where some of it was lost. */
  #player = "";
  #missing: { timer?: ReturnType<typeof setTimeout>; wait: number } = { wait: patience };
  /** A player's last ping. */
  #pinged = { id: "", at: -Infinity };
  /** Requests go out, and what is the player's own comes in, one after the other, however long each takes to seal. */
  #out = Promise.resolve();
  #in = Promise.resolve();
  #ended = false;
  #end = () => {};
  #hurry = () => {};
  #probe?: () => void;

  constructor(options: Options) {
    this.#options = options;
  }

  /** proven is whether the table has shown that it knows a player's key, by something it sealed with it. */
  get proven(): boolean {
    return this.#proven !== 0;
  }

  /** run keeps the connection until close is called or the broker refuses the account. Call it once. */
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
      this.#send = this.#probe = undefined;
      if (this.#ended) return;
      console.warn("tavolo: no connection to the table:", why);
      if (why instanceof Refused) return this.#tell({ kind: "link", link: "refused" });
      this.#tell({ kind: "link", link: "lost" });
      await this.#pause();
    }
  }

  /** close ends the connection for good; requests that wait stay unanswered. */
  close(): void {
    this.#ended = true;
    this.#catchUp.close();
    clearTimeout(this.#missing.timer);
    this.#unanswered();
    this.#end();
    this.#hurry();
    for (const answer of this.#waiting.values()) answer({ ok: false, code: "unanswered" });
  }

  /** hurry tries at once to connect again, if that is waited for, and else soon knows whether the line is dead: when the network
   * has come back, or somebody looks again. */
  hurry(): void {
    this.#hurry();
    this.#probe?.();
  }

  /** ask sends a request, or a console's command, again and again until its answer has come, at most for `limit` ms. The
   * table does it once. */
  ask(request: Request | Command, limit = 15_000): Promise<Answer> {
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
  async #session(account: Account): Promise<Error> {
    const { studio, table, user, key, console: deals = false, delayed = false } = account;
    const root = `tavolo/v1/${studio}/${table}/`;
    const own = `${root}${deals ? "dealer" : "seat"}/${user}/`;
    const act = deals ? `${own}cmd` : `${root}act/${user}`;
    const told = delayed ? "delayed" : "pub";
    const topics = ["status", `${told}/state`, `${told}/ev`].map((t) => root + t);
    const seal = key && (this.#seal ??= await Seal.begin(key, { studio, table, player: user }));
    this.#verb = deals ? "cmd" : seal && "action";
    if (seal) this.#player = user;
    if (seal) topics.push(...["hole", "turn", "plan", "behind", "offer", "reply", "past", "pong"].map((t) => own + t));
    if (deals) topics.push(...["prompt", "reply", "past"].map((t) => own + t), `${root}hw/+/state`);
    const farewell = seal && { topic: act, payload: JSON.stringify({ v: version, gone: seal.login, ...(await seal.farewell()) }) };
    if (this.#ended) return new Error("closed"); // meanwhile
    const beats = seal && setInterval(() => this.#ping(), beat);
    return new Promise<Error>((done) => {
      const ears: Ears = {
        opened: () => {
          const publish = (text: string) => link.publish(act, text);
          this.#probe = () => link.ping(soon);
          this.#send = deals ? publish : seal && ((request) => this.#sealed(seal, request, publish));
          this.#tell({ kind: "link", link: this.#unknown ? "refused" : "online", asks: this.#verb !== undefined, delayed });
        },
        message: (topic, payload, retained) => {
          const body = parse(payload);
          if (!body) console.warn(`tavolo: ${topic}: no payload of version ${version}`);
          else if (seal && topic.startsWith(own)) this.#opened(seal, topic.slice(own.length), body);
          else if (topic.startsWith(own)) this.#own(topic.slice(own.length), body);
          else this.#public(topic.slice(root.length), body, retained);
        },
        delay: (ms) => seal ?? this.#tell({ kind: "delay", ms }),
        closed: done,
      };
      const link = this.#options.dial(account, this.#device, topics, ears, farewell);
      this.#end = () => {
        link.close();
        done(new Error("closed"));
      };
    }).finally(() => clearInterval(beats));
  }

  /** sealed sends a request, sealed for the run of the table that is known; before one is, nobody could open it. */
  #sealed(seal: Seal, request: string, publish: (text: string) => void): void {
    const { epoch } = this.table;
    if (epoch === 0) return;
    this.#out = this.#out.then(async () => publish(JSON.stringify(await seal.seal(epoch, request))));
  }

  /** opened takes what is the player's own. The only words to a player in the clear say that the key is not the table's. */
  #opened(seal: Seal, leaf: string, body: any): void {
    this.#in = this.#in.then(async () => {
      try {
        if (leaf === "reply" && (body.code === "not_sealed" || body.code === "too_many_logins")) return this.#refused(seal, body);
        const text = await seal.open(leaf, body);
        if (!text) return;
        this.#proven = Math.max(this.#proven, body.epoch);
        if (this.#unknown) {
          this.#unknown = false;
          this.#tell({ kind: "link", link: "online", asks: true });
        }
        this.#own(leaf, parse(text));
      } catch (err) {
        console.warn(`tavolo: ${leaf}:`, err);
      }
    });
  }

  /** refused takes what is said in the clear, for anybody may have made the table say it. It means this login only as long as
   * the table has not shown that it knows the key. The next ping tries again. */
  #refused(seal: Seal, { login, text }: Reply): void {
    const { epoch } = this.table;
    if (this.#unknown || (epoch !== 0 && this.#proven === epoch) || (login && login !== seal.login)) return;
    console.warn("tavolo: the table does not know the player by this key:", text);
    this.#unknown = true;
    this.#tell({ kind: "link", link: "refused" });
  }

  #public(topic: string, body: any, retained: boolean): void {
    switch (topic) {
      case "status": {
        // It comes after each connection, being retained, and at each start of the table: both are times to ask again.
        const asks = body.state === "online" && (retained || body.epoch !== this.table.epoch);
        this.#tell({ kind: "status", body, retained });
        if (!asks) return;
        this.#catchUp.hurry();
        this.#unanswered();
        this.#resync();
        return this.#ping();
      }
      case "pub/state":
      case "delayed/state":
        this.#tell({ kind: "snapshot", body, at: Date.now(), retained });
        if (!this.#verb) return;
        this.#ping();
        this.#catchUp.look();
        return void this.#recall();
      case "pub/ev":
      case "delayed/ev":
        return this.#verb ? this.#catchUp.event(body) : this.#tell({ kind: "event", body });
      default: // {root}/hw/{device}/state
        return this.#tell({ kind: "device", body });
    }
  }

  /** recall asks for the hands before, a few times if they are not told. */
  async #recall(): Promise<void> {
    const { origin, gap } = this.table;
    const r = this.#recalled.origin === origin ? this.#recalled : (this.#recalled = { origin, tries: 0, busy: false });
    if (gap || r.busy || r.tries === recalls || this.#send === undefined) return;
    r.busy = true;
    r.tries++;
    const events = await recall(
      (first, last, wait) => this.#past(first, last, wait),
      () => this.table,
      r.tries * patience,
    );
    r.busy = false;
    if (!events) return;
    r.tries = recalls;
    this.#tell({ kind: "past", events });
  }

  /** past asks for events, and waits so long for them. */
  #past(first: number, last: number, wait: number): Promise<Past | undefined> {
    const id = newID();
    return new Promise((done) => {
      const end = (p?: Past) => {
        clearTimeout(late);
        this.#pasts.delete(id);
        done(p);
      };
      const late = setTimeout(end, wait);
      this.#pasts.set(id, end);
      this.#send?.(this.#request("events", id, { first, last }));
    });
  }

  /** unanswered ends the wait for events: what was asked is lost. */
  #unanswered(): void {
    for (const end of [...this.#pasts.values()]) end();
  }

  #own(topic: string, body: any): void {
    if (!body) return;
    switch (topic) {
      case "hole":
      case "turn":
      case "plan":
      case "behind":
      case "offer":
      case "prompt":
        return this.#tell({ kind: topic, body });
      case "past":
        return this.#pasts.get(body.id)?.(body);
      case "pong":
        if (body.id === this.#pinged.id) this.#tell({ kind: "delay", ms: Math.round(performance.now() - this.#pinged.at) });
        return;
      case "reply": {
        const { id, ok, code, text } = body as Reply;
        this.#waiting.get(id)?.({ ok, code, text });
      }
    }
  }

  /** ping tells the table that the player is there. Each new picture is a time for it too: in a page that nobody looks at,
   * timers are late. */
  #ping(): void {
    const at = performance.now();
    if (this.#verb !== "action" || this.table.epoch === 0 || at - this.#pinged.at < beat) return;
    this.#pinged = { id: newID(), at };
    this.#send?.(this.#request("ping", this.#pinged.id));
  }

  /** resync asks to be told again: the state, and what is one's own. The reply only says that it was sent, or will be within a
   * second. */
  #resync(): void {
    this.#send?.(this.#request("resync", newID()));
  }

  /** request is one that players and consoles make alike. */
  #request(verb: "events" | "resync" | "ping", id: string, more: object = {}): string {
    return JSON.stringify({ v: version, id, [this.#verb ?? "action"]: verb, ...more });
  }

  #tell(m: Message): void {
    const next = reduce(this.table, m);
    if (next === this.table) return;
    this.table = next;
    this.#miss();
    this.#options.changed(next);
  }

  /** miss asks again for what is the player's own where some of it was lost, which nothing but the public snapshot shows: it is
   * one message, told once. It may come a little later than the snapshot. */
  #miss(): void {
    const m = this.#missing;
    if (this.#ended || !lacks(this.table, this.#player)) {
      clearTimeout(m.timer);
      this.#missing = { wait: patience };
      return;
    }
    m.timer ??= setTimeout(() => {
      m.timer = undefined;
      m.wait = Math.min(2 * m.wait, 16 * patience);
      this.#resync();
      this.#miss();
    }, m.wait);
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
