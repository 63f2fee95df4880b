// The history: hands as their events told them, and each as the row of pictures it went through.

import { members, nothing, reduce, split, type Table } from "./table";
import type { Card, Event, Hole, Published, Snapshot, View } from "./wire";

/** One hand. */
export interface Hand {
  epoch: number;
  hand: number;
  /** When it began. */
  time: number;
  /** The table just before it; absent if that was not seen, and then there are words but no pictures. */
  before?: Snapshot;
  /** Its events, one number after the other. */
  events: readonly Published[];
  /** An event is missing. */
  torn: boolean;
  /** The player's own cards, each time they were told. */
  holes: readonly Hole[];
}

/** How many hands are kept. */
export const maxHands = 100;

/** keep adds an event to the hand it belongs to, or a player's cards to theirs. Before the first hand that begins there
 * is nothing to add to. */
export function keep(hands: readonly Hand[], what: Published | Hole, picture?: Snapshot): readonly Hand[] {
  const last = hands.at(-1);
  if (!("event" in what)) {
    if (last?.hand !== what.hand) return hands;
    return [...hands.slice(0, -1), { ...last, holes: [...last.holes, what] }];
  }
  if (what.event.event === "hand_began") {
    const seen = picture?.epoch === what.epoch && picture.view.seq === what.seq - 1;
    const began: Hand = { epoch: what.epoch, hand: what.hand, time: what.time, before: seen ? picture : undefined, events: [what], holes: [], torn: false };
    return [...hands, began].slice(-maxHands);
  }
  if (last?.hand !== what.hand) return hands;
  const { seq, event } = last.events.at(-1)!;
  if (event.event === "hand_ended" || what.seq <= seq) return hands; // what happens between hands is no part of one
  const torn = last.torn || what.seq !== seq + 1;
  return [...hands.slice(0, -1), { ...last, torn, events: [...last.events, what] }];
}

/** recalled are the hands in a row of events, told afterwards. What was before each hand follows from a snapshot of now, by
 * taking back what moved since. */
export function recalled(events: readonly Published[], now: Snapshot): readonly Hand[] {
  const hands = events.reduce<readonly Hand[]>((hands, p) => keep(hands, p), []);
  if ((events.at(-1)?.seq ?? 0) < now.view.seq) return hands; // what moved last is not known
  const stacks = new Map(now.view.seats.map((s) => [s.seat, s.stack]));
  const befores = new Map<number, Snapshot>();
  const staked = new Set<number>(); // who put something down for the hand that follows: the last stake is the one that counts
  let undone = false; // before a hand was taken back: what was put in until then went back, and what stands of it follows
  for (const { event, seq } of [...events].reverse()) {
    if (seq > now.view.seq) continue;
    const { seat = 0, target = 0, amount = 0, bonus = 0 } = event;
    const counts = event.event === "stake_placed" ? !staked.has(seat) : !(undone && bets.has(event.event));
    if (event.event === "stake_placed") staked.add(seat);
    if (counts) stacks.set(seat, (stacks.get(seat) ?? 0) - (moves.get(event.event) ?? 0) * (amount + bonus));
    if (event.event === "award_moved") stacks.set(target, (stacks.get(target) ?? 0) - amount);
    if (event.event === "hand_rewound") undone = true;
    if (event.event !== "hand_began") continue;
    staked.clear();
    undone = false;
    const dealt = members(event.dealt ?? 0);
    const there = [...new Set([...now.view.seats.map((s) => s.seat), ...dealt])].sort((a, b) => a - b); // some have left since
    const seats = there.map((seat) => ({ seat, stack: stacks.get(seat) ?? 0, bet: 0, out: !dealt.includes(seat) }));
    befores.set(seq, { ...now, clock: undefined, view: { ...now.view, seq: seq - 1, phase: "between", board: [], pots: [], total: 0, bet: 0, awaits: { kind: "nothing" }, seats } });
  }
  return hands.map((h) => ({ ...h, before: befores.get(h.events[0]!.seq) }));
}

/** What an event's amount does to the stack of its seat. */
const moves = new Map<string, 1 | -1>([
  ["player_sat", 1],
  ["stack_added", 1],
  ["stack_adjusted", 1],
  ["uncalled_returned", 1],
  ["pot_awarded", 1],
  ["bet_refunded", 1],
  ["box_settled", 1],
  ["player_left", -1],
  ["ante_posted", -1],
  ["blind_posted", -1],
  ["dead_posted", -1],
  ["player_acted", -1],
  ["stake_placed", -1],
  ["award_moved", -1],
]);

