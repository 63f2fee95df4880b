// The form of one command: what it asks for, why, and what the table answers.

import { useEffect, useState } from "preact/hooks";
import { CardWord } from "./cards";
import type { Answer, Card, Command as Asked, Snapshot } from "./client";
import type { Command, Field } from "./commands";
import { refusal } from "./told";
import type { Words } from "./words";

/** What a form sends: the command, without the run that it is meant for. */
export type Order = Omit<Asked, "epoch">;

/** The seats chosen, by tapping them or in the form. */
export interface Chosen {
  seat: number;
  to: number;
}

interface Props {
  command: Command;
  snapshot: Snapshot;
  words: Words;
  chosen: Chosen;
  choose: (c: Chosen) => void;
  live: boolean;
  order: (o: Order) => Promise<Answer>;
  /** Leaves the form; done is whether the table did what was asked. */
  close: (done: boolean) => void;
}

interface Filled {
  place: number;
  card: Card;
  drawn: Record<number, Card>;
  amount: string;
  bonus: string;
  less: boolean;
  player: string;
  steps: string;
  reason: string;
}

const empty: Filled = { place: 0, card: "", drawn: {}, amount: "", bonus: "", less: false, player: "", steps: "1", reason: "" };

/** The seats that a command can be about, and those for the other end of a move. */
function seatsOf(c: Command, s: Snapshot): { seats: number[]; others: number[] } {
  const all = s.players.map((p) => p.seat);
  return { seats: c.seats?.(s) ?? all, others: c.others?.(s) ?? all };
}

/** allowed is a choice of seats without those that the command cannot be about. */
export function allowed(c: Command, s: Snapshot, { seat, to }: Chosen): Chosen {
  const { seats, others } = seatsOf(c, s);
  return { seat: seats.includes(seat) ? seat : 0, to: others.includes(to) && to !== seat ? to : 0 };
}

/** ordered is what a filled form asks of the table; undefined while something is missing. */
export function ordered(c: Command, s: Snapshot, chosen: Chosen, f: Filled, words: Words): Order | undefined {
  const { seat, to } = allowed(c, s, chosen);
  const amount = words.read(f.amount);
  const o: Order = { cmd: c.cmd };
  const put = (field: Field): boolean => {
    switch (field) {
      case "seat":
        o.seat = seat;
        return seat > 0;
      case "to":
        o.to = to;
        return to > 0;
      case "place":
        o.cards = [f.place];
        return f.place > 0;
      case "card":
      case "card?":
        if (whole(f.card)) o.card = f.card;
        return whole(f.card) || (field === "card?" && f.card === "");
      case "drawn":
        o.drawn = Array.from({ length: Math.max(0, ...Object.keys(f.drawn).map(Number)) + 1 }, (_, n) => f.drawn[n] ?? "--");
        return seatsOf(c, s).seats.every((n) => whole(f.drawn[n] ?? ""));
      case "amount":
        o.amount = amount;
        return amount > 0;
      case "change":
        o.amount = f.less ? -amount : amount;
        return amount > 0;
      case "stake":
        o.amount = f.amount === "" ? 0 : amount;
        o.bonus = f.bonus === "" ? 0 : words.read(f.bonus);
        return o.amount >= 0 && o.bonus >= 0;
      case "player?":
        if (f.player.trim() !== "") o.player = f.player.trim();
        return true;
      case "steps":
        o.steps = Number(f.steps);
        return Number.isInteger(o.steps) && o.steps > 0;
      case "reason":
        o.reason = f.reason.trim();
        return o.reason !== "";
    }
  };
  return c.fields.map(put).every(Boolean) ? o : undefined;
}

function whole(card: Card): boolean {
  return /^([2-9TJQKA][cdhs]|\?\?)$/.test(card);
}

