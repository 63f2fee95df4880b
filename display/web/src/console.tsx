// The dealer's and the floor's side of the page: what to do now, what is to be put right first, the table as everybody sees
// it, and the commands for what no sensor sees.

import { useEffect, useRef, useState } from "preact/hooks";
import { Alert } from "./actions";
import type { Answer, Choice, Command as Asked, Device, Prompt, Prompting, Snapshot, Table } from "./client";
import { groups, type Command } from "./commands";
import { allowed, CommandForm, type Chosen, type Order } from "./consoleform";
import { Felt } from "./felt";
import { useKeys } from "./keys";
import { refusal, told } from "./told";
import type { Words } from "./words";

interface Props {
  table: Table;
  snapshot?: Snapshot;
  /** The name of this console. */
  user: string;
  keys: boolean;
  words: Words;
  ask: (c: Asked) => Promise<Answer>;
}

const commands = groups.flatMap((g) => g.commands);

export function Console({ table, snapshot, user, keys, words, ask }: Props) {
  const { prompting } = table;
  const [open, setOpen] = useState<Command>();
  const [chosen, choose] = useState<Chosen>({ seat: 0, to: 0 });
  const [said, say] = useState<{ text: string; wrong?: boolean }>({ text: "" });
  const back = useRef<Element | null>(null);
  const panel = useRef<HTMLDivElement>(null);
  const live = table.link === "online" && table.status === "online" && prompting !== undefined;

  const order = (o: Order) => ask({ ...o, epoch: prompting?.epoch ?? 0 });
  /** now gives a command without a form, and says what became of it. */
  const now = async (o: Order) => {
    say({ text: "" });
    const answer = await order(o);
    if (!answer.ok) say({ text: refusal(answer, words), wrong: true });
  };
  const show = (c: Command) => {
    back.current = document.activeElement;
    say({ text: "" });
    setOpen(c);
  };
  const close = (done: boolean) => {
    if (done && open) say({ text: words.say("console.done", { what: words.say(`cmd.${open.cmd}`) }) });
    setOpen(undefined);
    choose({ seat: 0, to: 0 });
  };
  // The focus goes into a form that opens, and back to where it came from.
  useEffect(() => {
    if (open) panel.current?.querySelector<HTMLElement>("input, [data-do]")?.focus();
    else if (back.current instanceof HTMLElement) back.current.focus();
  }, [open]);

  const view = snapshot?.view;
  const can = (c: Command) => view !== undefined && (c.when?.(view) ?? true);
  const next = prompting && snapshot ? steps(prompting, snapshot, words) : [];
  const starts = next.find((s) => s.order.cmd === "start_hand");
  useKeys(
    {
      ...Object.fromEntries(commands.filter((c) => c.keyName && can(c)).map((c) => [c.keyName!.toLowerCase(), () => show(c)])),
      ...(starts && { n: () => void now(starts.order) }),
    },
    keys && live && !open,
  );

  const tap = (seat: number) => {
    if (!snapshot) return;
    if (!open?.fields.includes("to")) return choose({ ...chosen, seat });
    const { seat: from } = allowed(open, snapshot, chosen);
    choose(from && from !== seat ? { ...chosen, to: seat } : { ...chosen, seat });
  };
  return (
    <div class="console" role="group" aria-label={words.say("console")}>
      <section class="instruction" data-kind={prompting?.instruction.kind}>
        <h2 class="sr">{words.say("console.instruction")}</h2>
        <p role="status">{prompting ? told(prompting.instruction.text, words) : words.say("console.none")}</p>
        <div class="next">
          {next.map((s) => (
            <button key={s.text} class={s.unseen ? "act" : "act do"} data-next={s.order.cmd} aria-keyshortcuts={s.keyName} disabled={!live} onClick={() => void now(s.order)}>
              <span>{s.text}</span>
              {s.keyName && <kbd aria-hidden="true">{s.keyName}</kbd>}
            </button>
          ))}
        </div>
      </section>
      <Felt table={table} snapshot={snapshot} words={words} own={[]} pick={tap} picked={[chosen.seat, chosen.to]} />
      <div class="panel" ref={panel}>
        <p class={said.wrong ? "said wrong" : "said"} aria-hidden="true">
          {said.text}
        </p>
        <Alert text={said.text} />
        <Prompts prompting={prompting} user={user} keys={keys && live && !open} live={live} words={words} answer={now} />
        {open && snapshot ? (
          <CommandForm key={open.cmd} command={open} snapshot={snapshot} words={words} chosen={chosen} choose={choose} live={live} order={order} close={close} />
        ) : (
          <Commands can={can} live={live} words={words} show={show} />
        )}
        <Devices devices={Object.values(table.devices)} words={words} />
      </div>
    </div>
  );
}

interface Step {
  order: Order;
  text: string;
  keyName?: string;
  /** It is for what the sensors do not see; otherwise they tell when the instruction is done. */
  unseen?: boolean;
}

