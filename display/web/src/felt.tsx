// The table from above: felt, seats, and in the middle the pots, the board and what is awaited.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Chips, PlayingCard } from "./cards";
import { seated } from "./geometry";
import { Seat } from "./seat";
import { nameAt } from "./story";
import type { Table } from "./client";
import type { Power, Snapshot, View } from "./client";
import { winningOn, winOf, type Winning } from "./winning";
import type { Words } from "./words";

interface Props {
  table: Table;
  snapshot?: Snapshot;
  words: Words;
  /** The seats of the player who looks. The first is drawn at the bottom. */
  own: readonly number[];
  /** Takes a free seat, for a player who has none. */
  sit?: (seat: number) => void;
  /** Chooses a seat, at a console; picked are those that are. */
  pick?: (seat: number) => void;
  picked?: readonly number[];
}

/** The table; without a snapshot, an empty one. */
export function Felt({ table, snapshot, words, own, sit, pick, picked = [] }: Props) {
  const stage = useRef<HTMLElement>(null);
  const size = useSize(stage);
  const { tall, unit, width, height } = measure(size.width, size.height);
  const seats = snapshot ? [...new Set([...snapshot.players, ...snapshot.view.seats].map((p) => p.seat))].sort((a, b) => a - b) : [];
  const rim = seated(seats, own[0] ?? 0, { w: width, h: height, gap: (tall ? 150 : 250) * unit, room: (tall ? 300 : 330) * unit });
  const free = snapshot?.seating?.free ?? [];
  const classes = ["stage", tall && "tall", (tall || unit < 0.7) && "compact"].filter(Boolean).join(" ");
  return (
    <main ref={stage} class={classes} style={{ "--u": `${unit}px` }} aria-label={words.say("table")}>
      {size.width > 0 && (
        <div class="table" style={{ width: `${width}px`, height: `${height}px` }}>
          <div class="rail" />
          <div class="felt" />
          <Dealer name={snapshot?.view.bank?.cards ? "" : words.say("dealer")} />
          {snapshot?.view.bank?.cards && <Bank view={snapshot.view} words={words} />}
          {snapshot && <Middle table={table} snapshot={snapshot} words={words} />}
          {snapshot && (
            <ol class="seats" aria-label={words.say("seats")}>
              {rim.map(([seat, spot]) => (
                <Seat
                  key={seat}
                  number={seat}
                  spot={spot}
                  own={own.includes(seat)}
                  sit={sit && free.includes(seat) ? () => sit(seat) : undefined}
                  pick={pick && { on: picked.includes(seat), choose: () => pick(seat) }}
                  tall={tall}
                  table={table}
                  snapshot={snapshot}
                  words={words}
                />
              ))}
            </ol>
          )}
        </div>
      )}
    </main>
  );
}

/** measure fits a table into a stage: the size of the felt, and the unit everything on it is measured in. */
function measure(w: number, h: number) {
  const tall = h > w;
  const unit = tall ? Math.min(w / 560, h / 860) : Math.min(w / 980, h / 720);
  const width = Math.min(w - Math.max((tall ? 134 : 190) * unit, 90), tall ? w : 2.3 * h);
  const height = Math.min(h - (tall ? 184 : 196) * unit, tall ? 2.1 * w : h);
  return { tall, unit, width, height };
}

function useSize(of: { current: HTMLElement | null }) {
  const [size, set] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (!of.current) return;
    const watch = new ResizeObserver(([entry]) => entry && set(entry.contentRect));
    watch.observe(of.current);
    return () => watch.disconnect();
  }, []);
  return size;
}

/** The dealer's chips, with the name where there is room for it. */
function Dealer({ name }: { name: string }) {
  return (
    <div class="dealer" aria-hidden="true">
      <svg viewBox="0 0 150 46">
        <rect class="tray" x="1" y="1" width="148" height="44" rx="9" />
        {[0, 1, 2, 3, 4].map((i) => (
          <g key={i} class={`row chip${i}`} transform={`translate(${10 + 27 * i} 8)`}>
            <rect width="22" height="30" rx="4" />
            <path d="M0 5h22M0 10h22M0 15h22M0 20h22M0 25h22" />
          </g>
        ))}
      </svg>
      <span>{name}</span>
    </div>
  );
}

/** Bank is the hand of the house. */
function Bank({ view, words }: { view: View; words: Words }) {
  const { cards = [], holds } = view.bank!;
  return (
    <div class="bank">
      <span class="sr">{words.say("house.holds", { cards: words.cards(cards) })}</span>
      <div aria-hidden="true">
        {cards.map((c, i) => (
          <PlayingCard key={i} card={c} words={words} />
        ))}
      </div>
      {holds && <span class="holds">{words.holds(holds)}</span>}
    </div>
  );
}

