// The action clock, as a bar over the player's buttons and as the seconds of a seat.

import { useEffect, useState } from "preact/hooks";
import type { Clock } from "./client";
import type { Words } from "./words";

/** secondsLeft is what a clock shows. `ahead` is how far this machine's clock is ahead of the table's. */
export function secondsLeft(clock: Clock, ahead: number): { left: number; seconds: number } {
  const left = Math.max(0, clock.paused ? (clock.left_ms ?? 0) : (clock.deadline ?? 0) - (Date.now() - ahead));
  return { left, seconds: Math.ceil(left / 1000) };
}

/** useTicks draws a component again four times a second while on. */
export function useTicks(on: boolean): void {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => tick((n) => n + 1), 250);
    return () => clearInterval(timer);
  }, [on]);
}

/** Countdown is the player's own clock: a bar that runs down by itself. */
export function Countdown({ clock, ahead, words }: { clock?: Clock; ahead: number; words: Words }) {
  useTicks(clock !== undefined && !clock.paused);
  if (!clock) return null;
  const { left, seconds } = secondsLeft(clock, ahead);
  return (
    <div class={clock.paused ? "countdown paused" : clock.bank || clock.grace ? "countdown reserve" : "countdown"}>
      <Bar key={`${clock.deadline} ${clock.left_ms}`} total={clock.total_ms} left={left} />
      <span data-seconds={seconds}>{clock.paused ? words.say("clock.paused") : words.say(clock.bank ? "clock.bank" : clock.grace ? "clock.grace" : "clock.seconds", { seconds })}</span>
    </div>
  );
}

function Bar({ total, left }: { total: number; left: number }) {
  const [spent] = useState(total - left);
  return (
    <div class="bar" aria-hidden="true">
      <i style={{ animationDuration: `${total}ms`, animationDelay: `${-spent}ms` }} />
    </div>
  );
}