/** steps are what the dealer says when the instruction is done, where no sensor tells it. */
function steps({ instruction }: Prompting, { view }: Snapshot, words: Words): Step[] {
  const { awaits } = view;
  const [seat] = [awaits.seat ?? 0];
  switch (instruction.kind) {
    case "start":
      return [{ order: { cmd: "start_hand" }, text: words.say("cmd.start_hand"), keyName: "N" }];
    case "reload":
      return [{ order: { cmd: "reload" }, text: words.say("cmd.reload") }];
    case "shuffle":
      return [{ order: { cmd: "reshuffled" }, text: words.say("cmd.reshuffled") }];
    case "count":
      return [{ order: { cmd: "chips_counted" }, text: words.say("cmd.chips_counted") }];
    case "collect":
      return [{ order: { cmd: "deck_checked" }, text: words.say("cmd.deck_checked"), unseen: true }];
    case "reveal": {
      const show = { order: { cmd: "show" as const, seat }, text: words.say("console.seat_shows", { seat }) };
      const muck = { order: { cmd: "muck" as const, seat }, text: words.say("console.seat_mucks", { seat }) };
      return seat === 0 ? [] : awaits.may_muck ? [show, muck] : [show];
    }
    case "wait":
      return awaits.kind === "resume" ? [{ order: { cmd: "resume" }, text: words.say("cmd.resume"), keyName: "P" }] : [];
  }
  return [];
}

interface PromptsProps {
  prompting?: Prompting;
  user: string;
  keys: boolean;
  live: boolean;
  words: Words;
  answer: (o: Order) => Promise<void>;
}

/** Prompts are what a person decides before any card is taken. Digits answer the first one. */
function Prompts({ prompting, user, keys, live, words, answer }: PromptsProps) {
  const prompts = prompting?.prompts ?? [];
  const [sure, setSure] = useState("");
  const id = (p: Prompt, c: Choice) => `${p.id} ${c.id}`;
  const take = (p: Prompt, c: Choice) => {
    if (c.id === "void" && sure !== id(p, c)) return setSure(id(p, c)); // it cannot be undone
    setSure("");
    void answer({ cmd: "choose", prompt: p.id, choice: c.id });
  };
  const first = prompts[0];
  const choices = first ? offered(first, user) : [];
  useKeys(Object.fromEntries(choices.map((c, i) => [String(i + 1), () => take(first!, c)])), keys);
  return (
    <section class="prompts" aria-label={words.say("console.prompts")}>
      <Alert text={prompts.map((p) => told(p.text, words)).join(" ")} />
      {prompts.map((p, at) => (
        <article key={p.id} data-code={p.code} data-prompt={p.id} class={p.by === user ? "prompt own" : "prompt"}>
          <p>{told(p.text, words)}</p>
          {p.by === user && <p class="waiting">{words.say("console.second")}</p>}
          <div>
            {offered(p, user).map((c, i) => {
              const text = p.by === user ? words.say("console.withdraw") : told(c.text, words);
              return (
                <button key={c.id} class={`act ${c.id}`} data-choice={c.id} aria-keyshortcuts={at === 0 ? String(i + 1) : undefined} disabled={!live} onClick={() => take(p, c)}>
                  <span>{sure === id(p, c) ? words.say("console.sure", { text }) : text}</span>
                  {at === 0 && <kbd aria-hidden="true">{i + 1}</kbd>}
                </button>
              );
            })}
          </div>
        </article>
      ))}
    </section>
  );
}

/** offered are the choices that this console has: who asks for something can only withdraw it. */
function offered(p: Prompt, user: string): Choice[] {
  return p.choices.filter((c) => p.by !== user || c.id !== "confirm");
}

function Commands({ can, live, words, show }: { can: (c: Command) => boolean; live: boolean; words: Words; show: (c: Command) => void }) {
  return (
    <section class="commands" aria-label={words.say("console.commands")}>
      {groups.map((g) => (
        <div key={g.name} class="group">
          <h2>{words.say(`group.${g.name}`)}</h2>
          <div>
            {g.commands.map((c) => (
              <button key={c.cmd} data-cmd={c.cmd} aria-keyshortcuts={c.keyName} disabled={!live || !can(c)} onClick={() => show(c)}>
                <span>{words.say(`cmd.${c.cmd}`)}</span>
                {c.keyName && <kbd aria-hidden="true">{c.keyName}</kbd>}
              </button>
            ))}
          </div>
        </div>
      ))}
    </section>
  );
}

/** Devices are those of the table, what is down first. */
function Devices({ devices, words }: { devices: Device[]; words: Words }) {
  const down = devices.filter((d) => d.state === "down").length;
  const sorted = devices.sort((a, b) => a.state.localeCompare(b.state) || a.device.localeCompare(b.device));
  return (
    <details class="devices" open={down > 0}>
      <summary>
        {words.say("console.devices")}{" "}
        <small class={down > 0 ? "down" : ""}>{words.say("console.devices.count", { up: devices.length - down, down })}</small>
      </summary>
      {devices.length === 0 && <p class="hint">{words.say("console.devices.none")}</p>}
      <ul>
        {sorted.map((d) => (
          <li key={d.device} data-device={d.device} class={d.state}>
            <b>{d.device}</b> <span>{d.kind}</span>
            <em>
              {words.say(`console.${d.state}`)} {words.say("console.since", { time: words.time(d.since) })}
            </em>
            {d.text && <p>{d.text}</p>}
            {d.counters && (
              <p class="counters">
                {Object.entries(d.counters).map(([kind, n]) => (
                  <span key={kind}>
                    {kind.replaceAll("_", " ")} <b>{n}</b>
                  </span>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
