// The hand told in plain words, the newest line last.

import { CardWord } from "./cards";
import { line } from "./story";
import type { Entry } from "./client";
import type { Player } from "./client";
import type { Words } from "./words";

interface Props {
  entries: Entry[];
  players: readonly Player[];
  words: Words;
}

export function Log({ entries, players, words }: Props) {
  return (
    <aside class="log">
      <h2>{words.say("log")}</h2>
      <div class="scroll" tabIndex={0}>
        <div role="log" aria-label={words.say("log")}>
          {entries.length === 0 && <p class="empty">{words.say("log.empty")}</p>}
          {entries.map((e) => (
            <Told key={e.id} entry={e} players={players} words={words} />
          ))}
        </div>
      </div>
    </aside>
  );
}

function Told({ entry, players, words }: { entry: Entry; players: readonly Player[]; words: Words }) {
  const told = line(entry, words, players);
  if (!told) return null;
  const cards = (
    <span class="words">
      {told.cards.map((c, i) => (
        <CardWord key={i} card={c} words={words} />
      ))}
    </span>
  );
  const name = <b>{told.values.name}</b>;
  return <p class={entry.what}>{words.parts(told.key, { ...told.values, name, cards })}</p>;
}
