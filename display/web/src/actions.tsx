// The player's side of the page: what can be done now, ahead of the turn, and about the seat.

import { useEffect, useRef, useState } from "preact/hooks";
import { acts, idle, plans, presets, stepped, toCall, within } from "./bet";
import { CardWord } from "./cards";
import { Countdown } from "./clock";
import type { Answer, Hole, Legal, Plan, PlanVerb, Request, Snapshot, Table, Turn, View } from "./client";
import { Switch } from "./dialog";
import { Draw } from "./draw";
import { useKeys } from "./keys";
import { Answering, PowerBar, type Power } from "./powers";
import { Behind, Stakes, type Laid } from "./stake";
import type { Settings } from "./settings";
import type { Words } from "./words";

export type Ask = (r: Request) => Promise<Answer>;

interface Props {
  table: Table;
  snapshot: Snapshot;
  /** The player's seats. */
  own: readonly number[];
  settings: Settings;
  words: Words;
  ask: Ask;
}

export function Actions(p: Props) {
  const { table, snapshot, settings, words } = p;
  const { view } = snapshot;
  const [last, setLast] = useState<Laid>();
  const { turn } = table;
  const mine = turn && p.own.includes(turn.seat) ? turn : undefined;
  const taken = view.seats.filter((s) => p.own.includes(s.seat));
  // Several boxes are played one after the other: the one in turn, or else the first that has no stake yet.
  const own = mine?.seat ?? (taken.find((s) => !s.box) ?? taken[0])?.seat ?? 0;
  const seat = taken.find((s) => s.seat === own);
  const stakes = view.bank !== undefined && view.phase === "between" && view.seats.length > 0;
  const chooses = !view.bank && seat?.live && !seat.all_in && view.phase !== "showing" && view.phase !== "between";
  const live = table.link === "online" && table.status === "online";
  const why = seat ? idle(seat, view) : "actions.no_seat";
  return (
    <section class={["actions", mine && "turn", !view.bank && view.limit !== "fixed" && "sizes"].filter(Boolean).join(" ")} aria-label={words.say("actions")} onMouseDown={stay}>
      {mine && <Countdown clock={snapshot.clock?.seat === own ? snapshot.clock : mine.clock} ahead={table.ahead ?? 0} words={words} />}
      <Holding table={table} view={view} own={own} words={words} />
      {mine?.kind === "action" && mine.legal && (
        <Decision
          key={`${mine.epoch} ${mine.turn}`}
          turn={mine}
          legal={mine.legal}
          snapshot={snapshot}
          hole={table.holes[own]}
          live={live}
          keys={settings.keys}
          words={words}
          ask={p.ask}
        />
      )}
      {mine?.kind === "reveal" && (
        <Reveal key={`${mine.epoch} ${mine.turn}`} turn={mine} live={live} keys={settings.keys} words={words} ask={p.ask} />
      )}
      {mine?.kind === "shield" && (
        <Answering key={`${mine.epoch} ${mine.turn}`} turn={mine} snapshot={snapshot} live={live} keys={settings.keys} words={words} ask={p.ask} />
      )}
      {mine?.kind === "discard" && (
        <Draw key={`${mine.epoch} ${mine.turn}`} turn={mine} hole={table.holes[own]} live={live} keys={settings.keys} words={words} ask={p.ask} />
      )}
      {!mine && stakes && (
        <Stakes snapshot={snapshot} own={p.own} behind={table.behind} last={last} put={setLast} live={live} keys={settings.keys} words={words} ask={p.ask} />
      )}
      {table.behind && <Behind behind={table.behind} snapshot={snapshot} words={words} />}
      {!mine && chooses && <Ahead view={view} own={own} plan={table.plans[own]} live={live} keys={settings.keys} words={words} ask={p.ask} />}
      {!mine && !stakes && !chooses && <p class="idle">{why && words.say(why)}</p>}
    </section>
  );
}

/** stay leaves the focus where it is when the mouse presses a button: keys act as if nothing had it. */
function stay(e: MouseEvent): void {
  if (e.target instanceof Element && e.target.closest("button")) e.preventDefault();
}

