// Cards, chips and the dealer button, drawn.

import type { Card } from "./client";
import type { Win } from "./winning";
import type { Words } from "./words";

/** The four suits, drawn in a square of 24 by 24. */
const shapes: Record<string, string> = {
  h: "M12 21.2C5.6 16.6 2 13 2 8.6 2 5.5 4.4 3.2 7.3 3.2c1.9 0 3.7 1 4.7 2.7 1-1.7 2.8-2.7 4.7-2.7C19.6 3.2 22 5.5 22 8.6c0 4.4-3.6 8-10 12.6z",
  d: "M12 1.6 20.4 12 12 22.4 3.6 12z",
  s: "M12 1.8c4.6 4.2 9 7.4 9 11.6 0 2.7-2 4.6-4.5 4.6-1.4 0-2.6-.6-3.4-1.6.3 2.4 1 4.2 2.6 5.8H8.3c1.6-1.6 2.3-3.4 2.6-5.8-.8 1-2 1.6-3.4 1.6C5 18 3 16.1 3 13.4c0-4.2 4.4-7.4 9-11.6z",
  c: "M12 1.8a4.7 4.7 0 0 1 4.1 7 4.7 4.7 0 1 1-2.9 8.6c.3 2 1.1 3.5 2.5 4.8H8.3c1.4-1.3 2.2-2.8 2.5-4.8a4.7 4.7 0 1 1-2.9-8.6 4.7 4.7 0 0 1 4.1-7z",
};

/** A card, face up or down, as wide as its place. One that helps to win stands out, and beside it one that does not steps back. */
export function PlayingCard({ card, words, win }: { card: Card; words: Words; win?: Win }) {
  const [rank = "", suit = ""] = card;
  const shape = shapes[suit];
  const side = win && (win.high && win.low ? "both" : win.high ? "high" : win.low ? "low" : "idle");
  return (
    <svg class={["card", shape ? suit : "back", side].filter(Boolean).join(" ")} viewBox="0 0 60 84" role="img" aria-label={words.card(card)} data-card={card}>
      <rect class="paper" x="0.75" y="0.75" width="58.5" height="82.5" rx="6.5" />
      {shape ? (
        <>
          <text class="rank" x="7" y="29" textLength={rank === "T" ? 27 : undefined} lengthAdjust="spacingAndGlyphs">
            {rank === "T" ? "10" : rank}
          </text>
          <path class="pip" d={shape} transform="translate(6.5 35) scale(0.78)" />
          <path class="pip" d={shape} transform="translate(22 44) scale(1.42)" />
        </>
      ) : (
        <>
          <rect class="weave" x="5" y="5" width="50" height="74" rx="4" />
          <path class="lines" d="M5 42 30 5l25 37-25 37zM17.5 42 30 23.5l12.5 18.5L30 60.5z" />
        </>
      )}
      {win?.high && <rect class="edge high" x="2" y="2" width="56" height="80" rx="5.5" />}
      {win?.low && <rect class="edge low" x="2" y="2" width="56" height="80" rx="5.5" />}
    </svg>
  );
}

/** A card in a line of text. */
export function CardWord({ card, words }: { card: Card; words: Words }) {
  const [rank = "", suit = ""] = card;
  return (
    <span class={`word ${suit}`} role="img" aria-label={words.card(card)}>
      {rank === "T" ? "10" : rank}
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={shapes[suit] ?? ""} />
      </svg>
    </span>
  );
}

/** A stack of one to five chips: more for more big blinds. */
export function Chips({ amount, bigBlind }: { amount: number; bigBlind: number }) {
  const ratio = amount / Math.max(bigBlind, 1);
  const n = Math.min(5, 1 + Math.max(0, Math.floor(Math.log2(Math.max(ratio, 0.1)))));
  return (
    <svg class="chips" viewBox="0 0 24 34" aria-hidden="true">
      {Array.from({ length: n }, (_, i) => (
        <g key={i} class={`chip chip${(n - i) % 5}`} transform={`translate(0 ${22 - 4.5 * i})`}>
          <path class="side" d="M1 5v3c0 2.5 5 4.5 11 4.5s11-2 11-4.5V5z" />
          <ellipse class="top" cx="12" cy="5" rx="11" ry="4.5" />
          <ellipse class="inlay" cx="12" cy="5" rx="6.5" ry="2.5" />
        </g>
      ))}
    </svg>
  );
}
