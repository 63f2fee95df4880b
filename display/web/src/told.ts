// What the table tells a dealer, in the reader's language. It says so in English sentences; each has a text of its own in the
// catalogues, whose places are filled with what the sentence had there: amounts in the table's currency, places by name.

import catalogue from "../../text/en.json";
import type { Answer } from "./client";
import { catalogues, type Key, type Words } from "./words";

type Filling = (found: string, words: Words) => string;

/** How the places of a sentence are filled, by their names without a number; others with what was found there. */
const fillings: Record<string, Filling> = {
  amount: (n, w) => w.money(Number(n)),
  change: (n, w) => (n.startsWith("-") ? "−" : "+") + w.money(Math.abs(Number(n))),
  street: (name, w) => w.named("street", name).toLowerCase(),
  zone,
  place: (name, w) => zone(name.replace(/^(?:the )?(spot) of seat/, "$1").replace(/^the /, ""), w),
  slots: (list, w) => list.replace(" and ", ` ${w.say("and")} `),
  reason: (text, w) => w.reason(text),
  text: told,
  coins: (list, w) => list.replace(/(\d+) × (\d+)/g, (_, n, worth) => `${n} × ${w.money(Number(worth))}`),
  due: (list, w) => (known(list) ? told(list, w) : list.split(", ").map((one) => told(one, w)).join(", ")),
};

/** What may stand in a place, where that is not anything. */
const forms: Record<string, string> = {
  amount: "\\d+",
  change: "-?\\d+",
  coins: "\\d+ × \\d+(?:, \\d+ × \\d+)*",
  seat: "\\d+",
  number: "\\d+",
  of: "\\d+",
  slot: "\\d+",
  slots: "[\\d, and]+",
  zone: "[a-z]+(?: \\d+)?",
  place: "[^,]+?",
};

const sentences = (Object.keys(catalogue) as Key[])
  .filter((key) => key.startsWith("told."))
  .map((key) => {
    const text = catalogues.en[key].replace(/[.*+?^$()|[\]\\]/g, "\\$&");
    return { key, pattern: new RegExp(`^${text.replace(/\{([a-z]+)(\d*)\}/g, (_, name, n) => `(?<${name}${n}>${forms[name] ?? ".+?"})`)}$`, "i") };
  });

/** told says a sentence of the table's in the reader's language; one that it does not know it leaves as it is. */
export function told(english: string, words: Words): string {
  for (const { key, pattern } of sentences) {
    const found = pattern.exec(english);
    if (!found) continue;
    const values = Object.entries(found.groups ?? {}).map(([place, text]) => [place, fillings[place.replace(/\d$/, "")]?.(text, words) ?? text]);
    const text = words.say(key, Object.fromEntries(values));
    return /^[A-Z]/.test(english) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  }
  return english;
}

/** refusal says why the table refused something: by its code, or, where the table's sentence says more, by that. */
export function refusal({ code = "", text }: Answer, words: Words): string {
  const key = code === "unanswered" ? code : `refused.${code}`;
  return words.has(key) ? words.say(key) : told(text ?? code, words);
}

function known(english: string): boolean {
  return sentences.some((s) => s.pattern.test(english));
}

/** zone names where cards or chips lie: "burn", or "seat 4". */
function zone(name: string, words: Words): string {
  const [kind, seat = ""] = name.split(" ");
  const key = `zone.${kind}`;
  return words.has(key) ? words.say(key, { seat }) : name;
}
