// What a person can choose for this page, and the keys there are.

import { Dialog, Switch } from "./dialog";
import type { Settings } from "./settings";
import { catalogues, languages, type Key, type Words } from "./words";

interface Props {
  settings: Settings;
  /** The keys there are, and what they do. */
  keys: [string, Key][];
  /** Whether a hand that need not be shown is mucked without asking, for who plays: the table does it. */
  muck?: { on: boolean; change: (on: boolean) => void };
  words: Words;
  change: (s: Partial<Settings>) => void;
  /** Signs out, for who is signed in. */
  signOut?: () => void;
  close: () => void;
}

/** The keys of a player. */
export const playerKeys: [string, Key][] = [
  ["F", "keys.fold"],
  ["C", "keys.call"],
  ["R", "keys.raise"],
  ["A", "keys.all_in"],
  ["1 – 5", "keys.presets"],
  ["↑ ↓", "keys.step"],
  ["1 – 6  D", "keys.draw"],
  ["T", "keys.split"],
  ["↵  -  Del  0", "keys.stake"],
  ["← →", "keys.box"],
  ["S  M", "keys.reveal"],
  ["P  W  N", "keys.powers"],
  ["S  C", "keys.shield"],
  ["O", "keys.sit_out"],
  ["H", "keys.hands"],
];

export function Options({ settings, keys, muck, words, change, signOut, close }: Props) {
  return (
    <Dialog title={words.say("options")} name="options" words={words} close={close}>
      <div class="languages" role="group" aria-label={words.say("options.language")}>
        {languages.map((l) => (
          <button key={l} lang={l} aria-pressed={l === settings.language} onClick={() => change({ language: l })}>
            {catalogues[l].language}
          </button>
        ))}
      </div>
      <Switch text={words.say("options.big_blinds")} on={settings.bigBlinds} change={(bigBlinds) => change({ bigBlinds })} />
      {muck && <Switch text={words.say("options.muck")} on={muck.on} change={muck.change} />}
      <Switch text={words.say("options.keys")} on={settings.keys} change={(keys) => change({ keys })} />
      {settings.keys && (
        <dl class="keys">
          {keys.map(([key, text]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{words.say(text)}</dd>
            </div>
          ))}
        </dl>
      )}
      {signOut && (
        <button class="small" data-sign-out onClick={signOut}>
          {words.say("sign_out")}
        </button>
      )}
    </Dialog>
  );
}
