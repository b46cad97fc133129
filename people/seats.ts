/**
 * Assigns people to board seats. The assignment is computed from the numbers of people, so no list of people is
 * necessary.
 */

import { type Curve, valueOnCurve } from './curve.ts';
import { createDraw } from './random.ts';
import { firstAbove } from './weighted.ts';

/** A seat on a board. The chair has position 0. */
export interface Seat {
  board: number;
  position: number;
}

/** The assignment of seats in a world. */
export interface Seats {
  boardCount: number;
  /**
   * Returns a donor's seats. Most donors have no seat. A few donors have two seats, which are never on the same board.
   */
  heldBy(donor: number): Seat[];
}

/** The sizes of nonprofit boards. They are 3, 7, 17 and 36 at the 10th, 50th, 90th and 99th percentile. */
const SIZES: Curve = [
  [0, 2],
  [0.1, 3],
  [0.5, 7],
  [0.9, 17],
  [0.99, 36],
  [1, 60],
];

/**
 * The share of donors with a first seat, and the share with a second seat. The two shares are independent of each
 * other.
 */
const SEATED_SHARES = [0.18, 0.06];

/** The number of boards after which the sizes repeat. The boards in one round have exactly the sizes of the curve. */
const BOARDS_IN_ROUND = 987;
/**
 * The step between the sizes of consecutive boards. This number and `BOARDS_IN_ROUND` are neighbours in the Fibonacci
 * series. Therefore, even a few consecutive boards have very different sizes.
 */
const SIZE_STEP = 610;

/**
 * Assigns the board seats of a world. All seats form one list, board after board. Donors get seats in a random order
 * until all seats are assigned.
 */
export function createSeats(seed: number, donorCount: number): Seats {
  const ends = endsOfBoards();
  const rows = SEATED_SHARES.map((share, row) => ({
    seatCount: Math.ceil(donorCount * share),
    placeOf: createOrder(seed, `seats ${row}`, donorCount),
  }));
  const total = rows.reduce((sum, row) => sum + row.seatCount, 0);

  function heldBy(donor: number): Seat[] {
    const seats: Seat[] = [];
    let first = 0;
    for (const { seatCount, placeOf } of rows) {
      const place = placeOf(donor);
      const seat = place < seatCount ? seatAt(ends, first + place) : null;
      if (seat && !seats.some(({ board }) => board === seat.board)) seats.push(seat);
      first += seatCount;
    }
    return seats;
  }

  return { boardCount: total === 0 ? 0 : seatAt(ends, total - 1).board + 1, heldBy };
}

function endsOfBoards(): number[] {
  let end = 0;
  return Array.from({ length: BOARDS_IN_ROUND }, (_, board) => {
    const share = (((board * SIZE_STEP) % BOARDS_IN_ROUND) + 0.5) / BOARDS_IN_ROUND;
    end += Math.round(valueOnCurve(SIZES, share));
    return end;
  });
}

function seatAt(ends: readonly number[], seat: number): Seat {
  const seatsInRound = ends.at(-1) ?? 1;
  const rest = seat % seatsInRound;
  const board = firstAbove(ends, rest);
  const start = board === 0 ? 0 : (ends[board - 1] ?? 0);
  return {
    board: Math.floor(seat / seatsInRound) * BOARDS_IN_ROUND + board,
    position: rest - start,
  };
}

/** Returns an order of all donors. Each position occurs exactly once, and neighbouring donors are far apart. */
function createOrder(seed: number, purpose: string, count: number): (donor: number) => number {
  const draw = createDraw(seed, purpose, 0);
  let step = Math.max(1, Math.floor(count * (0.3 + 0.4 * draw())));
  while (greatestCommonDivisor(step, count) !== 1) step += 1;
  const start = Math.floor(draw() * count);
  return (donor) => (donor * step + start) % count;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