/** Holding says what the player's cards make. */
function Holding({ table, view, own, words }: { table: Table; view: View; own: number; words: Words }) {
  const hole = table.holes[own];
  const seat = view.seats.find((s) => s.seat === own);
  const shown = hole && seat?.dealt && hole.hand === view.hand && hole.seat === own && hole.cards.length > 0;
  const folded = !seat?.live;
  return (
    <p class={folded ? "holding folded" : "holding"} aria-live="polite">
      {shown && (
        <>
          <span class="sr">{words.say("holding", { cards: words.cards(hole.cards) })}</span>
          {hole.holds && <b>{words.holds(hole.holds)}</b>}
          {hole.peeked && (
            <span class="peeked">
              {words.say("holding.peeked")} <CardWord card={hole.peeked} words={words} />
            </span>
          )}
        </>
      )}
    </p>
  );
}

interface DecisionProps {
  turn: Turn;
  legal: Legal;
  snapshot: Snapshot;
  hole?: Hole;
  live: boolean;
  keys: boolean;
  words: Words;
  ask: Ask;
}

/** Decision is one turn: it lives as long as the turn does, and so does what was typed and slid in it. */
function Decision({ turn, legal, snapshot, hole, live, keys, words, ask }: DecisionProps) {
  const { view } = snapshot;
  const [to, setTo] = useState(legal.min_to ?? 0);
  const [typed, setTyped] = useState<string>();
  const [sent, setSent] = useState(false);
  const [sure, setSure] = useState(false);
  const [power, choose] = useState<Power>();
  const amount = useRef<HTMLInputElement>(null);

  const send = async (action: Request["action"], amount?: number) => {
    if (sent) return;
    setSent(true);
    const answer = await ask({ action, epoch: turn.epoch, turn: turn.turn, amount });
    if (!answer.ok) setSent(false);
  };
  const use = async (p: Power, what: Partial<Request> = {}) => {
    if (sent) return;
    setSent(true);
    choose(undefined);
    await ask({ action: p, epoch: turn.epoch, turn: turn.turn, ...what });
    setSent(false); // the turn goes on
  };

  const set = (n: number) => {
    setTo(within(n, legal));
    setTyped(undefined);
  };
  const entered = typed === undefined ? to : words.read(typed);
  const fits = entered === within(entered, legal);
  const raise = () => void (legal.raise && fits && send(legal.opens ? "bet" : "raise", entered));
  const cost = legal.to_call ?? 0;
  const can = acts(legal);
  const call = () => void (can.call && send(can.call));
  const split = () => void (legal.split && send("split"));
  const fold = () => {
    if (!can.fold) return;
    if (legal.check && !sure) return setSure(true);
    void send("fold");
  };
  const buttons = legal.raise ? presets(legal, view) : [];
  const step = (n: number) => set(stepped(fits ? entered : to, n, legal, view.stakes.big_blind));
  useKeys(
    {
      f: fold,
      c: call,
      r: raise,
      b: raise,
      ...(view.bank && { Enter: raise, "-": legal.check ? call : fold }),
      a: () => set(legal.max_to ?? 0),
      e: () => amount.current?.focus(),
      t: split,
      ArrowUp: () => step(1),
      ArrowDown: () => step(-1),
      ...Object.fromEntries(buttons.map((b, i) => [String(i + 1), () => set(b.to)])),
    },
    keys && !sent && live && !power,
  );

  const stack = view.seats.find((s) => s.seat === turn.seat)?.stack ?? 0;
  const callText = legal.bring_in
    ? words.say("act.bring_in", { amount: words.money(legal.bring_in) })
    : legal.check
      ? words.say("act.check")
      : words.say(cost >= stack ? "act.call.all_in" : "act.call", { amount: words.money(cost) });
  const raiseText = words.say(entered === legal.all_in ? "act.all_in" : legal.opens ? "act.bet" : "act.raise", {
    amount: fits ? words.money(entered) : "…",
  });
  const range = { min: words.money(legal.min_to ?? 0), max: words.money(legal.max_to ?? 0) };
  return (
    <>
      <Announce words={words} legal={legal} view={view} />
      {view.carousel && (
        <PowerBar turn={turn} legal={legal} snapshot={snapshot} hole={hole} chosen={power} choose={choose} use={use} on={live && !sent} keys={keys} words={words} />
      )}
      {legal.raise && !power && (legal.max_to ?? 0) > (legal.min_to ?? 0) && (
        <div class="sizing" onWheel={(e) => (e.preventDefault(), step(e.deltaY < 0 ? 1 : -1))}>
          <div class="presets">
            {buttons.map((b, i) => (
              <button key={b.name} type="button" title={words.money(b.to)} aria-keyshortcuts={String(i + 1)} aria-pressed={buttons.find((o) => o.to === entered) === b} onClick={() => set(b.to)}>
                {words.say(b.name === "max" && b.to === legal.all_in ? "preset.all_in" : `preset.${b.name}`)}
              </button>
            ))}
          </div>
          <input
            class="slider"
            type="range"
            aria-label={words.say("act.amount")}
            aria-valuetext={fits ? words.money(entered) : ""}
            min={legal.min_to}
            max={legal.max_to}
            step={legal.two_sizes ? (legal.max_to ?? 0) - (legal.min_to ?? 0) : 1}
            value={to}
            onInput={(e) => set(Number(e.currentTarget.value))}
          />
          <input
            ref={amount}
            class="bet-amount"
            aria-keyshortcuts="E"
            inputMode="decimal"
            aria-label={words.say("act.amount.range", range)}
            aria-invalid={!fits}
            title={words.say("act.amount.range", range)}
            value={typed ?? words.plain(to)}
            onFocus={(e) => e.currentTarget.select()}
            onInput={(e) => {
              setTyped(e.currentTarget.value);
              const n = words.read(e.currentTarget.value);
              if (n === within(n, legal)) setTo(n);
            }}
            onKeyDown={(e) => e.key === "Enter" && raise()}
          />
        </div>
      )}
      <div class="buttons" role="group" aria-label={words.say("actions")}>
        {can.fold && (
          <Act name="fold" keyName="F" disabled={sent || !live} act={fold}>
            {words.say(sure ? "act.fold.sure" : "act.fold")}
          </Act>
        )}
        {can.call && (
          <Act name="call" keyName="C" disabled={sent || !live} act={call}>
            {callText}
          </Act>
        )}
        {legal.split && (
          <Act name="split" keyName="T" disabled={sent || !live} act={split}>
            {words.say("act.split")}
          </Act>
        )}
        {legal.raise && (
          <Act name="raise" keyName="R" disabled={sent || !live || !fits} act={raise}>
            {raiseText}
          </Act>
        )}
      </div>
    </>
  );
}