/** Of those, what goes back when a hand is taken back. */
const bets = new Set(["ante_posted", "blind_posted", "dead_posted", "player_acted", "uncalled_returned", "bet_refunded"]);

/** over reports whether a hand has ended. */
export function over(h: Hand): boolean {
  return h.events.at(-1)?.event.event === "hand_ended";
}

/** What does not change the picture: no step of its own. */
const silent = new Set(["card_burned", "betting_opened", "turn_passed", "street_opened", "draw_closed"]);

/** frames are the pictures of a hand, one for each thing that could be seen to happen; a picture's log ends with it. */
export function frames(h: Hand): Table[] {
  const before = h.before ?? unseen(h);
  let t: Table = { ...nothing, link: "online", status: "online", epoch: h.epoch, gap: false };
  t = { ...t, snapshot: { ...before, clock: undefined, holds: undefined, view: { ...before.view, street: undefined } }, seq: (h.events[0]?.seq ?? 1) - 1 };
  const all: Table[] = [];
  const start = t.snapshot!.view;
  let put: Put = { dead: 0, by: new Map() };
  for (const p of h.events) {
    const rewound = p.event.event === "hand_rewound";
    const now = rewound ? start : t.snapshot!.view;
    const event = rewound ? { ...p.event, event: "hand_began" } : p.event;
    put = collected(put, now, event);
    const view = fold(now, event, h.holes.find((o) => o.seat === event.seat && o.seq >= p.seq));
    t = reduce({ ...t, gap: false, seq: p.seq - 1 }, { kind: "event", body: { ...p, epoch: h.epoch } });
    t = { ...t, hands: [], snapshot: { ...t.snapshot!, view: { ...view, pots: pots(view, put), seq: p.seq } } };
    if (!silent.has(p.event.event)) all.push(t);
  }
  return all;
}

/** unseen is a table of which only is known who was dealt in. */
function unseen(h: Hand): Snapshot {
  const seats = members(h.events[0]?.event.dealt ?? 0).map((seat) => ({ seat, stack: 0, bet: 0 }));
  const view: View = {
    seq: 0,
    hand: h.hand,
    game: "",
    limit: "no-limit",
    house: "",
    phase: "between",
    button: 0,
    small_blind: 0,
    big_blind: 0,
    stakes: { small_blind: 0, big_blind: 0 },
    board: [],
    pots: [],
    total: 0,
    bet: 0,
    awaits: { kind: "nothing" },
    seats,
  };
  return { v: 1, epoch: h.epoch, time: h.time, name: "", players: [], view };
}

/** Put is what is collected: what each seat put in, and what is nobody's bet. */
interface Put {
  dead: number;
  by: ReadonlyMap<number, number>;
}

/** collected is what is collected after an event at a table that looks so before it. */
function collected(put: Put, { seats }: View, { event, seat = 0, amount = 0, dead }: Event): Put {
  switch (event) {
    case "hand_began":
    case "hand_ended":
      return { dead: 0, by: new Map() };
    case "ante_posted":
      return dead ? { ...put, dead: put.dead + amount } : { ...put, by: new Map(put.by).set(seat, (put.by.get(seat) ?? 0) + amount) };
    case "dead_posted":
      return { ...put, dead: put.dead + amount };
    case "bets_collected":
      return { ...put, by: new Map(seats.map((s) => [s.seat, (put.by.get(s.seat) ?? 0) + s.bet])) };
    default:
      return put;
  }
}

/** pots are the main pot and the side pots: a seat wins from each other no more than it put in itself, so there is one for
 * every height at which somebody stopped who is still in. A hand that was mucked wins what nobody else can. */
function pots({ seats }: View, { dead, by }: Put): View["pots"] {
  const put = (seat: number) => by.get(seat) ?? 0;
  const live = seats.filter((s) => s.live);
  const claim = (level: number) => {
    const all = live.filter((s) => put(s.seat) >= level);
    const unmucked = all.filter((s) => !s.mucked);
    return (unmucked.length > 0 ? unmucked : all).map((s) => s.seat);
  };
  const heights = [...new Set(live.map((s) => put(s.seat)).filter((n) => n > 0))].sort((a, b) => a - b);
  const found = [{ amount: dead, seats: claim(0) }];
  heights.forEach((height, i) => {
    const [below, above] = [heights[i - 1] ?? 0, i + 1 < heights.length ? height : Infinity]; // above all who are in: of who folded
    const amount = [...by.values()].reduce((sum, n) => sum + Math.max(0, Math.min(n, above) - below), 0);
    const last = found.at(-1)!;
    if (String(last.seats) === String(claim(height))) last.amount += amount;
    else found.push({ amount, seats: claim(height) });
  });
  return found.filter((p) => p.amount > 0);
}

