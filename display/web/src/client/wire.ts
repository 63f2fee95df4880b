// The payloads of MQTT, version 1, as package controller/mqtt documents them. Amounts are whole chips, times Unix
// milliseconds.

/** The version of the payloads; the topics carry it as well. */
export const version = 1;

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
  /** The code of the currency whose smallest unit chips are counted in; absent for play money. */
  currency?: string;
  view: View;
  /** Every seat of the table: who has it, or for whom an empty one is kept; "" for one that anybody may take. */
  players: Player[];
  seating?: Seating;
  clock?: Clock;
  /** How long the table waits for its players; absent later, for those who see the table after a delay. */
  times?: Times;
  /** What the bad beat jackpot's pool holds; absent where there is none. */
  jackpot?: number;
  /** What each power of the table costs, in sparks; absent where there are none. */
  powers?: Partial<Record<Power, number>>;
  /** What others have put behind the boxes: for the next hand, or in the hand in play. */
  behind?: (Stake & { seat: number; players: number })[];
  /** Why the table stands still. */
  holds?: string[];
}

/** What one needs to know to sit down. An absent bound is none. */
export interface Seating {
  free: number[];
  min_buy_in?: number;
  max_buy_in?: number;
  session_cap?: number;
  waiting?: number;
}

export interface Player {
  seat: number;
  player: string;
  name: string;
  kind: "remote" | "felt";
  bot?: boolean;
  connected?: boolean;
}

/** How long a table waits, in milliseconds: to act, to exchange cards in a draw, to show or muck. An absent time is none. */
export interface Times {
  action_ms: number;
  draw_ms: number;
  show_ms: number;
  /** What a seat has beside its clocks in all, and what comes back of it with each hand dealt. */
  bank_ms?: number;
  refill_ms?: number;
  /** What a turn has more of a player who is cut off; or how often in any cover_ms that counts as all-in instead. */
  grace_ms?: number;
  cover_uses?: number;
  cover_ms?: number;
  /** After this time a player elsewhere who sits out loses the seat. */
  sit_out_ms?: number;
}

/** The running clock: until its deadline, or, paused, with so much left. */
export interface Clock {
  seat: number;
  deadline?: number;
  total_ms: number;
  /** It is the time of the seat's bank, or that which a player who is cut off has to come back. */
  bank?: boolean;
  grace?: boolean;
  paused?: boolean;
  left_ms?: number;
  /** What the seat has in its bank until that runs. */
  bank_ms?: number;
}

/** engine.View. */
export interface View {
  seq: number;
  hand: number;
  game: string;
  limit: "no-limit" | "pot" | "half-pot" | "fixed" | "spread";
  house: string;
  phase: "between" | "dealing" | "betting" | "closed" | "showing";
  street?: string;
  button: number;
  small_blind: number;
  big_blind: number;
  stakes: { small_blind: number; big_blind: number; ante?: number; small_bet?: number; big_bet?: number } & HouseStakes;
  board: Card[];
  pots: { amount: number; seats: number[] }[];
  total: number;
  bet: number;
  awaits: Await;
  seats: SeatView[];
  /** The hand of the house, in a game against it. */
  bank?: { cards?: Card[]; shown?: boolean; holds?: string };
  /** The powers of the hand, with spaces between them. */
  carousel?: string;
}

/** What may be put down against the house. */
export interface HouseStakes {
  min_ante?: number;
  max_ante?: number;
  min_bonus?: number;
  max_bonus?: number;
}

export interface Await {
  kind: "nothing" | "burn" | "hole" | "board" | "action" | "reveal" | "discard" | "reload" | "shield" | "shuffle" | "resume";
  seat?: number;
  number?: number;
  of?: number;
  legal?: Legal;
  may_muck?: boolean;
}

/** What a seat may do in its turn; folding is always legal. An amount that is absent is none. */
export interface Legal {
  /** What the seat must put in at least to open a game without blinds; then it may neither check nor fold. */
  bring_in?: number;
  /** The seat may offer to split the pots, or take the offer. */
  split?: boolean;
  check?: boolean;
  /** The seat plays on against the house: it may not fold. */
  no_fold?: boolean;
  /** What the seat adds to call. */
  to_call?: number;
  /** The seat may bet, if it opens, or raise, to at least min_to and at most max_to. */
  raise?: boolean;
  opens?: boolean;
  min_to?: number;
  max_to?: number;
  /** Only min_to and max_to are legal, nothing between them. */
  two_sizes?: boolean;
  /** The smallest chip in play, if above 1: between min_to and max_to only what it divides is legal. */
  chip?: number;
  /** The seat's whole bet if it puts in everything; absent where the limit forbids that. */
  all_in?: number;
  /** The powers the seat may use first, with spaces between them. */
  powers?: string;
  /** Whom an anchor may be on: bit n for seat n. */
  targets?: number;
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
  /** "??" for the cards whose faces the viewer may not see. */
  cards?: Card[];
  holds?: string;
  /** The cards that make what a hand that was shown holds, and those that make its low hand. */
  best?: Card[];
  best_low?: Card[];
  sparks?: number;
  /** An anchor holds the seat's raises of the round to the size of the pot. */
  anchored?: boolean;
  /** What the seat has put down in a game against the house. */
  box?: Box;
}