/** Act is one of the large buttons, with the key it has. */
export function Act(p: { name: string; keyName: string; disabled: boolean; act: () => void; children: string }) {
  return (
    <button class={`act ${p.name}`} data-act={p.name} aria-keyshortcuts={p.keyName} disabled={p.disabled} onClick={p.act}>
      <span>{p.children}</span>
      <kbd aria-hidden="true">{p.keyName}</kbd>
    </button>
  );
}

/** Announce says, once, that it is the player's turn and what can be done, for those who hear it. */
function Announce({ words, legal, view }: { words: Words; legal: Legal; view: View }) {
  const parts = [words.say("turn")];
  if (!view.bank) parts.push(`${words.say("pot")} ${words.money(view.total)}.`);
  if (legal.bring_in) parts.push(words.say("act.bring_in", { amount: words.money(legal.bring_in) }));
  else if (legal.check) parts.push(words.say("turn.check"));
  else if (legal.to_call) parts.push(words.say("turn.call", { amount: words.money(legal.to_call) }));
  if (legal.raise) {
    const range = { min: words.money(legal.min_to ?? 0), max: words.money(legal.max_to ?? 0) };
    parts.push(words.say(legal.opens ? "turn.bet" : "turn.raise", range));
  }
  return <Alert text={parts.join(" ")} />;
}

/** Alert is heard at once. A region is only heard when it changes, so it is drawn empty first. */
export function Alert({ text }: { text: string }) {
  const [said, say] = useState("");
  useEffect(() => say(text), [text]);
  return (
    <p class="sr" role="alert" data-alert>
      {said}
    </p>
  );
}

