// The powers of Naiko mode at the player's side: those of the hand, used before an act, and the answer to an anchor.

import { useState } from "preact/hooks";
import { Act, Alert, type Ask } from "./actions";
import { PlayingCard } from "./cards";
import { members, type Hole, type Legal, type Request, type Snapshot, type Turn } from "./client";
import { useKeys } from "./keys";
import { nameAt } from "./story";
import type { Words } from "./words";

/** A power that is used in a turn, before the act. */
export type Power = "peek" | "swap" | "anchor";

const letters: Record<Power, string> = { peek: "P", swap: "W", anchor: "N" };

interface Props {
  turn: Turn;
  legal: Legal;
  snapshot: Snapshot;
  hole?: Hole;
  /** The one that waits for its card or its seat. */
  chosen?: Power;
  choose: (p?: Power) => void;
  use: (p: Power, what?: Partial<Request>) => void;
  on: boolean;
  keys: boolean;
  words: Words;
}

export function PowerBar({ turn, legal, snapshot, hole, chosen, choose, use, on, keys, words }: Props) {
  const { view, powers: costs } = snapshot;
  const listed = (list = "") => (Object.keys(letters) as Power[]).filter((p) => list.split(" ").includes(p));
  const usable = listed(legal.powers);
  const sparks = view.seats.find((s) => s.seat === turn.seat)?.sparks ?? 0;
  const take = (p: Power) => {
    if (!on || !usable.includes(p)) return;
    if (p === "peek") use(p);
    else choose(chosen === p ? undefined : p);
  };
  const cards = hole?.hand === turn.hand ? hole.cards : [];
  const targets = members(legal.targets ?? 0);
  const picks: [string, () => void][] =
    chosen === "swap"
      ? cards.map((_, i) => [String(i + 1), () => use("swap", { cards: [i + 1] })])
      : chosen === "anchor"
        ? targets.map((seat) => [String(seat % 10), () => use("anchor", { target: seat })])
        : [];
  useKeys(
    {
      ...Object.fromEntries(usable.map((p) => [letters[p].toLowerCase(), () => take(p)])),
      ...(chosen && { Escape: () => choose(undefined) }),
      ...Object.fromEntries(picks),
    },
    keys && on,
  );
  return (
    <div class="powers" role="group" aria-label={words.say("powers.yours", { sparks })}>
      <span class="sparks" aria-hidden="true">
        ✦ {sparks}
      </span>
      {listed(view.carousel).map((p) => (
        <button
          key={p}
          data-power={p}
          title={words.say(`power.${p}.hint`)}
          aria-pressed={p === "peek" ? undefined : p === chosen}
          aria-keyshortcuts={letters[p]}
          disabled={!on || !usable.includes(p)}
          onClick={() => take(p)}
        >
          {words.say(`power.${p}`)} {costs?.[p] !== undefined && <small>✦{costs[p]}</small>}
          <kbd aria-hidden="true">{letters[p]}</kbd>
        </button>
      ))}
      {chosen === "swap" && (
        <div class="picks" role="group" aria-label={words.say("power.swap.which")}>
          {cards.map((c, i) => (
            <button key={i} class="pick" data-pick={i + 1} aria-keyshortcuts={String(i + 1)} disabled={!on} onClick={picks[i]![1]}>
              <PlayingCard card={c} words={words} />
              <kbd aria-hidden="true">{i + 1}</kbd>
            </button>
          ))}
        </div>
      )}
      {chosen === "anchor" && (
        <div class="targets" role="group" aria-label={words.say("power.anchor.whom")}>
          {targets.map((seat, i) => (
            <button key={seat} data-target={seat} aria-keyshortcuts={String(seat % 10)} disabled={!on} onClick={picks[i]![1]}>
              {nameAt(seat, snapshot.players, words)} <kbd aria-hidden="true">{seat % 10}</kbd>
            </button>
          ))}
        </div>
      )}
      {chosen && (
        <p class="hint" role="status">
          {words.say(chosen === "swap" ? "power.swap.which" : "power.anchor.whom")}
        </p>
      )}
    </div>
  );
}

interface AnsweringProps {
  turn: Turn;
  snapshot: Snapshot;
  live: boolean;
  keys: boolean;
  words: Words;
  ask: Ask;
}

/** Answering is the short time in which an anchor can be answered; when it is over, the anchor holds. */
export function Answering({ turn, snapshot, live, keys, words, ask }: AnsweringProps) {
  const [sent, setSent] = useState(false);
  const send = async (action: "shield" | "accept_anchor") => {
    if (sent || !live) return;
    setSent(true);
    const answer = await ask({ action, epoch: turn.epoch, turn: turn.turn });
    if (!answer.ok) setSent(false);
  };
  useKeys({ s: () => void send("shield"), c: () => void send("accept_anchor") }, keys && !sent && live);
  const text = words.say("turn.shield", { name: nameAt(turn.by ?? 0, snapshot.players, words) });
  const cost = snapshot.powers?.shield;
  return (
    <>
      <Alert text={text} />
      <p class="question" aria-hidden="true">
        {text}
      </p>
      <div class="buttons" role="group" aria-label={words.say("actions")}>
        <Act name="accept" keyName="C" disabled={sent || !live} act={() => void send("accept_anchor")}>
          {words.say("act.accept_anchor")}
        </Act>
        <Act name="shield" keyName="S" disabled={sent || !live} act={() => void send("shield")}>
          {words.say("power.shield") + (cost === undefined ? "" : ` ✦${cost}`)}
        </Act>
      </div>
    </>
  );
}
