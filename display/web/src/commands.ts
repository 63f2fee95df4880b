// What a dealer, or the floor, can tell the table that no sensor sees: one row a command, with what its form asks for.

import type { CommandVerb, Snapshot, View } from "./client";
import type { KeyList } from "./help";

/** What a form asks for. A field with a question mark may be left empty. */
export type Field = "seat" | "to" | "place" | "card" | "card?" | "drawn" | "amount" | "change" | "stake" | "player?" | "steps" | "reason";

export interface Command {
  cmd: Exclude<CommandVerb, "choose">;
  fields: readonly Field[];
  /** A person at another console confirms it. */
  two?: true;
  /** The letter that opens its form. */
  keyName?: string;
  /** When it can be of use; the table has the last word. */
  when?: (v: View) => boolean;
  /** The seats to choose from, and for `to` those to choose as the other one; all by default. */
  seats?: (s: Snapshot) => number[];
  others?: (s: Snapshot) => number[];
  /** Reasons to choose from, by the keys of their texts without "reason."; any other can be written. */
  reasons?: readonly string[];
}

const playing = (v: View) => v.phase !== "between";
const between = (v: View) => v.phase === "between";
const among = (may: (s: View["seats"][number]) => boolean | undefined) => (s: Snapshot) => s.view.seats.filter(may).map((p) => p.seat);
const live = among((s) => s.live && !s.mucked);
const taken = among(() => true);
const felt = ({ players }: Snapshot) => players.filter((p) => p.kind === "felt").map((p) => p.seat);
const feltTaken = (s: Snapshot) => felt(s).filter((n) => taken(s).includes(n));
const remoteTaken = (s: Snapshot) => taken(s).filter((n) => !felt(s).includes(n));
const feltFree = (s: Snapshot) => felt(s).filter((n) => !taken(s).includes(n));

/** The commands by their groups, in the order of the screen. */
export const groups: readonly { name: "deal" | "hand" | "table" | "seats"; commands: readonly Command[] }[] = [
  {
    name: "deal",
    commands: [
      { cmd: "void_hand", keyName: "V", fields: ["reason"], when: playing, reasons: ["first_card", "wrong_seat", "count", "exposed", "boxed", "fouled"] },
      { cmd: "exposed", keyName: "X", fields: ["seat", "place", "card?", "reason"], when: playing, seats: live, reasons: ["exposed"] },
      { cmd: "boxed", keyName: "B", fields: ["reason"], when: playing, reasons: ["boxed", "damaged"] },
      { cmd: "deal_correction", fields: ["seat", "reason"], when: playing, seats: ({ view }) => [view.button], reasons: ["short"] },
      { cmd: "dealt_early", keyName: "E", fields: ["reason"], when: playing, reasons: ["early"] },
      { cmd: "overdealt", fields: ["card?", "reason"], when: playing, reasons: ["over"] },
      { cmd: "skip_burn", fields: ["reason"], when: playing, reasons: ["no_burn"] },
      { cmd: "reshuffled", fields: ["reason"], when: playing, reasons: ["dropped", "order", "early"] },
      { cmd: "reload", fields: [], when: playing },
      { cmd: "rescan", fields: [] },
      { cmd: "manual_card", two: true, fields: ["card", "reason"], when: playing, reasons: ["reader", "tag"] },
    ],
  },
  {
    name: "hand",
    commands: [
      { cmd: "kill_hand", keyName: "K", fields: ["seat", "reason"], when: playing, seats: live, reasons: ["count", "muck", "conduct", "absent"] },
      { cmd: "retrieve", two: true, fields: ["seat", "reason"], when: playing, seats: among((s) => s.dealt && (!s.live || s.mucked)), reasons: ["known", "mistake"] },
      { cmd: "show", keyName: "S", fields: ["seat"], when: playing, seats: live },
      { cmd: "muck", keyName: "M", fields: ["seat"], when: playing, seats: live },
      { cmd: "rewind", two: true, fields: ["steps", "reason"], when: playing, reasons: ["wrong_key", "wrong_seat", "mistake"] },
      { cmd: "reverse_award", two: true, fields: ["seat", "to", "amount", "reason"], when: between, seats: taken, others: taken, reasons: ["pushed", "misread"] },
      {
        cmd: "rule",
        keyName: "R",
        fields: ["reason"],
        reasons: ["string", "out_of_turn", "over_chip", "undercall", "half_raise", "verbal", "warning"],
      },
    ],
  },
  {
    name: "table",
    commands: [
      { cmd: "suspend", keyName: "P", fields: ["reason"], when: (v) => v.awaits.kind !== "resume", reasons: ["dispute", "reader", "deck"] },
      { cmd: "resume", keyName: "P", fields: [], when: (v) => v.awaits.kind === "resume" },
      { cmd: "set_button", fields: ["seat", "reason"], reasons: ["button"] },
      { cmd: "draw_button", fields: ["drawn", "reason"], when: between, seats: taken, reasons: ["first_button"] },
      { cmd: "deck_checked", fields: [], when: between },
      { cmd: "chips_counted", fields: [] },
    ],
  },
  {
    name: "seats",
    commands: [
      { cmd: "sit", fields: ["seat", "amount", "player?"], seats: feltFree },
      { cmd: "add_chips", keyName: "A", fields: ["seat", "amount"], seats: feltTaken },
      { cmd: "move", fields: ["seat", "to"], seats: feltTaken, others: feltFree },
      { cmd: "leave", fields: ["seat"], seats: feltTaken },
      { cmd: "wait_blind", fields: ["seat"], when: (v) => !v.bank, seats: feltTaken },
      { cmd: "stake", fields: ["seat", "stake"], when: (v) => v.bank !== undefined && between(v), seats: feltTaken },
      { cmd: "reset_cover", fields: ["seat"], seats: remoteTaken },
      { cmd: "correct_stack", keyName: "C", two: true, fields: ["seat", "change", "reason"], when: between, seats: taken, reasons: ["recount", "entered"] },
    ],
  },
];

/** The keys of the console. */
export const consoleKeys: KeyList = [
  { when: "console", keys: [["N", "cmd.start_hand"], ["1 – 9", "keys.answer"], ["Esc", "keys.escape"], ["H", "keys.hands"], ["?", "keys.help"]] },
  ...groups.map(({ name, commands }) => ({
    when: `group.${name}` as const,
    keys: commands.flatMap(({ cmd, keyName }) => (keyName && cmd !== "resume" ? [[keyName, `cmd.${cmd}`] as const] : [])),
  })),
];
