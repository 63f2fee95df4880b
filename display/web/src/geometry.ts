// Where things stand round the table. The rim is a rectangle with half-round ends, whichever way it lies.

/** A point on the rim, in pixels from the table's top left corner, and the direction from it to the middle. */
export interface Spot {
  x: number;
  y: number;
  inX: number;
  inY: number;
}

/** Rim is the rim of a table of width w and height h. The dealer stands at the middle of the top and keeps `gap` pixels of it;
 * a player's own seat is at the middle of the bottom and keeps `room`. */
export interface Rim {
  w: number;
  h: number;
  gap: number;
  room: number;
}

/** seated shares the rim among seats, clockwise from the right of the dealer: the first seat comes first, or, for a player,
 * the own seat is at the bottom and the others follow it as they sit. */
export function seated(seats: readonly number[], own: number, { w, h, gap, room }: Rim): [seat: number, spot: Spot][] {
  const round = Math.min(w, h) / 2;
  const length = 2 * (w - 2 * round) + 2 * (h - 2 * round) + 2 * Math.PI * round;
  const share = (some: readonly number[], from: number, to: number) => some.map((seat, i): [number, Spot] => [seat, walk(from + ((i + 0.5) * (to - from)) / some.length, w, h)]);
  const at = seats.indexOf(own);
  if (at < 0) return share(seats, gap / 2, length - gap / 2);
  const others = [...seats.slice(at + 1), ...seats.slice(0, at)];
  const left = Math.floor(others.length / 2);
  return [
    ...share(others.slice(left), gap / 2, (length - room) / 2),
    [own, walk(length / 2, w, h)],
    ...share(others.slice(0, left), (length + room) / 2, length - gap / 2),
  ];
}

/** walk goes d pixels clockwise along the rim from the middle of the top. */
function walk(d: number, w: number, h: number): Spot {
  const round = Math.min(w, h) / 2;
  const [along, down, corner] = [w - 2 * round, h - 2 * round, (Math.PI * round) / 2];
  const legs = [along / 2, corner, down, corner, along, corner, down, corner, along / 2];
  let [x, y, heading] = [w / 2, 0, 0]; // heading 0 is to the right; it grows clockwise
  for (const [i, leg] of legs.entries()) {
    const go = Math.min(d, leg);
    if (i % 2 === 0) {
      x += go * Math.cos(heading);
      y += go * Math.sin(heading);
    } else {
      const to = heading + go / round;
      x += round * (Math.sin(to) - Math.sin(heading));
      y += round * (Math.cos(heading) - Math.cos(to));
      heading = to;
    }
    d -= go;
    if (d <= 0) break;
  }
  return { x, y, inX: -Math.sin(heading), inY: Math.cos(heading) };
}

/** Where a seat's bet and the dealer button lie, in units from the seat's spot: clear of its cards, which stand above it,
 * and of the words below it. On a tall table the board leaves no room beside a seat at its height, so the bet lies under
 * the seat there; that of a seat at a lower corner lies over its cards, or, where seats are close, between them and the
 * player's own. */
export function offsets({ inX, inY }: Spot, tall: boolean, own: boolean, seats: number): { bet: [number, number]; button: [number, number] } {
  const low = inY < -0.6;
  if (own && low) return { bet: [inX * 40, tall ? -160 : -140], button: [tall ? -80 : -98, 5] }; // its cards are larger
  if (tall) {
    const side = inX < 0 ? -66 : 66;
    const corner: [number, number] = seats > close ? [inX * 125, -75] : [inX * 62, -102];
    const bet: [number, number] = inY < -0.3 ? corner : [inX * 50, 52];
    return { bet, button: [side, -36] };
  }
  const bet: [number, number] = [inX * 128, low ? -104 : inY * 72];
  const [x, y] = [inX * 96 - inY * 68, inY * 58 + inX * 42];
  const covers = Math.abs(x) < beside && y > -100 && y < 40; // four cards are as wide as the name plate
  return { bet, button: covers ? [x < 0 ? -beside : beside, low ? y : Math.min(y, bet[1] - 32)] : [x, y] };
}

/** close is how many seats have room on a tall table. */
const close = 7;

/** beside is how far from the middle of a seat the button is clear of its cards and its name plate. */
const beside = 94;
