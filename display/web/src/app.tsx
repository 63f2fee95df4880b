// The page of one table, live, for spectators. Start here: follow brings messages, reduce turns them into what is known
// of the table, and the components show that.

import { render } from "preact";
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { Felt } from "./felt";
import { follow } from "./link";
import { Log } from "./log";
import { nothing, reduce, type Table } from "./table";
import type { Snapshot } from "./wire";
import { catalogues, languages, preferred, Words, type Language } from "./words";

function App() {
  const [table, tell] = useReducer(reduce, nothing);
  useEffect(() => void follow(tell), []);

  const [language, setLanguage] = useState<Language>(() => preferred([stored(), ...navigator.languages]));
  const { snapshot } = table;
  const currency = snapshot?.currency;
  const words = useMemo(() => new Words(language, currency), [language, currency?.code, currency?.units]);
  useEffect(() => {
    document.documentElement.lang = language;
    document.title = snapshot ? words.say("title", { name: snapshot.name }) : "Tavolo";
  }, [words, snapshot?.name]);

  const choose = (l: Language) => {
    store(l);
    setLanguage(l);
  };
  const live = table.link === "online" && table.status === "online";
  return (
    <div class={live ? "page" : "page stale"}>
      <header>
        <Title snapshot={snapshot} words={words} />
        <Light table={table} words={words} />
        <nav>
          {languages.map((l) => (
            <button key={l} lang={l} title={catalogues[l].language} aria-pressed={l === language} onClick={() => choose(l)}>
              {l.toUpperCase()}
            </button>
          ))}
        </nav>
      </header>
      <div class="notes" role="status">
        {notes(table, words).map((n) => (
          <p key={n}>{n}</p>
        ))}
      </div>
      <Felt table={table} snapshot={snapshot} words={words} />
      <Log entries={table.log} players={snapshot?.players ?? []} words={words} />
    </div>
  );
}

function Title({ snapshot, words }: { snapshot?: Snapshot; words: Words }) {
  if (!snapshot) return <h1>Tavolo</h1>;
  const { view, name } = snapshot;
  const st = view.stakes;
  const [small, big] = st.small_bet ? [st.small_bet, st.big_bet ?? 0] : [st.small_blind, st.big_blind];
  const amounts = { small: words.money(small), big: words.money(big), ante: words.money(st.ante ?? 0) };
  return (
    <>
      <h1>{name}</h1>
      <p class="game">
        {words.named("game", view.game)} <span>{words.named("limit", view.limit)}</span>
      </p>
      <p class="stakes">{words.say(st.ante ? "stakes.ante" : "stakes", amounts)}</p>
      {view.hand > 0 && <p class="hand">{words.say("hand", { hand: view.hand })}</p>}
    </>
  );
}

/** The light says whether the picture is live. */
function Light({ table, words }: { table: Table; words: Words }) {
  const { link, status } = table;
  if (link === "online" && status && status !== "online") {
    return <p class={`light ${status}`}>{words.say(`status.${status}`)}</p>;
  }
  return <p class={`light ${link}`}>{words.say(`link.${link}`)}</p>;
}

/** notes say why the picture is not live, or why the table stands still. */
function notes({ link, status, snapshot }: Table, words: Words): string[] {
  const all: string[] = [];
  if (link !== "online") all.push(words.say(`note.${link}`));
  else if (status && status !== "online") all.push(words.say(`note.status.${status}`));
  else if (!snapshot) all.push(words.say("note.connecting"));
  for (const reason of snapshot?.holds ?? []) all.push(words.say("note.hold", { reason }));
  return all;
}

const key = "tavolo.language";

/** A browser may forbid the store; then the choice lasts as long as the page. */
function stored(): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function store(l: Language): void {
  try {
    localStorage.setItem(key, l);
  } catch {
    // see stored
  }
}

render(<App />, document.body);
