// What is known of a table, and how each message changes it: a pure function, so that it can be tested without a browser
// or a broker.
//
// The picture is always the newest snapshot; nothing here knows a rule of poker. Events say how the table got there: they
// feed the log, the words at the seats, who won what and the history. They are numbered, so one seen twice is dropped and
// one that was lost is noticed.

import { keep, recalled, type Hand } from "./hands";
import type { Behind, Card, Device, Event, Hole, Offer, Plan, Prompting, Published, Snapshot, Status, Turn } from "./wire";

export interface Table {
  /** refused: the broker does not let this account in, or not to this table, and it is not tried again; or the table says that it
   * does not know the player by the key, as long as it is not heard to know it. */
  link: "connecting" | "online" | "lost" | "refused";
  /** It is told later, hand by hand. */
  delayed?: boolean;
  status?: Status["state"];
  epoch: number;
  snapshot?: Snapshot;
  /** How far this clock is ahead of the table's, in ms: the least seen, since a message may be late but not early. */
  ahead?: number;
  /** The epoch in which the numbers of the events began: they go on in the epochs that follow, unless the table has another
   * journal. */
  origin: number;
  /** The number of the last event told, and of the last one before the epoch. */
  seq: number;
  before: number;
  /** Events may have been lost: nothing is told until a snapshot says where the table is, or a hand begins. */
  gap: boolean;
  /** The hand that said, won, board and positions belong to. */
  hand: number;
  /** Each seat's last act in the round. */
  said: Record<number, Said>;
  /** What each seat won in the hand, and how much of it with the best low hand. */
  won: Record<number, number>;
  low: Record<number, number>;
  /** What each seat won in the hand before. */
  last: Record<number, number>;
  board: Card[];
  positions: { small: number; big: number };
  /** The last events told, oldest first. */
  log: Entry[];
  /** The last hands, oldest first. */
  hands: readonly Hand[];
  /** The player's own cards, by seat: a player may have several boxes against the house. */
  holes: Record<number, Hole>;
  /** The player's turn, from when it is told to when it is over. */
  turn?: Turn;
  /** What the player has decided ahead, by seat. */
  plans: Record<number, Plan>;
  /** The player's stakes behind boxes. */
  behind?: Behind;
  /** A seat that the player may take. */
  offer?: Offer;
  /** What a console's dealer does next. */
  prompting?: Prompting;
  /** The devices that a console was told of, by name. */
  devices: Record<string, Device>;
  /** How long a player's message to the table and its answer took, in ms; for others, one to the broker. */
  delay?: number;
}

export interface Said {
  what: "fold" | "check" | "call" | "bet" | "raise" | "bring-in" | "split" | "small_blind" | "big_blind" | "post" | "ante" | "draw" | "pat";
  amount: number;
  allIn: boolean;
}

/** One line of the log, still in no language. */
export interface Entry {
  /** Grows by one each line, for as long as the page lives. */
  id: number;
  /** The event's name, or one of the page's own: antes, small_blind, big_blind, post, board, gap. */
  what: string;
  event: Event;
  /** Who sat at the event's seat; empty where nobody is known. */
  name: string;
  cards: Card[];
  /** How many cards lie on the board after it. */
  on: number;
}

export type Message =
  /** asks: what was missed can be asked for, so that events may go on where they ended. */
  | { kind: "link"; link: Table["link"]; asks?: boolean; delayed?: boolean }
  | { kind: "status"; body: Status; retained: boolean }
  | { kind: "snapshot"; body: Snapshot; at: number; retained: boolean }
  | { kind: "event"; body: Published }
  /** What is missing cannot be had. */
  | { kind: "gap" }
  /** The events up to the last one told, from some time back. */
  | { kind: "past"; events: readonly Published[] }
  | { kind: "hole"; body: Hole }
  | { kind: "turn"; body: Turn }
  | { kind: "plan"; body: Plan }
  | { kind: "behind"; body: Behind }
  | { kind: "offer"; body: Offer }
  | { kind: "prompt"; body: Prompting }
  | { kind: "device"; body: Device }
  | { kind: "delay"; ms: number };

