// Signing in as a player, or as a dealer or the floor, who have no key. Name and password go to the broker with each connection and are kept in memory alone, so that
// they end with the page; a browser may offer to remember them. The key never leaves this machine.

import { useState } from "preact/hooks";
import { readKey } from "./client";
import { Dialog, Switch } from "./dialog";
import { type Invitation, kept } from "./keystore";
import type { Key, Words } from "./words";

export interface Login {
  user: string;
  password: string;
  /** Absent for a dealer and the floor. */
  key?: CryptoKey;
  /** The key is to be kept once the table has shown to know it: a wrong one does not take its place. */
  remember?: boolean;
}

interface Props {
  words: Words;
  /** What the link said that led here. */
  invited: Invitation;
  /** The last try failed. */
  refused: boolean;
  signIn: (l: Login) => void;
  close: () => void;
}

export function SignIn({ words, invited, refused, signIn, close }: Props) {
  const [user, setUser] = useState(invited.player);
  const [password, setPassword] = useState("");
  const [text, setText] = useState(invited.key);
  const [remember, setRemember] = useState(true);
  const [fault, setFault] = useState<Key | undefined>(refused ? "sign_in.refused" : undefined);
  const submit = async () => {
    setFault(undefined);
    const name = user.trim();
    let key: CryptoKey | undefined;
    if (text.trim() === "") key = await kept(name);
    else {
      if (!globalThis.crypto?.subtle) return setFault("sign_in.insecure");
      key = await readKey(text);
      if (!key) return setFault("sign_in.key.wrong");
    }
    signIn({ user: name, password, key, remember: remember && text.trim() !== "" });
  };
  return (
    <Dialog title={words.say("sign_in")} name="sign-in" words={words} close={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void submit();
        }}
      >
        <label>
          <span>{words.say("sign_in.user")}</span>
          <input
            name="user"
            autofocus={invited.player === ""}
            autocomplete="username"
            required
            autocapitalize="none"
            spellcheck={false}
            value={user}
            onInput={(e) => setUser(e.currentTarget.value)}
          />
        </label>
        <label>
          <span>{words.say("sign_in.password")}</span>
          <input
            name="password"
            type="password"
            autofocus={invited.player !== ""}
            autocomplete="current-password"
            required
            value={password}
            onInput={(e) => setPassword(e.currentTarget.value)}
          />
        </label>
        <label>
          <span>{words.say("sign_in.key")}</span>
          <input
            name="key"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            aria-describedby="key-hint"
            value={text}
            onInput={(e) => setText(e.currentTarget.value)}
          />
        </label>
        <p class="hint" id="key-hint">
          {words.say("sign_in.key.hint")}
        </p>
        <Switch text={words.say("sign_in.remember")} on={remember} change={setRemember} />
        <p class="fault" role="alert">
          {fault && words.say(fault)}
        </p>
        <button class="go" type="submit">
          {words.say("sign_in")}
        </button>
      </form>
    </Dialog>
  );
}
