// The payloads of MQTT, version 1, as the daemon publishes them. Amounts are whole chips, times Unix milliseconds.

/** A card in text: "Td", or "??" where the viewer may not see the face. */
export type Card = string;

/** Topic {root}/status: what the table's engine says of itself, or its last will says for it. */
export interface Status {
  v: 1;
  state: "online" | "lost" | "stopped";
  epoch: number;
}

/** Topic {root}/pub/state: the table as the public may see it. */
export interface Snapshot {
  v: 1;
  epoch: number;
  time: number;
  name: string;
  currency?: Currency;
  view: View;
  players: Player[];
  clock?: Clock;
  /** Why the table stands still. */
  holds?: string[];
}

/** The currency of a table: how many chips, the smallest unit, make one of it. */
export interface Currency {
  code: string;
  units: number;
}

export interface Player {
  seat: number;
  player: string;
  name: string;
  kind: "remote" | "felt";
  bot?: boolean;
  connected?: boolean;
}

/** The running clock: until its deadline, or, paused, with so much left. */
export interface Clock {
  seat: number;
  deadline?: number;
  total_ms: number;
  paused?: boolean;
  left_ms?: number;
}

/** engine.View. */
export interface View {
  seq: number;
  hand: number;
  game: string;
  limit: string;
  house: string;
  phase: "between" | "dealing" | "betting" | "closed" | "showing";
  street?: string;
  button: number;
  small_blind: number;
  big_blind: number;
  stakes: { small_blind: number; big_blind: number; ante?: number; small_bet?: number; big_bet?: number };
  board: Card[];
  pots: { amount: number; seats: number[] }[];
  total: number;
  bet: number;
  awaits: Await;
  seats: SeatView[];
}

export interface Await {
  kind: "nothing" | "burn" | "hole" | "board" | "action" | "reveal";
  seat?: number;
  number?: number;
  of?: number;
  legal?: { check?: boolean; to_call?: number };
}

export interface SeatView {
  seat: number;
  stack: number;
  bet: number;
  out?: boolean;
  waits?: boolean;
  dealt?: boolean;
  live?: boolean;
  all_in?: boolean;
  shown?: boolean;
  mucked?: boolean;
  cards?: Card[];
  holds?: string;
}

/** Topic {root}/pub/ev: one engine event, redacted for the public. */
export interface Published {
  v: 1;
  epoch: number;
  seq: number;
  hand: number;
  time: number;
  event: Event;
}

/** engine.Event; which fields are there depends on its name. */
export interface Event {
  event: string;
  seat?: number;
  card?: Card;
  /** Cards one after another: "AhKd". */
  cards?: string;
  action?: "fold" | "check" | "call" | "bet" | "raise";
  amount?: number;
  to?: number;
  all_in?: boolean;
  auto?: boolean;
  pot?: number;
  street?: number;
  hand?: number;
  button?: number;
  small_blind?: number;
  big_blind?: number;
  power?: "peek" | "swap" | "anchor" | "shield";
  target?: number;
  reason?: string;
}
