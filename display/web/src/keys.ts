// Keys for what can be done now. Letters and digits act wherever the focus is, except in a field that takes them and under
// a dialog; a key with Ctrl, Alt or Meta is the browser's.

import { useLayoutEffect, useRef } from "preact/hooks";

export type Keys = Record<string, () => void>;

/** useKeys has keys act while `on`; what they do may change with each drawing. */
export function useKeys(keys: Keys, on: boolean): void {
  const now = useRef(keys);
  now.current = keys;
  useLayoutEffect(() => {
    if (!on) return;
    const press = (e: KeyboardEvent) => {
      if (e.repeat || e.ctrlKey || e.altKey || e.metaKey || document.querySelector("dialog[open]")) return;
      const act = now.current[e.key.length === 1 ? e.key.toLowerCase() : e.key];
      if (!act || takes(e)) return;
      e.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [on]);
}

/** takes reports whether what has the focus has a use of its own for a key: an amount for figures, not for letters, a
 * button that was reached by keys for Enter. */
function takes(e: KeyboardEvent): boolean {
  const field = e.target;
  if (e.key === "Enter" && field instanceof Element && field.matches("button:focus-visible")) return true;
  if (field instanceof HTMLSelectElement) return true;
  if (!(field instanceof HTMLInputElement)) return false;
  switch (field.type) {
    case "checkbox":
    case "radio":
      return false;
    case "range":
      return e.key.length > 1;
    default:
      return field.inputMode !== "decimal" || !/^[a-z]$/i.test(e.key);
  }
}