function Middle({ table, snapshot, words }: { table: Table; snapshot: Snapshot; words: Words }) {
  const { view } = snapshot;
  return (
    <section class="middle">
      <p class="street">{view.street ? words.named("street", view.street) : ""}</p>
      {view.carousel && <p class="carousel">{words.say("carousel", { powers: carousel(view.carousel, words) })}</p>}
      <p class="last">{lastHand(table, snapshot, words)}</p>
      <div class="pots">
        {view.total > 0 && !view.bank && (
          <div class="pot total">
            <Chips amount={view.total} bigBlind={view.stakes.big_blind} />
            <span>{words.say("pot")}</span> <b data-pot>{words.money(view.total)}</b>
          </div>
        )}
        {view.pots.length > 1 && (
          <div class="side">
            {view.pots.map((p, i) => (
              <div key={i} class="pot" data-side={i}>
                <span>{i === 0 ? words.say("pot.main") : words.say("pot.side", { number: i })}</span>{" "}
                <b>{words.money(p.amount)}</b>
              </div>
            ))}
          </div>
        )}
      </div>
      <Board view={view} winning={winningOn(view, table)} words={words} />
      <p class="sr" aria-live="polite" data-said>
        {useRound(view, words)}
      </p>
      <p class="message">
        {messages(table, snapshot, words).map(({ text, half }) => (
          <span key={text} class={half}>
            {text}
          </span>
        ))}
      </p>
    </section>
  );
}

/** useRound is the round of betting that is on and its pot, to be heard once a round: what else happens the log tells, and the
 * seats say how each stands. */
function useRound({ hand, street = "", phase, total, bank }: View, words: Words): string {
  const said = useRef({ round: "", text: "" });
  const round = `${hand} ${street}`;
  if (phase === "betting" && said.current.round !== round) {
    const pot = bank ? "" : ` ${words.say("pot")} ${words.money(total)}.`;
    said.current = { round, text: `${words.named("street", street)}.${pot}` };
  }
  return said.current.text;
}

/** carousel names the powers of the hand. */
function carousel(powers: string, words: Words): string {
  return powers
    .split(" ")
    .map((p) => words.say(`power.${p as Power}`))
    .join(" · ");
}

const boardStreets = ["preflop", "flop", "turn", "river"];

/** Board is what lies in the middle, with places for what is to come where five cards are dealt there. */
function Board({ view, winning, words }: { view: View; winning?: Winning; words: Words }) {
  const empty = view.board.length >= 3 || boardStreets.includes(view.street ?? "") ? 5 - view.board.length : 0;
  return (
    <div class="board">
      <span class="sr">{`${words.say("board")}: ${words.cards(view.board) || words.say("board.empty")}`}</span>
      <div aria-hidden="true">
        {view.board.map((c) => (
          <PlayingCard key={c} card={c} win={winOf(c, winning)} words={words} />
        ))}
        {Array.from({ length: Math.max(0, empty) }, (_, i) => (
          <div key={i} class="slot" />
        ))}
      </div>
    </div>
  );
}

/** lastHand says who won the hand before, until the first round of this one is over: where hands follow each other
 * quickly there would be no time to see it otherwise. */
function lastHand({ won, last }: Table, { view, players }: Snapshot, words: Words): string {
  if (view.phase === "between" || view.board.length > 0 || Object.keys(won).length > 0) return "";
  const winners = Object.entries(last).map(([seat, amount]) => words.say("wins", { name: nameAt(Number(seat), players, words), amount: words.money(amount) }));
  return winners.length > 0 ? words.say("wins.last", { winners: winners.join(", ") }) : "";
}

/** Said is a line in the middle; half is the half of the pots that it is about, where they have two. */
interface Said {
  text: string;
  half?: "high" | "low";
}

/** wins says what a seat won, and with what: the half of the high hand and that of the low one, where there are both. */
function wins(seat: number, amount: number, low: number, halves: boolean, { view, players }: Snapshot, words: Words): Said[] {
  const [high = "", below = ""] = words.holds(view.seats.find((s) => s.seat === seat)?.holds ?? "").split("; ");
  const say = (won: number, holds: string, half: "high" | "low"): Said[] =>
    won > 0 ? [{ text: words.say(holds ? "wins.holds" : "wins", { name: nameAt(seat, players, words), amount: words.money(won), holds }), half: halves ? half : undefined }] : [];
  return [...say(amount - low, high, "high"), ...say(low, below, "low")];
}

/** messages say who won, or what the table waits for. */
function messages(table: Table, snapshot: Snapshot, words: Words): Said[] {
  const winners = Object.entries(table.won);
  const halves = Object.keys(table.low).length > 0;
  if (winners.length > 0) return winners.flatMap(([seat, amount]) => wins(Number(seat), amount, table.low[Number(seat)] ?? 0, halves, snapshot, words));
  const text = awaited(snapshot, words);
  return text ? [{ text }] : [];
}

/** awaited says what the table waits for. */
function awaited({ view, players }: Snapshot, words: Words): string {
  const a = view.awaits;
  if (a.kind === "nothing" && view.phase !== "between") return "";
  const name = nameAt(a.seat ?? 0, players, words);
  if (a.kind !== "action") return words.say(`await.${a.kind}`, { name, number: a.number ?? 0, of: a.of ?? 0 });
  const call = a.legal?.to_call ?? 0;
  const bringIn = a.legal?.bring_in ?? 0;
  if (bringIn > 0) return words.say("await.action.bring_in", { name, amount: words.money(bringIn) });
  if (call > 0) return words.say("await.action.call", { name, amount: words.money(call) });
  return words.say(a.legal?.check ? "await.action.check" : "await.action.bet", { name, amount: words.money(a.legal?.min_to ?? 0) });
}
