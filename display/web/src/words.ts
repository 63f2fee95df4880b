// Words and amounts in the reader's language, from the catalogues in display/text.

import en from "../../text/en.json";
import it from "../../text/it.json";
import type { Card } from "./client";

export type Key = keyof typeof en;

/** The catalogues: every one has every key of the English one. */
export const catalogues = { en, it } satisfies Record<string, Record<Key, string>>;

export type Language = keyof typeof catalogues;

export const languages = Object.keys(catalogues) as Language[];

/** preferred is the first language of a browser's list that there is a catalogue for. */
export function preferred(wanted: readonly string[]): Language {
  for (const w of wanted) {
    const short = w.slice(0, 2).toLowerCase();
    const found = languages.find((l) => l === short);
    if (found) return found;
  }
  return "en";
}

const keys = Object.keys(en) as Key[];

/** The English texts of what hands make, as patterns: "pair of {ranks}" finds the ranks in "pair of aces". */
const holdings = keys
  .filter((key) => key.startsWith("holds."))
  .map((key) => ({ key, pattern: new RegExp(`^${en[key].replace(/\{(\w+)\}/g, "(?<$1>[\\w-]+)")}$`) }));

/** The key of each English word for a rank, for several cards of one, or for a suit. */
const parts = new Map(keys.filter((key) => /^(ranks?|suit)\./.test(key)).map((key) => [en[key], key]));

/** The keys of reasons, by the codes that tables give for them and by their texts in every language. */
const reasons = new Map(
  keys
    .filter((key) => key.startsWith("reason."))
    .flatMap((key): [string, Key][] => [[key.slice("reason.".length), key], ...languages.map((l): [string, Key] => [catalogues[l][key], key])]),
);

export class Words {
  /** How many chips make one of what amounts are written in. */
  readonly #unit: number;

  /** The currency is a code of ISO 4217, whose smallest unit is a chip. Where a big blind is given, in chips, amounts are
   * written in it instead. */
  constructor(
    readonly language: Language,
    private readonly currency?: string,
    private readonly bigBlind = 0,
  ) {
    const digits = currency ? new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits : 0;
    this.#unit = bigBlind || 10 ** (digits ?? 0);
  }

  /** parts is a text with its {places} filled; a value may be anything a page can show. */
  parts<T>(key: Key, values: Record<string, T>): (string | T)[] {
    return catalogues[this.language][key]
      .split(/\{(\w+)\}/)
      .map((part, i) => (i % 2 === 0 ? part : (values[part] ?? "")));
  }

  say(key: Key, values: Record<string, string | number> = {}): string {
    return this.parts(key, values).join("");
  }

  /** named looks up what the engine calls by a short name; one with no text of its own is shown as it is. */
  named(kind: "game" | "limit" | "street", name: string): string {
    const key = `${kind}.${name}`;
    return this.has(key) ? this.say(key) : name;
  }

  /** holds translates what a hand makes, and its low hand after a semicolon, which the engine says in English; what it does
   * not know it leaves so. */
  holds(english: string): string {
    return english
      .split("; ")
      .map((hand) => this.#hand(hand))
      .join("; ");
  }

  #hand(english: string): string {
    for (const { key, pattern } of holdings) {
      const found = pattern.exec(english);
      if (!found) continue;
      const word = (w: string) => {
        const key = parts.get(w);
        return key ? this.say(key) : w;
      };
      const values = Object.entries(found.groups ?? {}).map(([place, text]) => [place, text.split("-").map(word).join("-")]);
      return this.say(key, Object.fromEntries(values));
    }
    return english;
  }

  /** reason is why something was done: one that has a text, by its code or as somebody wrote it in another language; any other as it is. */
  reason(text: string): string {
    const key = reasons.get(text);
    return key ? this.say(key) : text;
  }

  has(key: string): key is Key {
    return key in en;
  }

  /** money writes an amount of chips: in big blinds, or in the table's currency where it has one. */
  money(chips: number): string {
    const amount = chips / this.#unit;
    if (this.bigBlind > 0) return `${this.#number(amount, 1)} BB`;
    if (!this.currency) return this.#number(amount, 0);
    const options: Intl.NumberFormatOptions = { style: "currency", currency: this.currency };
    if (chips % this.#unit === 0) options.maximumFractionDigits = 0;
    return new Intl.NumberFormat(this.language, options).format(amount);
  }

  /** plain writes an amount of chips as read understands it: no sign of a currency, no grouping. */
  plain(chips: number): string {
    return this.#number(chips / this.#unit, 3, false);
  }

  /** read is the amount of chips that a person wrote, NaN if it is none. */
  read(text: string): number {
    const [group, point] = this.language === "it" ? [".", ","] : [",", "."];
    const figures = text.replace(/[^\d.,]/g, "").replaceAll(group, "").replace(point, ".");
    return figures === "" ? NaN : Math.round(Number(figures) * this.#unit);
  }

  #number(n: number, decimals: number, useGrouping = true): string {
    return new Intl.NumberFormat(this.language, { maximumFractionDigits: decimals, useGrouping }).format(n);
  }

  /** time is the time of day. */
  time(ms: number): string {
    return new Intl.DateTimeFormat(this.language, { timeStyle: "short" }).format(ms);
  }

  /** card is a card in words, for those who hear it. */
  card(c: Card): string {
    const [rank, suit] = [`rank.${c[0]}`, `suit.${c[1]}`];
    if (!this.has(rank) || !this.has(suit)) return this.say("card.hidden");
    return this.say("card", { rank: this.say(rank), suit: this.say(suit) });
  }

  cards(cs: readonly Card[]): string {
    return cs.map((c) => this.card(c)).join(", ");
  }
}
