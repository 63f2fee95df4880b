// The hands that were played: a list, each hand step by step on the felt, and its story as text.

import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { frames, nothing, over, type Hand, type Player } from "./client";
import { Dialog } from "./dialog";
import { Felt } from "./felt";
import { Log } from "./log";
import { line, nameAt } from "./story";
import type { Words } from "./words";

interface Props {
  hands: readonly Hand[];
  /** Who sits where now: where it is not known who sat there before a hand. */
  players: readonly Player[];
  player: string;
  words: Words;
  close: () => void;
}

export function HandsDialog({ hands, players, player, words, close }: Props) {
  const ended = hands.filter(over);
  const [chosen, choose] = useState<Hand | undefined>(ended.at(-1));
  return (
    <Dialog title={words.say("hands")} name="hands" words={words} close={close}>
      {ended.length === 0 && <p>{words.say("hands.none")}</p>}
      <div class="played">
        <ol reversed>
          {[...ended].reverse().map((h) => (
            <li key={`${h.epoch} ${h.hand}`}>
              <button aria-pressed={h.hand === chosen?.hand && h.epoch === chosen.epoch} data-hand={h.hand} onClick={() => choose(h)}>
                <b>{words.say("hand", { hand: h.hand })}</b>
                <time dateTime={new Date(h.time).toISOString()}>{words.time(h.time)}</time>
                <span>{won(h, h.before?.players ?? players, words)}</span>
              </button>
            </li>
          ))}
        </ol>
        {chosen && <Replay key={`${chosen.epoch} ${chosen.hand}`} hand={chosen} players={chosen.before?.players ?? players} player={player} words={words} />}
      </div>
    </Dialog>
  );
}

/** won says who won a hand, in short. */
function won(h: Hand, players: readonly Player[], words: Words): string {
  const sums = new Map<number, number>();
  for (const { event: e } of h.events) {
    if (e.event === "pot_awarded" || (e.event === "box_settled" && e.amount)) sums.set(e.seat ?? 0, (sums.get(e.seat ?? 0) ?? 0) + (e.amount ?? 0));
  }
  return [...sums].map(([seat, amount]) => `${nameAt(seat, players, words)} +${words.money(amount)}`).join(", ");
}

/** Replay steps through a hand. */
function Replay({ hand, players, player, words }: { hand: Hand; players: readonly Player[]; player: string; words: Words }) {
  const all = useMemo(() => frames(hand), [hand]);
  const [at, go] = useState(0);
  const [copied, setCopied] = useState(false);
  const last = all.length - 1;
  const table = all[Math.min(at, last)] ?? nothing;
  const own = hand.holes[0]?.seat ?? players.find((p) => player && p.player === player)?.seat ?? 0;
  const text = () => (all.at(-1) ?? nothing).log.map((e) => told(e)).filter(Boolean).join("\n");
  const told = (e: Parameters<typeof line>[0]) => {
    const l = line(e, words, players);
    return l && words.say(l.key, { ...l.values, cards: l.cards.join(" ") });
  };
  const keys = {
    ArrowLeft: () => go((n) => Math.max(0, n - 1)),
    ArrowRight: () => go((n) => Math.min(last, n + 1)),
    Home: () => go(0),
    End: () => go(last),
  };
  useLayoutEffect(() => {
    const press = (e: KeyboardEvent) => {
      const act = keys[e.key as keyof typeof keys];
      if (!act || e.target instanceof HTMLInputElement) return;
      e.preventDefault();
      act();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
  return (
    <div class="replay">
      {hand.torn && <p class="hint">{words.say("log.gap")}</p>}
      {hand.before && <Felt table={table} snapshot={table.snapshot} words={words} own={own ? [own] : []} />}
      <div class="steps">
        <Step name="first" icon="M6 5v14M18 5 8 12l10 7z" disabled={at === 0} words={words} go={keys.Home} />
        <Step name="back" icon="M16 5 6 12l10 7z" disabled={at === 0} words={words} go={keys.ArrowLeft} />
        <input
          type="range"
          min={0}
          max={last}
          value={at}
          aria-label={words.say("replay.step")}
          aria-valuetext={`${at + 1} / ${last + 1}`}
          onInput={(e) => go(Number(e.currentTarget.value))}
        />
        <span data-step={at}>
          {at + 1} / {last + 1}
        </span>
        <Step name="next" icon="M8 5l10 7-10 7z" disabled={at >= last} words={words} go={keys.ArrowRight} />
        <Step name="last" icon="M6 5l10 7-10 7zM18 5v14" disabled={at >= last} words={words} go={keys.End} />
        {navigator.clipboard && (
          <button class="small" onClick={() => void navigator.clipboard.writeText(text()).then(() => setCopied(true))}>
            {words.say(copied ? "replay.copied" : "replay.copy")}
          </button>
        )}
      </div>
      <Log entries={table.log} players={players} words={words} />
    </div>
  );
}

/** Step is a button that goes to another step; the next one has the focus first. */
function Step(p: { name: "first" | "back" | "next" | "last"; icon: string; disabled: boolean; words: Words; go: () => void }) {
  return (
    <button data-go={p.name} aria-label={p.words.say(`replay.${p.name}`)} autofocus={p.name === "next"} disabled={p.disabled} onClick={p.go}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={p.icon} />
      </svg>
    </button>
  );
}
