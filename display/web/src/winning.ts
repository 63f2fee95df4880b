// The cards that win: those that make the hands that pots went to.

import type { Card, SeatView, Table, View } from "./client";

/** What a card helps to win, where a pot goes to the high hand and the low one by halves. */
export interface Win {
  high: boolean;
  low: boolean;
}

/** Winning are the cards of a seat's hands that won. */
export interface Winning {
  high: readonly Card[];
  low: readonly Card[];
}

const none: Winning = { high: [], low: [] };

/** winningOf is what a seat won with; nothing where it showed no hand. */
export function winningOf(seat: SeatView, { won, low }: Pick<Table, "won" | "low">): Winning {
  const [all = 0, below = 0] = [won[seat.seat], low[seat.seat]];
  return { high: (all > below && seat.best) || none.high, low: (below > 0 && seat.best_low) || none.low };
}

/** winningOn are the cards that anybody won with; undefined where nobody has shown what he won with. */
export function winningOn(view: View, table: Pick<Table, "won" | "low">): Winning | undefined {
  const all = view.seats.map((s) => winningOf(s, table));
  const [high, low] = [all.flatMap((w) => w.high), all.flatMap((w) => w.low)];
  return high.length + low.length > 0 ? { high, low } : undefined;
}

/** winOf is what a card helps to win. */
export function winOf(card: Card, winning?: Winning): Win | undefined {
  return winning && { high: winning.high.includes(card), low: winning.low.includes(card) };
}
