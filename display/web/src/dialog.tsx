// A dialog above the page, which keeps the focus until it is closed.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Words } from "./words";

interface Props {
  title: string;
  name: string;
  words: Words;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, name, words, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class={name} aria-labelledby="dialog-title" onClose={close}>
      <header>
        <h2 id="dialog-title">{title}</h2>
        <button class="close" aria-label={words.say("close")} onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A choice that is on or off, and the key it may have. */
export function Switch({ text, name, keyName, on, change }: { text: string; name?: string; keyName?: string; on: boolean; change: (on: boolean) => void }) {
  return (
    <label class="switch">
      <input type="checkbox" data-option={name} aria-keyshortcuts={keyName} checked={on} onChange={(e) => change(e.currentTarget.checked)} />
      <span>{text}</span>
      {keyName && <kbd aria-hidden="true">{keyName}</kbd>}
    </label>
  );
}
