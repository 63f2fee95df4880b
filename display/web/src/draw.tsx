// The player's turn in a draw: which cards to exchange.

import { useState } from "preact/hooks";
import { Act, Alert, type Ask } from "./actions";
import { PlayingCard } from "./cards";
import type { Hole, Request, Turn } from "./client";
import { useKeys } from "./keys";
import type { Words } from "./words";

interface Props {
  turn: Turn;
  hole?: Hole;
  live: boolean;
  keys: boolean;
  words: Words;
  ask: Ask;
}

export function Draw({ turn, hole, live, keys, words, ask }: Props) {
  const cards = hole?.hand === turn.hand ? hole.cards : [];
  const most = turn.most ?? 0;
  const [chosen, choose] = useState<readonly number[]>([]);
  const [sent, setSent] = useState(false);
  const send = async (r: Request) => {
    if (sent) return;
    setSent(true);
    const answer = await ask({ epoch: turn.epoch, turn: turn.turn, ...r });
    if (!answer.ok) setSent(false);
  };
  const toggle = (place: number) =>
    choose((now) => {
      if (now.includes(place)) return now.filter((p) => p !== place);
      return now.length < most ? [...now, place].sort((a, b) => a - b) : now;
    });
  const exchange = () => void (chosen.length > 0 && send({ action: "discard", cards: [...chosen] }));
  const stand = () => void send({ action: "stand_pat" });
  useKeys({ d: exchange, c: stand, ...Object.fromEntries(cards.map((_, i) => [String(i + 1), () => toggle(i + 1)])) }, keys && !sent && live);
  return (
    <>
      <Alert text={words.say("turn.draw", { cards: words.cards(cards), most })} />
      <div class="picks" role="group" aria-label={words.say("draw.choose", { most })}>
        {cards.map((c, i) => (
          <button
            key={i}
            class="pick"
            data-pick={i + 1}
            aria-pressed={chosen.includes(i + 1)}
            aria-keyshortcuts={String(i + 1)}
            disabled={sent || (!chosen.includes(i + 1) && chosen.length >= most)}
            onClick={() => toggle(i + 1)}
          >
            <PlayingCard card={c} words={words} />
            <kbd aria-hidden="true">{i + 1}</kbd>
          </button>
        ))}
      </div>
      <div class="buttons" role="group" aria-label={words.say("actions")}>
        <Act name="stand_pat" keyName="C" disabled={sent || !live} act={stand}>
          {words.say("act.stand_pat")}
        </Act>
        <Act name="discard" keyName="D" disabled={sent || !live || chosen.length === 0} act={exchange}>
          {words.say("act.discard", { count: chosen.length || "" })}
        </Act>
      </div>
    </>
  );
}
