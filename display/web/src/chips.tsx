// Sitting down, adding chips, getting up, and the waiting list.

import { useState } from "preact/hooks";
import type { Ask } from "./actions";
import { room, usual } from "./bet";
import type { Snapshot } from "./client";
import { Dialog } from "./dialog";
import type { Words } from "./words";

interface Props {
  snapshot: Snapshot;
  /** The player's seat, or the one asked for; 0 for none yet. */
  seat: number;
  /** The seats that are kept for the player, who waited for one. */
  offered: readonly number[];
  words: Words;
  ask: Ask;
  close: () => void;
}

export function ChipsDialog({ snapshot, seat, offered, words, ask, close }: Props) {
  const { view, seating } = snapshot;
  const taken = view.seats.find((s) => s.seat === seat);
  const { free, moves, list } = room(snapshot, seat, offered);
  const [at, setAt] = useState((taken ? 0 : seat) || (free[0] ?? 0));
  const [text, setText] = useState(() => words.plain(usual(snapshot, taken?.stack)));
  const amount = words.read(text);
  const done = async (r: Parameters<Ask>[0]) => {
    if ((await ask(r)).ok) close();
  };
  const title = words.say(taken ? "seat.chips" : "seat.sit");
  const later = taken?.dealt && view.phase !== "between";
  const which = (
    <label>
      <span>{words.say("seat.which")}</span>
      <select value={at} onChange={(e) => setAt(Number(e.currentTarget.value))}>
        {free.map((s) => (
          <option key={s} value={s}>
            {words.say("seat", { seat: s })}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Dialog title={title} name="chips-dialog" words={words} close={close}>
      {list ? (
        <>
          <p>{words.say("list.full", { waiting: seating?.waiting ?? 0 })}</p>
          <button class="go" onClick={() => void done({ action: "join_list" })}>
            {words.say("list.join")}
          </button>
          <button class="small" onClick={() => void done({ action: "leave_list" })}>
            {words.say("list.leave")}
          </button>
        </>
      ) : (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            void done(taken ? { action: "top_up", amount } : { action: "sit", seat: at, amount });
          }}
        >
          {!taken && !seat && which}
          <label>
            <span>{words.say(taken ? "seat.more" : "seat.amount")}</span>
            <input name="amount" autofocus inputMode="decimal" required value={text} onFocus={(e) => e.currentTarget.select()} onInput={(e) => setText(e.currentTarget.value)} />
          </label>
          {!taken && (seating?.min_buy_in || seating?.max_buy_in) && (
            <p class="hint">
              {words.say("seat.amount.range", {
                min: words.money(seating.min_buy_in ?? 0),
                max: seating.max_buy_in ? words.money(seating.max_buy_in) : "∞",
              })}
            </p>
          )}
          {later && <p class="hint">{words.say("seat.more.later")}</p>}
          <button class="go" type="submit" disabled={!(amount > 0)}>
            {words.say(taken ? "seat.add" : "seat.sit")}
          </button>
          {moves && (
            <>
              {which}
              <button class="small" type="button" data-move onClick={() => void done({ action: "move", seat: at })}>
                {words.say("seat.move")}
              </button>
            </>
          )}
          {taken && (
            <button class="small" type="button" onClick={() => void done({ action: "leave" })}>
              {words.say("seat.leave")}
            </button>
          )}
        </form>
      )}
    </Dialog>
  );
}