export interface Box {
  ante: number;
  bonus?: number;
  flop?: number;
  turn?: number;
  river?: number;
}

export type Power = "peek" | "swap" | "anchor" | "shield";

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
  /** Cards one after another: "AhKd". Of a pot_awarded those that it was won with, where they were shown. */
  cards?: string;
  /** The card is dealt face up. */
  up?: boolean;
  action?: "fold" | "check" | "call" | "bet" | "raise" | "bring-in" | "split";
  amount?: number;
  to?: number;
  all_in?: boolean;
  auto?: boolean;
  /** The post is nobody's bet. */
  dead?: boolean;
  /** The bonus bet of a stake, and what the house hands back for it. */
  bonus?: number;
  pot?: number;
  /** What the best low hand wins of a pot. */
  low?: boolean;
  street?: number;
  hand?: number;
  /** The seats a hand starts with: bit n for seat n. */
  dealt?: number;
  button?: number;
  small_blind?: number;
  big_blind?: number;
  power?: Power;
  target?: number;
  sparks?: number;
  reason?: string;
}

/** Topic {root}/seat/{player}/hole: the player's own cards. */
export interface Hole {
  v: 1;
  epoch: number;
  seq: number;
  hand: number;
  seat: number;
  cards: Card[];
  /** What the cards make with the board. */
  holds?: string;
  /** The next community card, for who has peeked. */
  peeked?: Card;
}

/** Topic {root}/seat/{player}/turn: it is the player's turn. */
export interface Turn {
  v: 1;
  epoch: number;
  seq: number;
  hand: number;
  seat: number;
  /** The token that the answer carries. */
  turn: number;
  kind: Await["kind"];
  legal?: Legal;
  may_muck?: boolean;
  /** How many cards may be exchanged in a draw. */
  most?: number;
  /** The seat that has put an anchor on the player, to be answered with shield or accept_anchor. */
  by?: number;
  clock?: Clock;
}

/** Topic {root}/seat/{player}/plan: what the player has decided ahead; the table carries it out. */
export interface Plan {
  v: 1;
  epoch: number;
  seq: number;
  hand: number;
  seat: number;
  /** Absent for none, as when the bet that it was for has changed. */
  plan?: PlanVerb;
  /** A hand that need not be shown is mucked without asking. */
  auto_muck?: boolean;
}

export type PlanVerb = "plan_check_fold" | "plan_check" | "plan_call" | "plan_call_any";

/** What is put down before a hand against the house. */
export interface Stake {
  ante: number;
  bonus?: number;
}

/** Topic {root}/seat/{player}/behind: the player's stakes behind boxes. */
export interface Behind {
  v: 1;
  epoch: number;
  seq: number;
  hand: number;
  /** For the next hand, and in the hand in play. */
  open: (Stake & { seat: number })[];
  in_play: (Stake & { seat: number })[];
  /** Those of the last hand until the next begins: the bets that the box's decisions made of a stake, and what the house
   * hands back for each. */
  settled?: (Stake & { seat: number; bets: Box; back: Partial<Box> })[];
}

/** Topic {root}/seat/{player}/offer: a seat is free for the first on the waiting list. */
export interface Offer {
  v: 1;
  epoch: number;
  seq: number;
  free: number[];
  until: number;
}

/** Topic {root}/seat/{player}/reply: the answer to a request. */
export interface Reply {
  v: 1;
  epoch: number;
  seq: number;
  id: string;
  ok: boolean;
  code?: string;
  text?: string;
  /** Whose request it says it was, of a refusal in the clear. */
  login?: string;
}

/** Topic {root}/seat/{player}/past: events that were missed, with the cards that were the player's own. */
export interface Past {
  v: 1;
  epoch: number;
  seq: number;
  id: string;
  /** The oldest event that can be told. */
  oldest: number;
  /** The first of those asked for; the rest is to be asked for once more. */
  events: Published[];
}

