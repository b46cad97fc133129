/**
 * Records the coverage of the nights: points passed, points of death, faults by endpoint, and transitions in a
 * contact's life.
 */
import {
  type EventRow,
  LIFE_STATES,
  type LifeState,
  type Way,
} from '../../src/contacts/life/event.ts';
import { LIFE } from '../../src/contacts/life/life.ts';
import type { Coverage } from './people/people.ts';

export interface CoverageCounts extends Coverage {
  /** Records what happened to a contact in a state. The state is `unknown` before the store had a row. */
  moved(event: string | null, from: string, to: string): void;
  /** Records from now on which events are applied to rows in memory, and in which states. */
  watchEvents(): void;
  report(): string;
}

/** Records nothing, for runs that need no coverage. */
export const NO_COVERAGE: Coverage = {
  point: () => undefined,
  kill: () => undefined,
  fault: () => undefined,
  reached: () => undefined,
  together: () => undefined,
};

export function createCoverage(): CoverageCounts {
  const points = new Map<string, number>();
  const kills = new Map<string, number>();
  const faults = new Map<string, number>();
  const together = new Map<string, number>();
  const events = new Map<string, number>();
  const moves = new Map<string, number>();
  const cells = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    point: (name) => void count(points, name),
    kill: (name) => void count(kills, name),
    fault: (fault, endpoint) => void count(faults, `${fault} × ${endpoint}`),
    reached: (event) => void count(events, event),
    together: (what, submissions) =>
      void count(together, `${submissions} submissions ${what} together`),
    moved(event, from, to) {
      if (from !== to) count(moves, `${from} → ${to}`);
      if (event !== null) count(cells, cell(event, from));
    },
    watchEvents() {
      for (const [event, row] of Object.entries<EventRow>(LIFE)) {
        Object.defineProperty(LIFE, event, {
          value: watched(row, (place) => count(cells, cell(event, place))),
        });
      }
    },
    report() {
      const unkilled = [...points.keys()].filter((name) => !kills.has(name));
      const unmoved = waysOfLife().filter((way) => !moves.has(way));
      const allCells = cellsOfLife();
      const unreached = allCells.filter((each) => !cells.has(each));
      return [
        `${points.size} points, ${kills.size} of them with a kill`,
        ...[...together].sort().map(([name, times]) => `${name}: ${times} times`),
        ...[...events].sort().map(([name, nights]) => `${nights} nights reached: ${name}`),
        `never killed at: ${listed(unkilled)}`,
        `ways of a contact that were never gone: ${listed(unmoved)}`,
        `events at states: ${allCells.length - unreached.length} of ${allCells.length} reached, but for: ${listed(unreached)}`,
        ...[...moves].sort().map(([name, times]) => `${times} × ${name}`),
        ...[...faults].sort().map(([name, times]) => `${times} × ${name}`),
      ].join('\n');
    },
  };
}

const cell = (event: string, place: string) => `${event} at ${place}`;

/** Returns all events in all states in which the table allows them. */
function cellsOfLife(): string[] {
  return Object.entries<EventRow>(LIFE).flatMap(([event, { ways }]) => {
    const places = ways.flatMap(({ from }) => LIFE_STATES.filter((place) => from.includes(place)));
    return [...new Set(places)].map((place) => cell(event, place));
  });
}

/**
 * Returns the same row, but reports the state of each contact that is computed with it. (`after` in `move.ts` asks a
 * row whether it starts from that state, and reads the target after it has chosen the row.)
 */
function watched(row: EventRow, onTaken: (place: LifeState) => void): EventRow {
  let asked: { way: Way; place: LifeState } | null = null;
  const ways = row.ways.map((way): Way => {
    const includes = (place: LifeState) => {
      const isThere = way.from.includes(place);
      if (isThere) asked = { way, place };
      return isThere;
    };
    return {
      ...way,
      from: Object.assign([...way.from], { includes }),
      get to() {
        if (asked?.way === way) onTaken(asked.place);
        asked = null;
        return way.to;
      },
    };
  });
  return { ...row, ways };
}

/** Returns all transitions that the table of a contact's life allows. */
function waysOfLife(): string[] {
  const all = Object.values<EventRow>(LIFE).flatMap(({ ways }) =>
    ways.flatMap(({ from, to }) =>
      LIFE_STATES.flatMap((place) =>
        from.includes(place) && to !== null && to !== place ? `${place} → ${to}` : [],
      ),
    ),
  );
  return [...new Set(all)];
}

function listed(names: readonly string[]): string {
  return names.toSorted().join('; ') || 'none';
}
