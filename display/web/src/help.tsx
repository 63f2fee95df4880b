// The keys there are, for who plays and for who deals: a list, opened by "?".

import { Dialog } from "./dialog";
import type { Key, Words } from "./words";

/** What keys do, by when they do it. */
export type KeyList = readonly { when: Key; keys: readonly (readonly [keys: string, does: Key])[] }[];

/** The keys of a player. */
export const playerKeys: KeyList = [
  {
    when: "keys.turn",
    keys: [
      ["F", "keys.fold"],
      ["C", "keys.call"],
      ["R  B", "keys.raise"],
      ["1 – 5", "keys.presets"],
      ["↑ ↓", "keys.step"],
      ["E", "keys.amount"],
      ["A", "keys.all_in"],
      ["T", "keys.split"],
      ["S  M", "keys.reveal"],
    ],
  },
  {
    when: "keys.before",
    keys: [
      ["F", "ahead.plan_check_fold"],
      ["C", "keys.call"],
      ["A", "ahead.plan_call_any"],
    ],
  },
  {
    when: "keys.draw",
    keys: [
      ["1 – 6", "keys.choose"],
      ["D", "keys.exchange"],
      ["C", "act.stand_pat"],
    ],
  },
  {
    when: "keys.bank",
    keys: [
      ["1 – 5", "keys.chips"],
      ["A  B", "keys.fields"],
      ["↵", "keys.bet"],
      ["-", "keys.check_fold"],
      ["Del  .", "keys.clear"],
      ["0", "stake.again"],
      ["← →", "keys.box"],
    ],
  },
  {
    when: "keys.naiko",
    keys: [
      ["P  W  N", "keys.powers"],
      ["S  C", "keys.shield"],
    ],
  },
  {
    when: "keys.seat",
    keys: [
      ["O", "keys.sit_out"],
      ["W", "seat.wait_blind"],
      ["K", "seat.chips"],
      ["H", "keys.hands"],
      ["← →", "keys.replay"],
      ["?", "keys.help"],
    ],
  },
];

export function Help({ keys, words, close }: { keys: KeyList; words: Words; close: () => void }) {
  return (
    <Dialog title={words.say("help")} name="help" words={words} close={close}>
      <div class="keys">
        {keys.map(({ when, keys }) => (
          <section key={when}>
            <h3>{words.say(when)}</h3>
            <dl>
              {keys.map(([key, does]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{words.say(does)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
