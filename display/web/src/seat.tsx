// One seat: its player, stack, cards, last act, bet and clock.

import { useState } from "preact/hooks";
import { Chips, PlayingCard } from "./cards";
import { secondsLeft, useTicks } from "./clock";
import { offsets, type Spot } from "./geometry";
import type { Said, Table } from "./client";
import type { Box, Card, Clock, Hole, Player, SeatView, Snapshot, View } from "./client";
import { winningOf, winningOn, winOf, type Winning } from "./winning";
import type { Words } from "./words";

interface Props {
  number: number;
  spot: Spot;
  tall: boolean;
  table: Table;
  snapshot: Snapshot;
  words: Words;
  /** It is the seat of the player who looks. */
  own: boolean;
  /** Takes the seat, where the player may. */
  sit?: () => void;
  /** Chooses the seat, at a console. */
  pick?: Pick;
}

interface Pick {
  on: boolean;
  choose: () => void;
}

export function Seat({ number, spot, tall, table, snapshot, words, own, sit, pick }: Props) {
  const { view, players, clock } = snapshot;
  const place = { left: `${spot.x}px`, top: `${spot.y}px` };
  const seat = view.seats.find((s) => s.seat === number);
  if (!seat) {
    return (
      <li class="seat free" style={place} data-seat={number}>
        <span class="sr">{words.say("seat.free", { seat: number })}</span>
        {sit ? (
          <button class="pod" onClick={sit}>
            {words.say("seat.sit")}
          </button>
        ) : (
          <div class="pod" aria-hidden="true">
            {number}
          </div>
        )}
        {pick && <PickButton seat={number} pick={pick} words={words} />}
      </li>
    );
  }
  const player = players.find((p) => p.seat === number);
  const won = table.won[number] ?? 0;
  const state = stateOf(seat, view);
  const cards = faces(seat, view, own ? table.holes[number] : undefined);
  const acts = ["action", "reveal", "discard", "shield"].includes(view.awaits.kind) && view.awaits.seat === number;
  const classes = ["seat", state, own && "own", acts && "turn", won > 0 && "won", player?.connected === false && "offline"];
  const { bet, button } = offsets(spot, tall, own, players.length);
  const lies = seat.box ? down(seat.box) : seat.bet;
  const behind = snapshot.behind?.find((b) => b.seat === number);
  const ticking = clock?.seat === number ? clock : undefined;
  return (
    <li class={classes.filter(Boolean).join(" ")} style={place} data-seat={number}>
      <span class="sr">{summary(number, seat, player, table, snapshot, words)}</span>
      <div aria-hidden="true">
        {cards && (seat.live || own) && !seat.mucked && <Cards cards={cards} open={own ? seat.cards : undefined} winning={winningOn(view, table) && winningOf(seat, table)} words={words} />}
        <div class="pod">
          <Face player={player} clock={ticking} ahead={table.ahead ?? 0} number={number} />
          <div class="who">
            <span class="who-is">
              <b class="name">{player?.name ?? words.say("seat", { seat: number })}</b>
              <Mark player={player} words={words} />
            </span>
            <span class="stack">
              {seat.all_in ? words.say("seat.all_in") : words.money(seat.stack)}
              {view.carousel && <span class="sparks">✦{seat.sparks ?? 0}</span>}
            </span>
          </div>
        </div>
        <div class="under">
          <Tag seat={seat} state={state} said={table.said[number]} won={won} words={words} />
          {seat.live && !seat.mucked && seat.holds && !(tall && seat.box && view.phase === "between") && <Holds text={words.holds(seat.holds)} />}
        </div>
        {view.button === number && <div class="button" style={at(button)}>D</div>}
        {(lies > 0 || behind) && (
          <div class="wager" style={at(bet)}>
            {lies > 0 && <Chips amount={lies} bigBlind={view.stakes.big_blind || (view.stakes.min_ante ?? 1)} />}
            {lies > 0 && <span class="amount">{words.money(lies)}</span>}
            {seat.box?.bonus && <span class="amount bonus">★ {words.money(seat.box.bonus)}</span>}
            {behind && <span class="amount behind">{`+${behind.players}: ${words.money(behind.ante + (behind.bonus ?? 0))}`}</span>}
          </div>
        )}
        {seat.anchored && <div class="anchor">⚓</div>}
      </div>
      {pick && <PickButton seat={number} pick={pick} words={words} />}
    </li>
  );
}

