// What a person has chosen for this page, kept by the browser.

import { languages, preferred, type Language } from "./words";

export interface Settings {
  language: Language;
  /** Amounts in big blinds. */
  bigBlinds: boolean;
  /** Letters and digits are keys for actions. */
  keys: boolean;
}

const key = "tavolo.settings";

/** load gives what was chosen. A browser may forbid the store; then a choice lasts as long as the page. */
export function load(): Settings {
  let kept: Partial<Settings> = {};
  try {
    kept = JSON.parse(localStorage.getItem(key) ?? "{}") ?? {};
  } catch {
    // nothing was kept, or nothing that can be read
  }
  const language = languages.find((l) => l === kept.language) ?? preferred(navigator.languages);
  return { language, bigBlinds: kept.bigBlinds === true, keys: kept.keys !== false };
}

export function store(s: Settings): void {
  try {
    localStorage.setItem(key, JSON.stringify(s));
  } catch {
    // see load
  }
}
