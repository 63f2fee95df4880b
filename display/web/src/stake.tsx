// What a player puts down before a hand against the house, on an own box or behind anybody's: an ante and a bonus bet, in
// chips. Keys as BP-08: Enter bets, Del or . clears, 0 repeats the last stake; a right click on a field takes its bet back. A
// and B place a chip without a mouse.

import { useState } from "preact/hooks";
import { Act, type Ask } from "./actions";
import type { Behind as Backed, Snapshot, Stake, View } from "./client";
import { useKeys } from "./keys";
import { nameAt } from "./story";
import type { Words } from "./words";

/** What lies on the fields of a box, in chips. */
export type Laid = Required<Stake>;

/** The values of the chips (BP-02). */
const values = [1, 5, 25, 100, 500];

interface Props {
  /** What was put down last, to be repeated. */
  last?: Laid;
  put: (s: Laid) => void;
  live: boolean;
  keys: boolean;
  words: Words;
  ask: Ask;
}

/** Stakes is the choice of a box, the own ones first, and what is put down there. */
export function Stakes({ snapshot, own, behind, ...rest }: Props & { snapshot: Snapshot; own: readonly number[]; behind?: Backed }) {
  const { view, players } = snapshot;
  const [chosen, choose] = useState(0);
  const mine = view.seats.filter((s) => own.includes(s.seat) && !s.out);
  const boxes = [...mine, ...view.seats.filter((s) => !own.includes(s.seat))];
  // Several boxes are played one after the other: the first that has no stake yet.
  const box = boxes.find((s) => s.seat === chosen) ?? mine.find((s) => !s.box) ?? boxes[0];
  const { keys, live, words } = rest;
  const step = (by: number) => box && choose(boxes[(boxes.indexOf(box) + by + boxes.length) % boxes.length]!.seat);
  useKeys({ ArrowLeft: () => step(-1), ArrowRight: () => step(1) }, keys && live);
  if (!box) return null;
  const isOwn = mine.includes(box);
  return (
    <>
      {boxes.length > 1 && (
        <div class="boxes" role="radiogroup" aria-label={words.say("stake.box")}>
          {boxes.map((s) => (
            <button key={s.seat} role="radio" aria-checked={s === box} data-box={s.seat} onClick={() => choose(s.seat)}>
              {words.say(mine.includes(s) ? "stake.own" : "stake.behind", { seat: s.seat, name: nameAt(s.seat, players, words) })}
            </button>
          ))}
        </div>
      )}
      <StakeBar key={box.seat} view={view} seat={box.seat} verb={isOwn ? "stake" : "back"} down={isOwn ? box.box : behind?.open.find((s) => s.seat === box.seat)} {...rest} />
    </>
  );
}

/** Behind says how the stakes behind boxes stand. */
export function Behind({ behind, snapshot, words }: { behind: Backed; snapshot: Snapshot; words: Words }) {
  const at = (seat: number) => ({ name: nameAt(seat, snapshot.players, words) });
  const amounts = (s: Stake) => ({ ante: words.money(s.ante), bonus: words.money(s.bonus ?? 0) });
  const back = (s: { back: Partial<Stake> }) => Object.values(s.back).reduce((sum, n) => sum + n, 0);
  const lines = [
    ...(behind.settled ?? []).map((s) => words.say("behind.settled", { ...at(s.seat), amount: words.money(back(s)) })),
    ...behind.in_play.map((s) => words.say("behind.in_play", { ...at(s.seat), ...amounts(s) })),
    ...behind.open.map((s) => words.say("behind.open", { ...at(s.seat), ...amounts(s) })),
  ];
  return (
    <p class="backed" role="status" aria-label={words.say("behind")}>
      {lines.map((l) => (
        <span key={l}>{l}</span>
      ))}
    </p>
  );
}

const letters: Record<keyof Laid, string> = { ante: "A", bonus: "B" };

const nothing: Laid = { ante: 0, bonus: 0 };

interface BarProps extends Props {
  view: View;
  seat: number;
  verb: "stake" | "back";
  /** What lies there for the next hand. */
  down?: Stake;
}

function StakeBar({ view, seat, verb, down, last, put, live, keys, words, ask }: BarProps) {
  const { stakes } = view;
  const [value, choose] = useState(5);
  const [stake, set] = useState<Laid>(nothing);
  const [sent, setSent] = useState(false);
  const send = async (s: Laid) => {
    if (sent) return;
    setSent(true);
    const answer = await ask({ action: verb, amount: s.ante || undefined, bonus: s.bonus || undefined, seat });
    setSent(false);
    if (!answer.ok) return;
    set(nothing);
    if (s.ante > 0) put(s);
  };
  const most = { ante: stakes.max_ante ?? Infinity, bonus: stakes.max_bonus ?? 0 };
  const add = (field: keyof Laid) => set((s) => ({ ...s, [field]: Math.min(most[field], s[field] + value) }));
  const bet = () => void (stake.ante > 0 && send(stake));
  const clear = () => {
    set(nothing);
    if (down && stake.ante === 0 && stake.bonus === 0) void send(nothing);
  };
  const again = () => last && set(last);
  useKeys({ a: () => add("ante"), b: () => add("bonus"), Enter: bet, Delete: clear, ".": clear, "0": again, ...Object.fromEntries(values.map((v, i) => [String(i + 1), () => choose(v)])) }, keys && !sent && live);
  return (
    <>
      <div class="stake-bar" data-down={down !== undefined} data-at={seat}>
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
                aria-keyshortcuts={letters[field]}
                onClick={() => add(field)}
                onContextMenu={(e) => {
                  e.preventDefault();
                  set((s) => ({ ...s, [field]: 0 }));
                }}
              >
                <span>
                  {words.say(`stake.${field}`)} <kbd aria-hidden="true">{letters[field]}</kbd>
                </span>
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