/** PickButton lies over a seat's name plate. */
function PickButton({ seat, pick, words }: { seat: number; pick: Pick; words: Words }) {
  return <button class="pick-seat" aria-pressed={pick.on} aria-label={words.say("console.pick", { seat })} onClick={pick.choose} />;
}

/** faces are the cards of a seat, the player's own with their faces: those told last, which may be ahead of the picture. */
function faces(s: SeatView, v: View, hole?: Hole): Card[] | undefined {
  const told = hole?.hand === v.hand && hole.seat === s.seat && s.dealt && !s.shown;
  return told ? hole.cards : s.cards;
}

/** down is what lies before a box against the house, the bonus bet apart. */
function down({ ante, flop = 0, turn = 0, river = 0 }: Box): number {
  return ante + flop + turn + river;
}

function at([x, y]: [number, number]) {
  return { left: `calc(var(--u) * ${x})`, top: `calc(var(--u) * ${y})` };
}

type State = "live" | "folded" | "out" | "ready" | "waiting";

function stateOf(s: SeatView, v: View): State {
  if (s.live) return "live";
  if (s.out) return "out";
  if (s.dealt) return "folded";
  return v.phase === "between" ? "ready" : "waiting";
}

/** Cards are those of a seat. Of a player's own, those that lie open for everybody stand out. */
function Cards({ cards, open, winning, words }: { cards: Card[]; open?: Card[]; winning?: Winning; words: Words }) {
  const mixed = open?.includes("??");
  return (
    <div class={cards.length > 5 ? "hole many" : "hole"} style={{ "--n": cards.length }}>
      {cards.map((c, i) => (
        <div key={i} class={mixed && open?.[i] !== "??" ? "place open" : "place"}>
          <PlayingCard card={c} win={winOf(c, winning)} words={words} />
        </div>
      ))}
    </div>
  );
}

/** Holds is what a hand makes, its low hand on a line of its own. */
function Holds({ text }: { text: string }) {
  return (
    <div class="holds">
      {text.split("; ").map((half) => (
        <span key={half}>{half}</span>
      ))}
    </div>
  );
}

/** A sign for who plays from elsewhere, and for who is a bot. */
function Mark({ player, words }: { player?: Player; words: Words }) {
  if (player?.bot) return <span class="mark">{words.say("seat.bot")}</span>;
  if (player?.kind !== "remote") return null;
  return (
    <svg class="mark" viewBox="0 0 24 24">
      <path d="M12 18.5h.01M8.5 14.5a5 5 0 0 1 7 0M5 10.8a10 10 0 0 1 14 0M1.8 7.2a14.5 14.5 0 0 1 20.4 0" />
    </svg>
  );
}

/** The line under the name plate: what was won, else the seat's last act, else why it does not play. */
function Tag(p: { seat: SeatView; state: State; said?: Said; won: number; words: Words }) {
  const { said, words } = p;
  if (p.won > 0) return <div class="tag win">+{words.money(p.won)}</div>;
  if (p.seat.mucked) return <div class="tag fold">{words.say("seat.mucked")}</div>;
  if (p.state === "out") return <div class="tag fold">{words.say("seat.out")}</div>;
  if (p.seat.waits && p.state !== "live") return <div class="tag fold">{words.say("seat.waits")}</div>;
  if (p.state === "folded") return <div class="tag fold">{words.say("seat.folded")}</div>;
  if (!said) return null;
  const text = words.say(`said.${said.what}`, { amount: words.money(said.amount), count: said.amount });
  return <div class={`tag ${said.allIn ? "all-in" : said.what}`}>{text}</div>;
}

interface FaceProps {
  player?: Player;
  clock?: Clock;
  ahead: number;
  number: number;
}

