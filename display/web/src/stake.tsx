// What a player puts down before a hand against the house: an ante and a bonus bet, in chips. Keys as BP-08: Enter bets, Del
// or . clears, 0 repeats the last stake; a right click on a field takes its bet back.

import { useState } from "preact/hooks";
import { Act, type Ask } from "./actions";
import type { SeatView, View } from "./client";
import { useKeys } from "./keys";
import type { Words } from "./words";

/** A stake, in chips of money. */
export interface Stake {
  ante: number;
  bonus: number;
}

/** The values of the chips (BP-02). */
const values = [1, 5, 25, 100, 500];

interface Props {
  view: View;
  /** The box it is for. */
  box: SeatView;
  /** What was put down last, to be repeated. */
  last?: Stake;
  put: (s: Stake) => void;
  live: boolean;
  keys: boolean;
  words: Words;
  ask: Ask;
}

const nothing: Stake = { ante: 0, bonus: 0 };

export function StakeBar({ view, box, last, put, live, keys, words, ask }: Props) {
  const { stakes } = view;
  const [value, choose] = useState(5);
  const [stake, set] = useState<Stake>(nothing);
  const [sent, setSent] = useState(false);
  const down = box.box;
  const send = async (s: Stake) => {
    if (sent) return;
    setSent(true);
    const answer = await ask({ action: "stake", amount: s.ante || undefined, bonus: s.bonus || undefined, seat: box.seat });
    setSent(false);
    if (!answer.ok) return;
    set(nothing);
    if (s.ante > 0) put(s);
  };
  const most = { ante: stakes.max_ante ?? Infinity, bonus: stakes.max_bonus ?? 0 };
  const add = (field: keyof Stake) => set((s) => ({ ...s, [field]: Math.min(most[field], s[field] + value) }));
  const bet = () => void (stake.ante > 0 && send(stake));
  const clear = () => {
    set(nothing);
    if (down && stake.ante === 0 && stake.bonus === 0) void send(nothing);
  };
  const again = () => last && set(last);
  useKeys({ Enter: bet, Delete: clear, ".": clear, "0": again, ...Object.fromEntries(values.map((v, i) => [String(i + 1), () => choose(v)])) }, keys && !sent && live);
  return (
    <>
      <div class="stake-bar" data-down={down !== undefined}>
        <div class="chip-values" role="radiogroup" aria-label={words.say("stake.chip")}>
          {values.map((v, i) => (
            <button key={v} role="radio" class={`chip${i}`} aria-checked={v === value} aria-keyshortcuts={String(i + 1)} onClick={() => choose(v)}>
              {v}
            </button>
          ))}
        </div>
        {(["ante", "bonus"] as const).map(
          (field) =>
            most[field] > 0 && (
              <button
                key={field}
                class="field"
                data-field={field}
                onClick={() => add(field)}
                onContextMenu={(e) => {
                  e.preventDefault();
                  set((s) => ({ ...s, [field]: 0 }));
                }}
              >
                <span>{words.say(`stake.${field}`)}</span>
                <b>{words.money(stake[field] || down?.[field] || 0)}</b>
              </button>
            ),
        )}
      </div>
      <div class="buttons" role="group" aria-label={words.say("actions")}>
        <Act name="clear" keyName="Del" disabled={sent || !live || (!down && stake.ante + stake.bonus === 0)} act={clear}>
          {words.say(down && stake.ante + stake.bonus === 0 ? "stake.back" : "stake.clear")}
        </Act>
        <Act name="again" keyName="0" disabled={sent || !last} act={again}>
          {words.say("stake.again")}
        </Act>
        <Act name="stake" keyName="↵" disabled={sent || !live || stake.ante === 0} act={bet}>
          {words.say("stake.bet", { amount: words.money(stake.ante + stake.bonus) })}
        </Act>
      </div>
    </>
  );
}
