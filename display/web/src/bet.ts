// The arithmetic of a turn's buttons and its slider, of what a player can decide ahead of it, or why there is nothing to, and of
// seats and chips to bring. What is legal the table says; this only picks from it.

import type { Legal, PlanVerb, SeatView, Snapshot, View } from "./client";

/** The bet of a round that the buttons of the slider stand for; `to` is the whole bet. */
export interface Preset {
  name: "min" | "half" | "three_quarters" | "pot" | "max";
  to: number;
}

/** acts are what a turn has besides betting and raising: whether there is a fold, and what goes on without a raise, if anything
 * does. Who opens with the bring-in, or plays on against the house, does not fold. */
export function acts({ bring_in, check, no_fold, to_call = 0 }: Legal): { fold: boolean; call?: "bring-in" | "check" | "call" } {
  return { fold: !bring_in && !no_fold, call: bring_in ? "bring-in" : check ? "check" : to_call > 0 ? "call" : undefined };
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

/** within moves an amount into what is legal; where only two sizes are, to the nearer one, else down to whole chips. */
export function within(to: number, { min_to: min = 0, max_to: max = 0, two_sizes, chip = 1 }: Legal): number {
  if (two_sizes) return 2 * to < min + max ? min : max;
  if (to >= max) return max;
  return Math.max(min, chip > 1 ? to - (to % chip) : Math.round(to));
}

/** stepped is an amount some big blinds more or less, on whole big blinds where there is room. */
export function stepped(to: number, steps: number, legal: Legal, bigBlind: number): number {
  const unit = Math.max(1, bigBlind);
  const on = steps > 0 ? Math.floor(to / unit) : Math.ceil(to / unit);
  return within(legal.two_sizes ? to + steps * (legal.max_to ?? 0) : (on + steps) * unit, legal);
}

/** toCall is what a seat that is not in turn would add to call. */
export function toCall(v: View, seat: number): number {
  const s = v.seats.find((s) => s.seat === seat);
  return s ? Math.max(0, Math.min(s.stack, v.bet - s.bet)) : 0;
}

/** plans are what a seat can decide ahead of its turn, with what a call costs as it is. */
export function plans(v: View, seat: number): { verb: PlanVerb; amount: number }[] {
  const amount = toCall(v, seat);
  const verbs: PlanVerb[] = ["plan_check_fold", amount > 0 ? "plan_call" : "plan_check", "plan_call_any"];
  return verbs.map((verb) => ({ verb, amount }));
}

/** idle says why a seat has nothing to decide; nothing of one that is in the hand, where the table says what it waits for. */
export function idle(s: SeatView, { phase }: View) {
  if (phase !== "between" && s.live) return s.all_in ? "actions.all_in" : undefined;
  if (phase !== "between" && s.dealt) return "actions.folded";
  if (s.out) return "actions.out";
  if (s.waits) return "actions.waits";
  return phase === "between" ? "actions.between" : "actions.next";
}

/** room is what a player, at a seat or at none, can take: the free seats with those offered, or only the waiting list. */
export function room({ view, seating }: Pick<Snapshot, "view" | "seating">, seat: number, offered: readonly number[]): { free: number[]; moves: boolean; list: boolean } {
  const free = [...new Set([...(seating?.free ?? []), ...offered])].sort((a, b) => a - b);
  const sits = view.seats.some((s) => s.seat === seat);
  return { free, moves: sits && free.length > 0, list: !sits && seat === 0 && free.length === 0 };
}

/** usual is how many chips a player is proposed to bring, a hundred big bets or blinds within what the table allows, or who has a
 * stack to add to it. */
export function usual({ view, seating }: Pick<Snapshot, "view" | "seating">, stack = 0): number {
  const { big_blind: blind, small_bet: bet = 0, min_ante: ante = 0 } = view.stakes;
  const unit = Math.max(blind, bet, ante);
  const full = Math.max(seating?.min_buy_in ?? 0, Math.min(seating?.max_buy_in ?? Infinity, 100 * unit));
  return stack < full ? full - stack : unit;
}