/** The player's initials; in turn, the seconds left and a ring that runs down. */
function Face({ player, clock, ahead, number }: FaceProps) {
  useTicks(clock !== undefined && !clock.paused);
  if (!clock) {
    return <div class={`face hue${number % 10}`}>{initials(player?.name ?? String(number))}</div>;
  }
  const { left, seconds } = secondsLeft(clock, ahead);
  return (
    <div class={clock.paused ? "face clock paused" : "face clock"} data-seconds={seconds}>
      <Ring key={`${clock.deadline} ${clock.left_ms}`} total={clock.total_ms} left={left} />
      {clock.paused ? "❚❚" : seconds < 100 ? seconds : `${Math.round(seconds / 60)}′`}
    </div>
  );
}

/** A ring that runs down by itself from what was left when it was first drawn. */
function Ring({ total, left }: { total: number; left: number }) {
  const [spent] = useState(total - left);
  return (
    <svg viewBox="0 0 44 44">
      <circle class="track" cx="22" cy="22" r="19" />
      <circle
        class="sweep"
        cx="22"
        cy="22"
        r="19"
        pathLength="100"
        style={{ animationDuration: `${total}ms`, animationDelay: `${-spent}ms` }}
      />
    </svg>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? words.slice(0, 2).map((w) => w[0]) : [name.slice(0, 2)];
  return letters.join("").toUpperCase();
}

/** All of a seat in one sentence, for those who hear it. */
function summary(n: number, s: SeatView, p: Player | undefined, t: Table, snapshot: Snapshot, w: Words): string {
  const { view } = snapshot;
  const state = stateOf(s, view);
  const won = t.won[n] ?? 0;
  const parts = [w.say("seat", { seat: n }), p?.name];
  if (p?.kind) parts.push(w.say(`kind.${p.kind}`));
  if (p?.bot) parts.push(w.say("seat.bot"));
  if (p?.connected === false) parts.push(w.say("seat.offline"));
  if (view.button === n) parts.push(w.say("seat.button"));
  parts.push(w.say("seat.stack", { amount: w.money(s.stack) }));
  if (state === "out") parts.push(w.say("seat.out"));
  if (s.waits && state !== "live") parts.push(w.say("seat.waits"));
  if (state === "folded") parts.push(w.say("seat.folded"));
  if (s.all_in) parts.push(w.say("seat.all_in"));
  if (s.box) {
    const amounts = { ante: w.money(s.box.ante), bets: w.money(down(s.box) - s.box.ante), bonus: w.money(s.box.bonus ?? 0) };
    parts.push(w.say("seat.box", amounts));
  } else if (s.bet > 0) parts.push(w.say("seat.bet", { amount: w.money(s.bet) }));
  const behind = snapshot.behind?.find((b) => b.seat === n);
  if (behind) parts.push(w.say("seat.behind", { players: behind.players, amount: w.money(behind.ante + (behind.bonus ?? 0)) }));
  if (view.carousel) parts.push(w.say("seat.sparks", { sparks: s.sparks ?? 0 }));
  if (s.anchored) parts.push(w.say("seat.anchored"));
  if (s.mucked) parts.push(w.say("seat.mucked"));
  else if (s.live && s.cards) parts.push(w.cards(s.cards), s.holds && w.holds(s.holds));
  if (["action", "reveal", "discard", "shield"].includes(view.awaits.kind) && view.awaits.seat === n) parts.push(w.say("seat.turn"));
  if (snapshot.clock?.paused && snapshot.clock.seat === n) parts.push(w.say("clock.paused"));
  if (won > 0) parts.push(w.say("seat.won", { amount: w.money(won) }));
  const { high, low } = winningOf(s, t);
  const halves = view.seats.some((other) => other.best_low);
  if (high.length > 0) parts.push(w.say(halves ? "seat.best.high" : "seat.best", { cards: w.cards(high) }));
  if (low.length > 0) parts.push(w.say("seat.best.low", { cards: w.cards(low) }));
  return parts.filter(Boolean).join(", ");
}