export const maxLog = 200;

export const nothing: Table = {
  link: "connecting",
  epoch: 0,
  origin: 0,
  seq: 0,
  before: 0,
  gap: true,
  hand: 0,
  said: {},
  won: {},
  low: {},
  last: {},
  board: [],
  positions: { small: 0, big: 0 },
  log: [],
  hands: [],
  holes: {},
  plans: {},
  devices: {},
};

export function reduce(t: Table, m: Message): Table {
  switch (m.kind) {
    case "link":
      return m.link === "online" ? { ...t, link: m.link, delayed: m.delayed, gap: t.gap || !m.asks } : { ...t, link: m.link };
    case "status":
      // The late will of a daemon that is gone, or what a broker that was restored had kept.
      if (m.body.epoch < t.epoch && (m.retained || m.body.state === "lost")) return t;
      return { ...inEpoch(t, m.body.epoch), status: m.body.state };
    case "snapshot":
      return snapshot(t, m.body, m.retained ? t.ahead : Math.min(t.ahead ?? Infinity, m.at - m.body.time));
    case "event":
      return published(t, m.body);
    case "gap":
      return t.snapshot && t.snapshot.view.seq > t.seq ? resume(t, t.snapshot) : { ...t, gap: true };
    case "past":
      return t.snapshot ? { ...t, hands: recalled(m.events, t.snapshot) } : t;
    case "hole":
      if (m.body.epoch < t.epoch) return t;
      t = inEpoch(t, m.body.epoch);
      if (m.body.seq < (t.holes[m.body.seat]?.seq ?? 0)) return t;
      return { ...t, holes: { ...t.holes, [m.body.seat]: m.body }, hands: keep(t.hands, m.body) };
    case "turn":
      if (m.body.epoch < t.epoch) return t;
      return { ...inEpoch(t, m.body.epoch), turn: m.body };
    case "plan":
      if (m.body.epoch < t.epoch || m.body.seq < (t.plans[m.body.seat]?.seq ?? 0)) return t;
      t = inEpoch(t, m.body.epoch);
      return { ...t, plans: { ...t.plans, [m.body.seat]: m.body } };
    case "behind":
      if (m.body.epoch < t.epoch || m.body.seq < (t.behind?.seq ?? 0)) return t;
      return { ...inEpoch(t, m.body.epoch), behind: m.body };
    case "offer":
      if (m.body.epoch < t.epoch) return t;
      return { ...inEpoch(t, m.body.epoch), offer: m.body };
    case "prompt":
      if (m.body.epoch < t.epoch || m.body.seq < (t.prompting?.seq ?? 0)) return t;
      return { ...inEpoch(t, m.body.epoch), prompting: m.body };
    case "device":
      return { ...t, devices: { ...t.devices, [m.body.device]: m.body } };
    case "delay":
      return { ...t, delay: m.ms };
  }
}

/** A new epoch is a daemon that started again: what it awaits and who holds what it says anew. The events go on. */
function inEpoch(t: Table, epoch: number): Table {
  if (epoch === t.epoch) return t;
  const { holes, plans } = nothing;
  const none = { snapshot: undefined, turn: undefined, behind: undefined, offer: undefined, prompting: undefined, holes, plans };
  return { ...t, ...none, epoch, origin: t.origin || epoch, before: t.seq };
}

/** anew is a table with another journal: nothing known before counts. */
function anew(t: Table): Table {
  const { link, delayed, status, epoch, ahead, delay, devices } = t;
  return { ...nothing, link, delayed, status, epoch, origin: epoch, ahead, delay, devices };
}

