import assert from "node:assert/strict";
import { test } from "node:test";
import { line } from "./story";
import type { Entry } from "./client";
import type { Event } from "./client";
import { catalogues, preferred, Words, type Key } from "./words";

const en = new Words("en");
const it = new Words("it");

test("every language has every text, with the same places to fill", () => {
  const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join();
  for (const catalogue of Object.values(catalogues)) {
    assert.deepEqual(Object.keys(catalogue), Object.keys(catalogues.en));
    for (const key of Object.keys(catalogues.en) as Key[]) {
      assert.equal(places(catalogue[key]), places(catalogues.en[key]), key);
    }
  }
});

test("the language is the first of the browser's that there is", () => {
  assert.equal(preferred(["de-CH", "it-CH", "en"]), "it");
  assert.equal(preferred(["", "EN-us"]), "en");
  assert.equal(preferred(["fr"]), "en");
});

test("amounts are chips, or in the table's currency", () => {
  assert.equal(en.money(1234567), "1,234,567");
  assert.equal(it.money(1234567), "1.234.567");
  assert.equal(new Words("en", "EUR").money(123450), "€1,234.50");
  assert.equal(new Words("en", "EUR").money(123400), "€1,234");
  assert.equal(new Words("en", "JPY").money(1234), "¥1,234");
});

test("amounts in big blinds, and as a person writes them", () => {
  const bigBlinds = new Words("en", "EUR", 200);
  assert.equal(bigBlinds.money(2500), "12.5 BB");
  assert.equal(bigBlinds.read("12.5"), 2500);
  assert.equal(it.read("1.234,4"), 1234);
  assert.equal(en.read("1,234"), 1234);
  const euro = new Words("it", "EUR");
  for (const chips of [0, 1, 99, 123450, 1e9]) assert.equal(euro.read(euro.plain(chips)), chips);
  assert.equal(euro.read("12,5 €"), 1250);
  for (const text of ["", "all", "-"]) assert.ok(Number.isNaN(en.read(text)), text);
});

test("cards in words", () => {
  assert.equal(en.cards(["Td", "As", "??"]), "ten of diamonds, ace of spades, card face down");
  assert.equal(it.cards(["Td", "As", "??"]), "dieci di quadri, asso di picche, carta coperta");
});

test("what a hand makes, as the engine says it", () => {
  const said: [string, string][] = [
    ["royal flush", "scala reale massima"],
    ["king-high straight flush", "scala colore, carta alta re"],
    ["four of a kind, sixes", "poker di sei"],
    ["full house, aces over kings", "full, assi su re"],
    ["ace-high flush", "colore, carta alta asso"],
    ["flush of clubs", "colore di fiori"],
    ["pair of aces; seven-five low", "coppia di assi; basso sette-cinque"],
    ["badugi, ten-five-four-ace", "badugi, dieci-cinque-quattro-asso"],
    ["two cards, jack-four", "due carte, fante-quattro"],
    ["four-flush, king high", "quattro a colore, carta alta re"],
    ["no hand", "nessun punto"],
    ["five-high straight", "scala, carta alta cinque"],
    ["three of a kind, jacks", "tris di fanti"],
    ["two pair, queens and twos", "doppia coppia, donne e due"],
    ["pair of tens", "coppia di dieci"],
    ["ace high", "carta alta asso"],
    ["something new", "something new"],
    ["", ""],
  ];
  for (const [english, italian] of said) {
    assert.equal(en.holds(english), english);
    assert.equal(it.holds(english), italian);
  }
});

test("events in plain words", () => {
  const say = (what: string, event: Omit<Event, "event">, more: Partial<Entry> = {}) => {
    const entry: Entry = { id: 1, what, event: { event: what, ...event }, name: "Ada", cards: [], on: 0, ...more };
    const told = line(entry, en);
    return told && en.say(told.key, { ...told.values, cards: told.cards.join(" ") });
  };
  assert.equal(say("player_acted", { action: "call", amount: 300 }), "Ada calls 300.");
  assert.equal(say("player_acted", { action: "raise", to: 900, all_in: true }), "Ada raises to 900, all in.");
  assert.equal(say("player_acted", { action: "fold", auto: true }), "Ada runs out of time and folds.");
  assert.equal(say("player_acted", { action: "check", seat: 4 }, { name: "" }), "Seat 4 checks.");
  assert.equal(say("board", {}, { cards: ["Ah", "Kd", "2c"], on: 3 }), "Flop: Ah Kd 2c");
  assert.equal(say("board", {}), undefined);
  assert.equal(say("hand_shown", { cards: "AhKd" }, { cards: ["Ah", "Kd"] }), "Ada shows Ah Kd");
  assert.equal(say("pot_awarded", { amount: 300 }), "Ada wins 300.");
  assert.equal(say("pot_awarded", { amount: 300, pot: 2 }), "Ada wins 300 from side pot 2.");
  assert.equal(say("showdown_opened", { all_in: true }), "Showdown: every hand is turned up.");
  assert.equal(say("hand_called_off", { reason: "a card fell" }), "The hand is void: a card fell");
  assert.equal(say("not_yet_thought_of", {}), undefined);
});