/** What a player can ask for. */
export type Verb =
  | "fold"
  | "check"
  | "call"
  | "bet"
  | "raise"
  | "all-in"
  | "bring-in"
  | "split"
  | "discard"
  | "stand_pat"
  | "stake"
  | "back"
  | Power
  | "accept_anchor"
  | "show"
  | "muck"
  | PlanVerb
  | "plan_none"
  | "auto_muck"
  | "ask_muck"
  | "sit_in"
  | "sit_out"
  | "wait_blind"
  | "sit"
  | "move"
  | "leave"
  | "top_up"
  | "join_list"
  | "leave_list"
  | "events"
  | "resync"
  | "ping";

/** What a request says, topic {root}/act/{player}; the client adds version and identifier. */
export interface Request {
  action: Verb;
  /** Of the turn that it answers. */
  epoch?: number;
  turn?: number;
  /** The whole bet of the round for bet and raise, the chips brought for sit and top_up, the ante for stake and back, and for
   * a plan the bet to meet that the player saw. */
  amount?: number;
  /** The bonus bet of a stake. */
  bonus?: number;
  /** The places of the cards thrown away, among those of the hole message, from 1; one for swap. */
  cards?: number[];
  /** The seat to take, the box to play behind, or which of several boxes it is about. */
  seat?: number;
  /** Whom an anchor is on. */
  target?: number;
  /** The hand that a plan is for, and its street. */
  hand?: number;
  street?: string;
  /** The numbers of the events asked for. */
  first?: number;
  last?: number;
}

/** Topic {root}/dealer/{console}/prompt: what the dealer does next, and what is to be put right first. */
export interface Prompting {
  v: 1;
  epoch: number;
  seq: number;
  hand: number;
  instruction: Instruction;
  prompts: Prompt[];
}

export interface Instruction {
  kind: "start" | "burn" | "hole" | "board" | "discard" | "reload" | "shuffle" | "wait" | "reveal" | "count" | "push" | "collect" | "settle";
  seat?: number;
  text: string;
}

/** Something at the table that a person puts right, or decides. */
export interface Prompt {
  id: number;
  /** The kind; confirm asks for a second person. */
  code: string;
  zone?: string;
  text: string;
  choices: Choice[];
  /** The console that asked for what is to be confirmed, and may not confirm it. */
  by?: string;
}

export interface Choice {
  id: string;
  text: string;
}

/** Topic {root}/hw/{device}/ev: what happened to a device; never what it read. Topic state has how it is since then. */
export interface DeviceEvent {
  v: 1;
  device: string;
  kind: string;
  time: number;
  happened: "up" | "down" | "faults" | "lid_opened" | "lid_closed";
  /** Why it is down. */
  text?: string;
  /** The new faults, by their kinds. */
  faults?: Record<string, number>;
  /** How many events before this one were not told, being too many. */
  missed?: number;
}

/** Topic {root}/hw/{device}/state: how a device does. */
export interface Device {
  v: 1;
  device: string;
  kind: string;
  state: "up" | "down";
  /** Why it is down. */
  text?: string;
  since: number;
  /** The faults met with since the start of the daemon, by their kinds. */
  counters?: Record<string, number>;
}

/** What a console can ask for. */
export type CommandVerb =
  | "start_hand"
  | "choose"
  | "void_hand"
  | "exposed"
  | "boxed"
  | "deal_correction"
  | "dealt_early"
  | "overdealt"
  | "skip_burn"
  | "reshuffled"
  | "reload"
  | "rescan"
  | "manual_card"
  | "kill_hand"
  | "retrieve"
  | "rewind"
  | "reverse_award"
  | "show"
  | "muck"
  | "rule"
  | "suspend"
  | "resume"
  | "set_button"
  | "draw_button"
  | "deck_checked"
  | "chips_counted"
  | "sit"
  | "leave"
  | "move"
  | "add_chips"
  | "wait_blind"
  | "stake"
  | "reset_cover"
  | "correct_stack";

/** What a console says, topic {root}/dealer/{console}/cmd; the client adds version and identifier. */
export interface Command {
  cmd: CommandVerb;
  /** Of the prompting that it answers. */
  epoch: number;
  /** The prompt answered, and how, for choose. */
  prompt?: number;
  choice?: string;
  seat?: number;
  to?: number;
  amount?: number;
  bonus?: number;
  player?: string;
  reason?: string;
  /** The place among a seat's cards, from 1, of the one that lay open. */
  cards?: number[];
  card?: Card;
  /** The card of each seat, by its number; "--" for none. */
  drawn?: Card[];
  /** How many steps of the hand are taken back. */
  steps?: number;
}