function snapshot(t: Table, s: Snapshot, ahead: number | undefined): Table {
  const seq = s.view.seq;
  if (s.epoch < t.epoch || (s.epoch === t.epoch && seq < (t.snapshot?.view.seq ?? 0))) return t;
  t = inEpoch(t, s.epoch);
  if (seq < t.before) t = anew(t);
  if (t.gap && seq > t.seq) t = resume(t, s);
  return { ...t, snapshot: s, ahead, gap: false, turn: pending(t.turn, s) };
}

/** pending is a turn as long as a snapshot does not say that it is over. */
function pending(turn: Turn | undefined, { view }: Snapshot): Turn | undefined {
  const over = turn && view.seq > turn.seq && !(view.awaits.seat === turn.seat && view.awaits.kind === turn.kind);
  return over ? undefined : turn;
}

/** resume goes on telling after what a snapshot includes. */
function resume(t: Table, s: Snapshot): Table {
  const v = s.view;
  const log = t.log.length > 0 ? tell(t, "gap", { event: "gap" }) : t.log;
  return {
    ...t,
    log,
    seq: v.seq,
    hand: v.hand,
    said: {},
    won: v.hand === t.hand ? t.won : {},
    low: v.hand === t.hand ? t.low : {},
    board: v.board,
    positions: { small: v.small_blind, big: v.big_blind },
  };
}

function published(t: Table, p: Published): Table {
  if (p.epoch < t.epoch) return t;
  t = inEpoch(t, p.epoch);
  if (p.seq <= t.seq) return t;
  const next = t.seq + 1;
  if (p.event.event === "hand_began") t = { ...t, gap: false };
  else if (t.gap) return t;
  else if (p.seq > next) {
    const shown = t.snapshot?.view.seq ?? 0;
    if (!t.snapshot || p.seq > shown + 1) return { ...t, gap: true };
    t = resume(t, t.snapshot); // the snapshot in hand covers what was lost
    if (p.seq <= shown) return t;
  }
  return { ...event(t, p.event, p.hand), seq: p.seq, hands: keep(t.hands, p, t.snapshot) };
}

function event(t: Table, e: Event, hand: number): Table {
  switch (e.event) {
    case "hand_began":
      t = {
        ...t,
        hand,
        said: {},
        won: {},
        low: {},
        last: t.won,
        board: [],
        positions: { small: e.small_blind ?? 0, big: e.big_blind ?? 0 },
      };
      return { ...t, log: tell(t, e.event, e) };
    case "ante_posted":
      return { ...say(t, e, "ante"), log: antes(t, e) };
    case "blind_posted": {
      const what =
        e.seat === t.positions.big ? "big_blind" : e.seat === t.positions.small ? "small_blind" : "post";
      return { ...say(t, e, what), log: tell(t, what, e) };
    }
    case "street_opened":
      return { ...t, said: e.street ? {} : t.said, log: tell(t, "board", e) }; // its cards are to come
    case "board_dealt":
      return board(t, e);
    case "player_acted":
      return { ...(e.action ? say(t, e, e.action) : t), log: tell(t, e.event, e) };
    case "showdown_opened":
      return { ...t, said: {}, log: tell(t, e.event, e) };
    case "pot_awarded": {
      const seat = e.seat ?? 0;
      const added = (of: Record<number, number>) => ({ ...of, [seat]: (of[seat] ?? 0) + (e.amount ?? 0) });
      return { ...t, said: {}, won: added(t.won), low: e.low ? added(t.low) : t.low, log: tell(t, e.event, e) };
    }
    case "box_settled": {
      const seat = e.seat ?? 0;
      const { ante = 0, bonus = 0, flop = 0, turn = 0, river = 0 } = t.snapshot?.view.seats.find((s) => s.seat === seat)?.box ?? {};
      const more = (e.amount ?? 0) + (e.bonus ?? 0) - (ante + bonus + flop + turn + river);
      const won = more > 0 ? { ...t.won, [seat]: more } : t.won;
      return { ...t, said: {}, won, log: tell(t, e.event, e) };
    }
    case "hole_dealt":
      return e.up && e.seat ? { ...t, log: tell(t, e.event, e, [e.card ?? "??"]) } : t;
    case "cards_discarded":
      return { ...say(t, e, e.amount ? "draw" : "pat"), log: tell(t, e.event, e) };
    case "card_burned":
    case "betting_opened":
    case "turn_passed":
    case "bets_collected":
    case "hand_ended":
      return t; // seen in the picture, not worth a line
    default:
      return { ...t, log: tell(t, e.event, e) };
  }
}

