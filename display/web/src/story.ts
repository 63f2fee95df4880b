// The log in words: which text tells an event, and what goes into its places.

import type { Entry } from "./client";
import type { Card, Player } from "./client";
import type { Key, Words } from "./words";

/** A line of the log: its text's key, and the values for its places. */
export interface Line {
  key: Key;
  values: Record<string, string>;
  cards: Card[];
}

/** line says how to tell an entry, or nothing where there are no words for it. */
export function line(e: Entry, w: Words, players: readonly Player[] = []): Line | undefined {
  const key = text(e);
  if (!w.has(key) || (e.what === "board" && e.cards.length === 0)) return undefined;
  const v = e.event;
  return {
    key,
    values: {
      name: e.name || nameAt(v.seat ?? 0, players, w),
      amount: w.money(e.what === "box_settled" ? (v.amount ?? 0) + (v.bonus ?? 0) : (v.amount ?? 0)),
      bonus: w.money(v.bonus ?? 0),
      to: w.money(v.to ?? 0),
      hand: String(v.hand ?? ""),
      button: String(v.button ?? ""),
      pot: String(v.pot ?? ""),
      target: nameAt(v.target ?? 0, players, w),
      reason: w.reason(v.reason ?? ""),
    },
    cards: e.cards,
  };
}

/** nameAt is who sits at a seat, or the seat where that is not known; seat 0 is the house. */
export function nameAt(seat: number, players: readonly Player[], w: Words): string {
  if (seat === 0) return w.say("house");
  return players.find((p) => p.seat === seat)?.name || w.say("seat", { seat });
}

function text(e: Entry): string {
  const v = e.event;
  switch (e.what) {
    case "player_acted":
      return `log.${v.action}${v.auto ? ".auto" : v.all_in ? ".all_in" : ""}`;
    case "stake_placed":
      return v.bonus ? "log.stake_placed.bonus" : v.amount ? "log.stake_placed" : "log.stake_placed.back";
    case "box_settled":
      return v.amount ? "log.box_settled" : v.bonus ? "log.box_settled.bonus" : "log.box_settled.lost";
    case "cards_discarded":
      return v.amount === 1 ? "log.cards_discarded.one" : v.amount ? "log.cards_discarded" : "log.cards_discarded.none";
    case "power_played":
      return `log.${v.power}`;
    case "board":
      return e.on >= 3 ? `log.board.${e.on}` : "log.board";
    case "showdown_opened":
      return v.all_in ? "log.showdown_opened.all_in" : "log.showdown_opened";
    case "pot_awarded":
      return `log.pot_awarded${v.pot ? ".side" : ""}${v.low ? ".low" : ""}`;
    default:
      return `log.${e.what}`;
  }
}
