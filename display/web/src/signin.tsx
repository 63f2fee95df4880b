// Signing in as a player. Name and password go to the broker with each connection and are kept in memory alone, so that
// they end with the page; a browser may offer to remember them.

import { useState } from "preact/hooks";
import { Dialog } from "./dialog";
import type { Words } from "./words";

export interface Player {
  user: string;
  password: string;
}

interface Props {
  words: Words;
  /** Why the last try failed. */
  refused: boolean;
  signIn: (p: Player) => void;
  close: () => void;
}

export function SignIn({ words, refused, signIn, close }: Props) {
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  return (
    <Dialog title={words.say("sign_in")} name="sign-in" words={words} close={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          signIn({ user: user.trim(), password });
        }}
      >
        <label>
          <span>{words.say("sign_in.user")}</span>
          <input name="user" autofocus autocomplete="username" required autocapitalize="none" spellcheck={false} value={user} onInput={(e) => setUser(e.currentTarget.value)} />
        </label>
        <label>
          <span>{words.say("sign_in.password")}</span>
          <input name="password" type="password" autocomplete="current-password" required value={password} onInput={(e) => setPassword(e.currentTarget.value)} />
        </label>
        <p class="fault" role="alert">
          {refused && words.say("sign_in.refused")}
        </p>
        <button class="go" type="submit">
          {words.say("sign_in")}
        </button>
      </form>
    </Dialog>
  );
}
