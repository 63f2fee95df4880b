// What a person can choose for this page.

import { Dialog, Switch } from "./dialog";
import type { Settings } from "./settings";
import { catalogues, languages, type Words } from "./words";

interface Props {
  settings: Settings;
  /** Shows the keys there are. */
  help: () => void;
  /** Whether a hand that need not be shown is mucked without asking, for who plays: the table does it. */
  muck?: { on: boolean; change: (on: boolean) => void };
  words: Words;
  change: (s: Partial<Settings>) => void;
  /** Signs out, for who is signed in. */
  signOut?: () => void;
  /** Forgets the player's key on this device and signs out. */
  forget?: () => void;
  close: () => void;
}

export function Options({ settings, help, muck, words, change, signOut, forget, close }: Props) {
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
      {muck && <Switch text={words.say("options.muck")} name="muck" on={muck.on} change={muck.change} />}
      <Switch text={words.say("options.keys")} on={settings.keys} change={(keys) => change({ keys })} />
      <div class="row">
        <button class="small" data-open="help" onClick={help}>
          {words.say("help")}
        </button>
        {signOut && (
          <button class="small" data-sign-out onClick={signOut}>
            {words.say("sign_out")}
          </button>
        )}
        {forget && (
          <button class="small" data-forget onClick={forget}>
            {words.say("options.forget")}
          </button>
        )}
      </div>
    </Dialog>
  );
}