function say(t: Table, e: Event, what: Said["what"]): Table {
  const amount = what === "raise" ? e.to : e.amount;
  const said: Said = { what, amount: amount ?? 0, allIn: e.all_in ?? false };
  return { ...t, said: { ...t.said, [e.seat ?? 0]: said } };
}

/** All the antes of a hand share a line, with their sum. */
function antes(t: Table, e: Event): Entry[] {
  const last = t.log.at(-1);
  if (last?.what !== "antes") return tell(t, "antes", e);
  const amount = (last.event.amount ?? 0) + (e.amount ?? 0);
  return [...t.log.slice(0, -1), { ...last, event: { ...e, amount } }];
}

/** The cards of one street share a line. */
function board(t: Table, e: Event): Table {
  const card = e.card ?? "??";
  const all = [...t.board, card];
  const last = t.log.at(-1);
  if (last?.what === "board") {
    const grown = { ...last, cards: [...last.cards, card], on: all.length };
    return { ...t, board: all, log: [...t.log.slice(0, -1), grown] };
  }
  t = { ...t, board: all };
  return { ...t, log: tell(t, "board", e, [card]) };
}

/** ownSeats are the seats of a player: none, one, or several boxes against the house. */
export function ownSeats(t: Table, player: string): number[] {
  return (t.snapshot?.players ?? []).filter((p) => p.player === player && player !== "").map((p) => p.seat);
}

/** lacks is whether the snapshot shows a turn of the player's, or cards, that were not told. */
export function lacks({ snapshot, epoch, turn, holes }: Table, player: string): boolean {
  if (!snapshot) return false;
  const { hand, phase, awaits, seats } = snapshot.view;
  const asked = ["action", "reveal", "discard", "shield"].includes(awaits.kind);
  return snapshot.players.some(({ seat, kind, player: name }) => {
    if (kind !== "remote" || name !== player) return false;
    const told = turn?.epoch === epoch && turn.hand === hand && turn.seat === seat && turn.kind === awaits.kind;
    const hole = holes[seat];
    const held = hole?.hand === hand ? hole.cards.length : 0;
    const shown = seats.find((s) => s.seat === seat)?.cards?.length ?? 0;
    return (asked && awaits.seat === seat && !told) || (phase !== "between" && shown > held);
  });
}

/** offered are the seats of which the player, who waited for one, may take one; now is the time by this clock. */
export function offered(t: Table, player: string, now: number): readonly number[] {
  const own = ownSeats(t, player);
  const sits = t.snapshot?.view.seats.some((s) => own.includes(s.seat));
  return t.offer && !sits && t.offer.until > now - (t.ahead ?? 0) ? t.offer.free : [];
}

/** members are the seats of a set: bit n for seat n. */
export function members(set: number): number[] {
  return Array.from({ length: 16 }, (_, i) => i).filter((i) => set & (1 << i));
}

function tell(t: Table, what: string, e: Event, cards: Card[] = split(e.cards ?? "")): Entry[] {
  const name = t.snapshot?.players?.find((p) => p.seat === e.seat)?.name ?? "";
  const id = (t.log.at(-1)?.id ?? 0) + 1;
  return [...t.log, { id, what, event: e, name, cards, on: t.board.length }].slice(-maxLog);
}

/** "AhKd" into its cards. */
export function split(cards: string): Card[] {
  return cards.match(/../g) ?? [];
}
