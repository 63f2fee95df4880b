// The arithmetic of the bet slider and of what a player chooses ahead of a turn. What is legal the table says; this only
// picks from it.

import type { Legal, Request, View } from "./client";

/** The bet of a round that the buttons of the slider stand for; `to` is the whole bet. */
export interface Preset {
  name: "min" | "half" | "three_quarters" | "pot" | "max";
  to: number;
}

/** presets are the buttons for a turn in which a bet or a raise is legal: shares of the pot as it is after a call. */
export function presets(legal: Legal, view: View): Preset[] {
  const { min_to: min = 0, max_to: max = 0 } = legal;
  if (legal.two_sizes || min === max) return [{ name: "min", to: min }, ...(max > min ? [{ name: "max" as const, to: max }] : [])];
  const pot = view.total + (legal.to_call ?? 0);
  const share = (part: number) => within(view.bet + Math.round(pot * part), legal);
  return [
    { name: "min", to: min },
    { name: "half", to: share(1 / 2) },
    { name: "three_quarters", to: share(3 / 4) },
    { name: "pot", to: share(1) },
    { name: "max", to: max },
  ];
}

/** within moves an amount into what is legal; where only two sizes are, to the nearer one. */
export function within(to: number, { min_to: min = 0, max_to: max = 0, two_sizes }: Legal): number {
  if (two_sizes) return 2 * to < min + max ? min : max;
  return Math.min(max, Math.max(min, Math.round(to)));
}

/** stepped is an amount some big blinds more or less, on whole big blinds where there is room. */
export function stepped(to: number, steps: number, legal: Legal, bigBlind: number): number {
  const unit = Math.max(1, bigBlind);
  const on = steps > 0 ? Math.floor(to / unit) : Math.ceil(to / unit);
  return within(legal.two_sizes ? to + steps * (legal.max_to ?? 0) : (on + steps) * unit, legal);
}

/** What is done at once when the turn comes, chosen before. */
export interface Ahead {
  what: "check_fold" | "check" | "call" | "call_any";
  /** For call: what it cost when it was chosen. */
  amount?: number;
  /** The round it is for. */
  round: string;
}

/** round names a round of betting: a choice made ahead is for one. */
export function round(v: View): string {
  return `${v.hand} ${v.street} ${v.board.length}`;
}

/** toCall is what a seat that is not in turn would add to call. */
export function toCall(v: View, seat: number): number {
  const s = v.seats.find((s) => s.seat === seat);
  return s ? Math.max(0, Math.min(s.stack, v.bet - s.bet)) : 0;
}

/** choices are what a seat can choose ahead. */
export function choices(v: View, seat: number): Ahead[] {
  const amount = toCall(v, seat);
  const r = round(v);
  return [
    { what: "check_fold", round: r },
    amount > 0 ? { what: "call", amount, round: r } : { what: "check", round: r },
    { what: "call_any", round: r },
  ];
}

/** stands reports whether a choice still means what it meant: a call of an amount only that amount, a check only while it
 * costs nothing, and any only in its round. */
export function stands(a: Ahead, v: View, seat: number): boolean {
  if (a.round !== round(v)) return false;
  switch (a.what) {
    case "call":
      return toCall(v, seat) === a.amount;
    case "check":
      return toCall(v, seat) === 0;
    default:
      return true;
  }
}

/** fulfil is what a choice asks for in the turn, nothing where it no longer fits. */
export function fulfil(a: Ahead, legal: Legal): Request["action"] | undefined {
  const cost = legal.to_call ?? 0;
  if (legal.bring_in) return undefined;
  switch (a.what) {
    case "check_fold":
      return legal.check ? "check" : "fold";
    case "check":
      return legal.check ? "check" : undefined;
    case "call":
      return cost === a.amount ? "call" : undefined;
    case "call_any":
      return legal.check ? "check" : "call";
  }
}