/** Reveal is the turn of a player who may show or muck. */
function Reveal({ turn, live, keys, words, ask }: { turn: Turn; live: boolean; keys: boolean; words: Words; ask: Ask }) {
  const [sent, setSent] = useState(false);
  const send = async (action: Request["action"]) => {
    if (sent) return;
    setSent(true);
    const answer = await ask({ action, epoch: turn.epoch, turn: turn.turn });
    if (!answer.ok) setSent(false);
  };
  const muck = () => void (turn.may_muck && send("muck"));
  useKeys({ s: () => void send("show"), m: muck }, keys && !sent && live);
  return (
    <>
      <Alert text={words.say(turn.may_muck ? "turn.reveal" : "turn.show")} />
      <div class="buttons">
        {turn.may_muck && (
          <Act name="muck" keyName="M" disabled={sent || !live} act={muck}>
            {words.say("act.muck")}
          </Act>
        )}
        <Act name="show" keyName="S" disabled={sent || !live} act={() => void send("show")}>
          {words.say("act.show")}
        </Act>
      </div>
    </>
  );
}

interface AheadProps {
  view: View;
  own: number;
  plan?: Plan;
  live: boolean;
  keys: boolean;
  words: Words;
  ask: Ask;
}

const letters: Record<PlanVerb, string> = { plan_check_fold: "f", plan_check: "c", plan_call: "c", plan_call_any: "a" };

/** Ahead is what can be decided ahead of the turn. The table keeps it, and drops it when the bet changes. */
function Ahead({ view, own, plan, live, keys, words, ask }: AheadProps) {
  const chosen = plan?.hand === view.hand ? plan.plan : undefined;
  const toggle = (verb: PlanVerb) => {
    if (!live) return;
    setDropped(false);
    takes.current = verb === chosen;
    void ask(takes.current ? { action: "plan_none" } : { action: verb, hand: view.hand, street: view.street, amount: view.bet });
  };
  const all = plans(view, own);
  useKeys(Object.fromEntries(all.map(({ verb }) => [letters[verb], () => toggle(verb)])), keys);

  // What was dropped because it would have meant something else is said.
  const before = useRef(chosen);
  const takes = useRef(false);
  const [dropped, setDropped] = useState(false);
  useEffect(() => {
    setDropped(before.current !== undefined && chosen === undefined && !takes.current && toCall(view, own) > 0);
    before.current = chosen;
    takes.current = false;
  }, [chosen]);
  return (
    <div class="ahead" role="group" aria-label={words.say("ahead")}>
      {all.map(({ verb, amount }) => (
        <button key={verb} data-ahead={verb} aria-pressed={verb === chosen} aria-keyshortcuts={letters[verb].toUpperCase()} disabled={!live} onClick={() => toggle(verb)}>
          {words.say(`ahead.${verb}`, { amount: words.money(amount) })} <kbd aria-hidden="true">{letters[verb].toUpperCase()}</kbd>
        </button>
      ))}
      <span class="dropped" role="status">
        {dropped && words.say("ahead.dropped")}
      </span>
    </div>
  );
}

/** SeatOptions are what concerns the seat and not the hand. */
export function SeatOptions({ snapshot, own, player, keys, words, ask, more }: { snapshot: Snapshot; own: number; player: string; keys: boolean; words: Words; ask: Ask; more: () => void }) {
  const seat = snapshot.view.seats.find((s) => s.seat === own);
  const toggle = () => seat && void ask({ action: seat.out ? "sit_in" : "sit_out" });
  const waits = seat && !snapshot.view.bank && !seat.dealt && (seat.out || seat.waits);
  const wait = () => waits && void ask({ action: seat.waits ? "sit_in" : "wait_blind" });
  useKeys({ o: toggle, w: wait, k: more }, keys && seat !== undefined);
  return (
    <div class="seat-options">
      {seat && <Switch text={words.say("seat.sit_out")} keyName="O" on={seat.out ?? false} change={toggle} />}
      {waits && <Switch text={words.say("seat.wait_blind")} keyName="W" on={seat.waits ?? false} change={wait} />}
      {player && (
        <button class="small" data-open="chips" aria-keyshortcuts="K" onClick={more}>
          {words.say(seat ? "seat.chips" : "seat.sit")} <kbd aria-hidden="true">K</kbd>
        </button>
      )}
    </div>
  );
}