export function CommandForm({ command, snapshot, words, chosen, choose, live, order, close }: Props) {
  const [f, set] = useState(empty);
  const [fault, setFault] = useState("");
  const [sent, setSent] = useState(false);
  const fill = (some: Partial<Filled>) => set((now) => ({ ...now, ...some }));
  useEffect(() => setFault(""), [f, chosen]);
  const asked = ordered(command, snapshot, chosen, f, words);
  const submit = async () => {
    if (!asked || sent || !live) return;
    setSent(true);
    const answer = await order(asked);
    setSent(false);
    if (answer.ok) close(true);
    else setFault(refusal(answer, words));
  };
  const title = words.say(`cmd.${command.cmd}`);
  const hint = `cmd.${command.cmd}.hint`;
  return (
    <form
      class="command-form"
      aria-labelledby="form-title"
      data-form={command.cmd}
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
      onKeyDown={(e) => {
        if (e.key === "Escape") close(false);
      }}
    >
      <h2 id="form-title">{title}</h2>
      {words.has(hint) && <p class="hint">{words.say(hint)}</p>}
      {command.fields.map((field) => (
        <FieldSet key={field} field={field} command={command} snapshot={snapshot} words={words} chosen={chosen} choose={choose} filled={f} fill={fill} />
      ))}
      {command.two && <p class="hint two">{words.say("form.two")}</p>}
      <p class="fault" role="alert">
        {fault}
      </p>
      <div class="form-buttons">
        <button class="act cancel" type="button" onClick={() => close(false)}>
          {words.say("form.cancel")}
        </button>
        <button class="act do" type="submit" data-do autofocus={command.fields.length === 0} disabled={!asked || sent || !live}>
          {title}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  field: Field;
  command: Command;
  snapshot: Snapshot;
  words: Words;
  chosen: Chosen;
  choose: (c: Chosen) => void;
  filled: Filled;
  fill: (some: Partial<Filled>) => void;
}

function FieldSet({ field, command, snapshot, words, chosen, choose, filled: f, fill }: FieldProps) {
  const { seats, others } = seatsOf(command, snapshot);
  const { seat, to } = allowed(command, snapshot, chosen);
  const moves = command.fields.includes("to");
  switch (field) {
    case "seat":
      return <SeatPicker name="seat" label={words.say(moves ? "form.from" : "form.seat")} seats={seats} value={seat} snapshot={snapshot} words={words} pick={(n) => choose({ ...chosen, seat: n })} />;
    case "to":
      return <SeatPicker name="to" label={words.say("form.to")} seats={others.filter((n) => n !== seat)} value={to} snapshot={snapshot} words={words} pick={(n) => choose({ ...chosen, to: n })} />;
    case "place": {
      const n = snapshot.view.seats.find((s) => s.seat === seat)?.cards?.length ?? 0;
      const places = Array.from({ length: n }, (_, i) => ({ value: String(i + 1), text: String(i + 1), label: String(i + 1) }));
      return places.length > 0 ? <Radios name="place" legend={words.say("form.place")} options={places} value={String(f.place)} pick={(v) => fill({ place: Number(v) })} /> : null;
    }
    case "card":
      return <CardPicker legend={words.say("form.card")} value={f.card} hidden words={words} pick={(card) => fill({ card })} />;
    case "card?":
      return (
        <details>
          <summary>{words.say(command.cmd === "overdealt" ? "form.card.burn" : "form.card.unread")}</summary>
          <CardPicker legend={words.say("form.card")} value={f.card} words={words} pick={(card) => fill({ card })} />
        </details>
      );
    case "drawn":
      return <Drawn seats={seats} drawn={f.drawn} words={words} set={(drawn) => fill({ drawn })} />;
    case "amount":
      return <Money name="amount" label={words.say("form.amount")} words={words} value={f.amount} set={(amount) => fill({ amount })} />;
    case "change":
      return (
        <>
          <Radios
            name="sign"
            legend={words.say("form.change")}
            options={[
              { value: "more", text: `+ ${words.say("form.more")}`, label: words.say("form.more") },
              { value: "less", text: `− ${words.say("form.less")}`, label: words.say("form.less") },
            ]}
            value={f.less ? "less" : "more"}
            pick={(v) => fill({ less: v === "less" })}
          />
          <Money name="amount" label={words.say("form.amount")} words={words} value={f.amount} set={(amount) => fill({ amount })} />
        </>
      );
    case "stake":
      return (
        <>
          <Money name="amount" label={words.say("form.ante")} words={words} value={f.amount} set={(amount) => fill({ amount })} />
          <Money name="bonus" label={words.say("form.bonus")} words={words} value={f.bonus} set={(bonus) => fill({ bonus })} />
        </>
      );
    case "player?":
      return <Text name="player" label={words.say("form.player")} value={f.player} set={(player) => fill({ player })} />;
    case "steps":
      return <Text name="steps" label={words.say("form.steps")} mode="numeric" value={f.steps} set={(steps) => fill({ steps })} />;
    case "reason":
      return <Reason command={command} words={words} value={f.reason} set={(reason) => fill({ reason })} />;
  }
}

/** Text is a line to write in. */
function Text(p: { name: string; label: string; mode?: "decimal" | "numeric"; value: string; set: (v: string) => void }) {
  return (
    <label class="line">
      <span>{p.label}</span>
      <input name={p.name} autocomplete="off" inputMode={p.mode ?? "text"} value={p.value} onInput={(e) => p.set(e.currentTarget.value)} />
    </label>
  );
}

/** Money is an amount to write, as the table's currency has it, with what is read of it. */
function Money(p: { name: string; label: string; words: Words; value: string; set: (v: string) => void }) {
  const chips = p.words.read(p.value);
  return (
    <div class="money">
      <Text name={p.name} label={p.label} mode="decimal" value={p.value} set={p.set} />
      <output data-read={p.name}>{Number.isNaN(chips) ? "" : p.words.money(chips)}</output>
    </div>
  );
}

/** Reason is why: one of those that are usual, or any other. */
function Reason({ command, words, value, set }: { command: Command; words: Words; value: string; set: (v: string) => void }) {
  return (
    <div class="reason">
      <Text name="reason" label={words.say("form.reason")} value={value} set={set} />
      <div class="quick" role="group" aria-label={words.say("form.reason")}>
        {command.reasons?.map((r) => {
          const key = `reason.${r}`;
          const text = words.has(key) ? words.say(key) : r;
          return (
            <button key={r} type="button" data-reason={r} aria-pressed={value === text} onClick={() => set(text)}>
              {text}
            </button>
          );
        })}
      </div>
    </div>
  );
}

interface Option {
  value: string;
  text: string;
  label: string;
  suit?: string;
}

/** Radios are large buttons of which one is chosen: one stop of the Tab key, the arrows go from one to the next. */
function Radios({ name, legend, options, value, pick }: { name: string; legend: string; options: Option[]; value: string; pick: (v: string) => void }) {
  return (
    <fieldset class="radios" data-field={name}>
      <legend>{legend}</legend>
      <div>
        {options.map((o) => (
          <label key={o.value} class={o.suit}>
            <input type="radio" name={name} value={o.value} checked={o.value === value} aria-label={o.label} onChange={() => pick(o.value)} />
            <span aria-hidden="true">{o.text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SeatsProps {
  name: string;
  label: string;
  seats: number[];
  value: number;
  snapshot: Snapshot;
  words: Words;
  pick: (seat: number) => void;
}

function SeatPicker({ name, label, seats, value, snapshot, words, pick }: SeatsProps) {
  if (seats.length === 0) return <p class="fault">{`${label}: ${words.say("form.none")}`}</p>;
  const options = seats.map((n) => {
    const taken = snapshot.view.seats.find((s) => s.seat === n);
    const who = taken ? snapshot.players.find((p) => p.seat === n)?.name : "";
    const stack = taken ? words.money(taken.stack) : "";
    return { value: String(n), text: [n, who].filter(Boolean).join(" "), label: [words.say("seat", { seat: n }), who, stack].filter(Boolean).join(", ") };
  });
  return <Radios name={name} legend={label} options={options} value={String(value)} pick={(v) => pick(Number(v))} />;
}

const ranks = [..."AKQJT98765432"];
const suits = [..."shdc"];
const signs: Record<string, string> = { s: "♠", h: "♥", d: "♦", c: "♣" };

/** CardPicker chooses a card by its rank and its suit; half of one is kept as "A" or "s". */
function CardPicker({ legend, value, hidden = false, words, pick }: { legend: string; value: Card; hidden?: boolean; words: Words; pick: (c: Card) => void }) {
  const rank = ranks.find((r) => r === value[0]) ?? "";
  const suit = suits.find((s) => s === value.at(-1)) ?? "";
  const named = (key: string) => (words.has(key) ? words.say(key) : key);
  return (
    <div class="card-picker" role="group" aria-label={legend}>
      <p>
        {legend} {whole(value) && value !== "??" && <CardWord card={value} words={words} />}
      </p>
      <Radios name="rank" legend={words.say("form.rank")} value={rank} pick={(r) => pick(r + suit)} options={ranks.map((r) => ({ value: r, text: r === "T" ? "10" : r, label: named(`rank.${r}`) }))} />
      <Radios name="suit" legend={words.say("form.suit")} value={suit} pick={(s) => pick(rank + s)} options={suits.map((s) => ({ value: s, text: signs[s]!, label: named(`suit.${s}`), suit: `suit ${s}` }))} />
      {hidden && (
        <button type="button" class="facedown" aria-pressed={value === "??"} onClick={() => pick(value === "??" ? "" : "??")}>
          {words.say("form.facedown")}
        </button>
      )}
    </div>
  );
}

/** Drawn asks for a card of each seat, one after the other. */
function Drawn({ seats, drawn, words, set }: { seats: number[]; drawn: Record<number, Card>; words: Words; set: (d: Record<number, Card>) => void }) {
  const [at, setAt] = useState(seats[0] ?? 0);
  const pick = (card: Card) => {
    set({ ...drawn, [at]: card });
    const next = seats.find((n) => n !== at && !whole(drawn[n] ?? ""));
    if (whole(card) && next) setAt(next);
  };
  const options = seats.map((n) => {
    const card = drawn[n] ?? "";
    return { value: String(n), text: whole(card) ? `${n}: ${card[0] === "T" ? "10" : card[0]}${signs[card[1]!]}` : `${n}:`, label: `${words.say("seat", { seat: n })} ${whole(card) ? words.card(card) : ""}` };
  });
  return (
    <>
      <Radios name="drawn" legend={words.say("form.drawn")} options={options} value={String(at)} pick={(v) => setAt(Number(v))} />
      <CardPicker legend={words.say("seat", { seat: at })} value={drawn[at] ?? ""} words={words} pick={pick} />
    </>
  );
}
