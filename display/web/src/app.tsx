// The page of one table. Start here: a Client keeps what is known of the table, and the components show that. Whoever opens
// the page watches; who signs in plays, or, without a key, has the console of the dealer or the floor.

import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Actions, Alert, SeatOptions } from "./actions";
import { ChipsDialog } from "./chips";
import { Client, nothing, offered, overWebSocket, ownSeats, type Account, type Request, type Snapshot, type Table } from "./client";
import { consoleKeys } from "./commands";
import { Console } from "./console";
import { Felt } from "./felt";
import { HandsDialog } from "./hands";
import { Help, playerKeys } from "./help";
import { useKeys } from "./keys";
import { forget, invitation, keep } from "./keystore";
import { Log } from "./log";
import { Options } from "./options";
import { load, store, type Settings } from "./settings";
import { SignIn, type Login } from "./signin";
import { refusal, told } from "./told";
import { catalogues, languages, Words } from "./words";

/** The dialog that is open; chips is about a seat. */
type Open = { what: "sign_in" | "options" | "hands" | "help" } | { what: "chips"; seat: number };

function App() {
  const [settings, setSettings] = useState(load);
  const [login, setLogin] = useState<Login>();
  const [{ table, client }, set] = useState<{ table: Table; client?: Client }>({ table: nothing });
  const [invited] = useState(() => invitation(location, history));
  const [open, setOpen] = useState<Open | undefined>(invited.player ? { what: "sign_in" } : undefined);
  const [notice, setNotice] = useState("");
  const [story, setStory] = useState(false);

  useEffect(() => {
    let { remember } = login ?? {};
    const client = new Client({
      account: () => account(login),
      dial: overWebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/mqtt`),
      changed: (table) => {
        set({ table, client });
        if (!remember || !client.proven) return;
        remember = false;
        void keep(login!.user, login!.key!);
      },
    });
    set({ table: nothing, client });
    void client.run();
    const back = () => client.hurry();
    addEventListener("online", back);
    document.addEventListener("visibilitychange", back);
    return () => {
      removeEventListener("online", back);
      document.removeEventListener("visibilitychange", back);
      client.close();
    };
  }, [login]);

  const refused = table.link === "refused" && login !== undefined;
  const player = login?.key && !refused ? login : undefined;
  const dealer = login && !login.key && !refused ? login : undefined;
  useEffect(() => {
    if (refused) setOpen({ what: "sign_in" });
    else if (table.link === "online" && open?.what === "sign_in" && login) setOpen(undefined);
  }, [refused, table.link]);

  const { snapshot } = table;
  const { currency } = snapshot ?? {};
  const bigBlind = settings.bigBlinds && !dealer ? (snapshot?.view.stakes.big_blind ?? 0) : 0;
  const words = useMemo(() => new Words(settings.language, currency, bigBlind), [settings.language, currency, bigBlind]);
  useEffect(() => {
    document.documentElement.lang = settings.language;
    document.title = snapshot ? words.say("title", { name: snapshot.name }) : "Tavolo";
  }, [words, snapshot?.name]);

  const change = (some: Partial<Settings>) => {
    const next = { ...settings, ...some };
    store(next);
    setSettings(next);
  };
  const ask = async (r: Request) => {
    setNotice("");
    const answer = await client!.ask(r);
    if (!answer.ok) setNotice(refusal(answer, words));
    return answer;
  };
  const show = (o: Open) => () => setOpen(o);
  useKeys({ h: show({ what: "hands" }), "?": show({ what: "help" }) }, settings.keys);

  const owned = player ? ownSeats(table, player.user) : [];
  const [own = 0] = owned;
  const seated = snapshot?.view.seats.some((s) => s.seat === own) ?? false;
  const live = table.link === "online" && table.status === "online";
  const close = () => setOpen(undefined);
  const signOut = () => {
    setLogin(undefined);
    close();
  };
  return (
    <div class={["page", !live && "stale", player && "plays", dealer && "deals", story && "story"].filter(Boolean).join(" ")}>
      <header>
        <Title snapshot={snapshot} words={words} />
        <Light table={table} words={words} />
        <nav>
          <button class="icon story-button" aria-pressed={story} onClick={() => setStory(!story)}>
            {words.say("log")}
          </button>
          <button class="icon" aria-keyshortcuts="H" data-open="hands" onClick={show({ what: "hands" })}>
            {words.say("hands")}
          </button>
          <button class="icon" data-open="options" onClick={show({ what: "options" })}>
            {words.say("options")}
          </button>
          <button class="icon help-button" aria-keyshortcuts="?" aria-label={words.say("help")} title={words.say("help")} data-open="help" onClick={show({ what: "help" })}>
            ?
          </button>
          <div class="languages" role="group" aria-label={words.say("options.language")}>
            {languages.map((l) => (
              <button key={l} lang={l} title={catalogues[l].language} aria-pressed={l === settings.language} onClick={() => change({ language: l })}>
                {l.toUpperCase()}
              </button>
            ))}
          </div>
          {!player && !dealer && (
            <button class="go" data-open="sign_in" onClick={show({ what: "sign_in" })}>
              {words.say("sign_in")}
            </button>
          )}
        </nav>
      </header>
      <div class="notes" role="status">
        {notes(table, player?.user ?? "", words).map((n) => (
          <p key={n}>{n}</p>
        ))}
      </div>
      {dealer ? (
        <Console key={dealer.user} table={table} snapshot={snapshot} user={dealer.user} keys={settings.keys} words={words} ask={(c) => client!.ask(c)} />
      ) : (
        <Felt table={table} snapshot={snapshot} words={words} own={owned} sit={player && !seated ? (seat) => setOpen({ what: "chips", seat }) : undefined} />
      )}
      {player && snapshot && (
        <footer>
          <Alert text={notice} />
          {notice && (
            <p class="notice" aria-hidden="true">
              {notice}
              <button tabIndex={-1} onClick={() => setNotice("")}>
                ✕
              </button>
            </p>
          )}
          <Actions table={table} snapshot={snapshot} own={owned} settings={settings} words={words} ask={ask} />
          <SeatOptions snapshot={snapshot} own={own} player={player.user} keys={settings.keys} words={words} ask={ask} more={show({ what: "chips", seat: own })} />
        </footer>
      )}
      <Log entries={table.log} players={snapshot?.players ?? []} words={words} />
      {open?.what === "sign_in" && <SignIn words={words} invited={invited} refused={refused} signIn={setLogin} close={close} />}
      {open?.what === "options" && <Options settings={settings} help={show({ what: "help" })} muck={seated ? { on: table.plans[own]?.auto_muck ?? false, change: (on) => void ask({ action: on ? "auto_muck" : "ask_muck" }) } : undefined} signOut={login && signOut} forget={player && (() => void forget(player.user).then(signOut))} words={words} change={change} close={close} />}
      {open?.what === "help" && <Help keys={dealer ? consoleKeys : playerKeys} words={words} close={close} />}
      {open?.what === "hands" && <HandsDialog hands={table.hands} players={snapshot?.players ?? []} player={player?.user ?? ""} words={words} close={close} />}
      {open?.what === "chips" && snapshot && <ChipsDialog snapshot={snapshot} seat={open.seat} offered={offered(table, player?.user ?? "", Date.now())} words={words} ask={ask} close={close} />}
    </div>
  );
}

/** account asks which table this page is of, and as whom it watches; who signs in is somebody else. */
async function account(login?: Login): Promise<Account> {
  const response = await fetch("/config.json", { cache: "no-store", signal: AbortSignal.timeout(5000) });
  if (!response.ok) throw new Error(`/config.json: ${response.status}`);
  const spectator: Account = await response.json();
  return login ? { ...spectator, ...login, delayed: false, console: login.key === undefined } : spectator;
}

function Title({ snapshot, words }: { snapshot?: Snapshot; words: Words }) {
  if (!snapshot) return <h1>Tavolo</h1>;
  const { view, name } = snapshot;
  const st = view.stakes;
  const [small, big] = st.small_bet ? [st.small_bet, st.big_bet ?? 0] : [st.small_blind, st.big_blind];
  const amounts = { small: words.money(small), big: words.money(big), ante: words.money(st.ante ?? 0), min: words.money(st.min_ante ?? 0), max: words.money(st.max_ante ?? 0) };
  return (
    <>
      <h1>{name}</h1>
      <p class="game">
        {words.named("game", view.game)} {!view.bank && <span>{words.named("limit", view.limit)}</span>}
      </p>
      <p class="stakes">{words.say(view.bank ? "stakes.bank" : !st.ante ? "stakes" : big ? "stakes.ante" : "stakes.ante_alone", amounts)}</p>
      {view.hand > 0 && <p class="hand">{words.say("hand", { hand: view.hand })}</p>}
      {snapshot.jackpot !== undefined && <p class="jackpot">{words.say("jackpot", { amount: words.money(snapshot.jackpot) })}</p>}
    </>
  );
}

/** The light says whether the picture is live, and how long the broker takes to answer. */
function Light({ table, words }: { table: Table; words: Words }) {
  const { link, status, delay, delayed } = table;
  if (link === "online" && status && status !== "online") {
    return <p class={`light ${status}`}>{words.say(`status.${status}`)}</p>;
  }
  return (
    <p class={`light ${link}`}>
      {words.say(link === "online" && delayed ? "link.delayed" : `link.${link}`)}
      {link === "online" && delay !== undefined && <small title={words.say("delay")}>{`${delay} ms`}</small>}
    </p>
  );
}

/** notes say why the picture is not live, or why the table stands still. */
function notes(table: Table, player: string, words: Words): string[] {
  const { link, status, snapshot, offer } = table;
  const all: string[] = [];
  if (link !== "online") all.push(words.say(`note.${link}`));
  else if (status && status !== "online") all.push(words.say(`note.status.${status}`));
  else if (!snapshot) all.push(words.say("note.connecting"));
  for (const reason of snapshot?.holds ?? []) all.push(words.say("note.hold", { reason: told(reason, words) }));
  const seats = offered(table, player, Date.now());
  if (offer && seats.length > 0) all.push(words.say("list.offer", { seats: seats.join(", "), time: words.time(offer.until + (table.ahead ?? 0)) }));
  return all;
}

render(<App />, document.body);
