import assert from "node:assert/strict";
import { test } from "node:test";
import { told } from "./told";
import { Words } from "./words";

const [en, it, euro] = [new Words("en"), new Words("it"), new Words("it", "EUR")];

test("what the table tells a dealer, in the reader's words", () => {
  for (const [english, italian] of [
    ["Deal card 1 of 2 to seat 4", "Date la carta 1 di 2 al posto 4"],
    ["Deal card 2 of 7 to seat 4, face up", "Date la carta 2 di 7 al posto 4, scoperta"],
    ["Deal card 1 of 3 of the flop", "Date la carta 1 di 3: flop"],
    ["Seat 3: slots 1, 2 and 4 to the muck", "Posto 3: caselle 1, 2 e 4 agli scarti"],
    ["Wait: antennas-a is lost: no answer", "Aspettate: antennas-a è perso: no answer"],
    ["The next card lies at seat 6, it belongs to seat 2. Misdeal?", "Posto 6: c'è la prossima carta, che va altrove (posto 2). Misdeal?"],
    ["A card lies at burn that is not due there.", "Le bruciate: c'è una carta che lì non è dovuta."],
    ["Void the hand: every bet goes back", "Mano nulla: ogni puntata torna indietro"],
    ["Wait: the shoe: the lid is open", "Aspettate: il sabot: il coperchio è aperto"],
    ["Deck red 7 was dealt for 310 hands: change it. Shuffle, load the shoe, start the next hand", "Il mazzo red 7 è servito per 310 mani: cambiatelo. Mescolate, caricate il sabot, iniziate la mano"],
    ["The first card is one of deck blue 2. Was the deck changed?", "La prima carta è del mazzo blue 2. Il mazzo è stato cambiato?"],
    ["A sentence of another version", "A sentence of another version"],
  ] as const) {
    assert.equal(told(english, it), italian);
  }
});

test("chips are counted in the table's currency", () => {
  const move = "Move chips: from the pot 12050 to the tray, 340 to seat 2. Shuffle, load the shoe, start the next hand";
  assert.equal(told(move, en), "Move chips: from the pot 12,050 to the tray, 340 to seat 2. Shuffle, load the shoe, start the next hand");
  assert.equal(
    told(move, euro).replaceAll("\u00a0", " "),
    "Spostate le fiches: il piatto → il vassoio: 120,50 €, 3,40 € → posto 2. Mescolate, caricate il sabot, iniziate la mano",
  );
  const confirm = "floor asks to change the stack of seat 2 by -150: counted again. A second person confirms.";
  assert.match(told(confirm, euro), /^floor chiede di cambiare lo stack del posto 2 di −1,50\s€: ricontato\. Conferma una seconda persona\.$/);
  const change = "Seat 3 put in one chip larger than the call: a call, unless a raise was announced. Change: 7500 (1 × 5000, 5 × 500)";
  assert.match(told(change, euro).replaceAll("\u00a0", " "), /Resto: 75 € \(1 × 50 €, 5 × 5 €\)$/);
  assert.equal(told("Seat 3 is short 50", new Words("en", "EUR")), "Seat 3 is short €0.50");
});