/** fold is a picture after an event; `hole` are the cards of the event's seat after it, if they are the player's own. */
function fold(v: View, e: Event, hole?: Hole): View {
  const amount = e.amount ?? 0;
  const seat = (change: (s: View["seats"][number]) => Partial<View["seats"][number]>): View => ({
    ...v,
    seats: v.seats.map((s) => (s.seat === e.seat ? { ...s, ...change(s) } : s)),
  });
  const pay = (bet: number): View => ({
    ...seat((s) => ({ stack: s.stack - amount, bet: s.bet + bet, all_in: e.all_in })),
    total: v.total + amount,
  });
  switch (e.event) {
    case "hand_began": {
      const dealt = members(e.dealt ?? 0);
      return {
        ...v,
        hand: e.hand ?? v.hand,
        phase: "dealing",
        button: e.button ?? 0,
        small_blind: e.small_blind ?? 0,
        big_blind: e.big_blind ?? 0,
        board: [],
        pots: [],
        total: 0,
        bet: 0,
        awaits: { kind: "nothing" },
        bank: v.bank && {},
        seats: v.seats.map(({ seat, stack, out, box }) => {
          const inHand = dealt.includes(seat);
          return { seat, stack, out, box, bet: 0, dealt: inHand, live: inHand };
        }),
      };
    }
    case "ante_posted":
    case "dead_posted":
      return pay(0);
    case "blind_posted":
      return pay(amount);
    case "player_acted":
      if (e.action === "fold") return seat(() => ({ live: false, cards: undefined }));
      return { ...pay(amount), phase: "betting" };
    case "hole_dealt":
      if (!e.seat) return { ...v, bank: { cards: [...(v.bank?.cards ?? []), e.card ?? "??"] } };
      return seat((s) => ({ cards: hole?.cards ?? [...(s.cards ?? []), e.card ?? "??"] }));
    case "cards_discarded":
      return seat((s) => ({ cards: hole?.cards ?? without(s.cards ?? [], split(e.cards ?? ""), amount) }));
    case "board_dealt":
      return { ...v, board: [...v.board, e.card ?? "??"] };
    case "uncalled_returned":
      return { ...seat((s) => ({ stack: s.stack + amount, bet: s.bet - amount })), total: v.total - amount };
    case "bets_collected":
      return { ...v, seats: v.seats.map((s) => ({ ...s, bet: 0 })) };
    case "showdown_opened":
      return { ...v, phase: "showing" };
    case "hand_shown":
      if (!e.seat) return { ...v, bank: { cards: split(e.cards ?? ""), shown: true } };
      return seat(() => ({ cards: split(e.cards ?? ""), shown: true }));
    case "hand_mucked":
      return seat(() => ({ mucked: true }));
    case "hand_declared_dead":
      return seat(() => ({ live: false }));
    case "hand_retrieved":
      return seat(() => ({ live: true, mucked: false }));
    case "award_moved": {
      const by = (s: View["seats"][number]) => (s.seat === e.target ? amount : s.seat === e.seat ? -amount : 0);
      return { ...v, seats: v.seats.map((s) => ({ ...s, stack: s.stack + by(s) })) };
    }
    case "box_settled":
      return seat((s) => ({ stack: s.stack + amount + (e.bonus ?? 0) }));
    case "pot_awarded":
      return seat((s) => ({ stack: s.stack + amount, ...(e.cards && { [e.low ? "best_low" : "best"]: split(e.cards) }) }));
    case "bet_refunded":
    case "stack_adjusted":
      return seat((s) => ({ stack: s.stack + amount }));
    case "hand_ended":
      return { ...v, phase: "between", total: 0 };
    default:
      return v;
  }
}

/** without takes discarded cards out of a hand: those known by their faces, of the others as many as there were. */
function without(cards: readonly Card[], gone: readonly Card[], amount: number): Card[] {
  const left = cards.filter((c) => c === "??" || !gone.includes(c));
  return left.slice(0, cards.length - amount);
}
