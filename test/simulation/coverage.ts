/**
 * Counts what the simulated nights have covered: the points that processes reached, the points at which processes died,
 * the faults by endpoint, and the transitions in a contact's life.
 */
import {
  type EventRow,
  LIFE_STATES,
  type LifeState,
  type Way,
} from '../../src/contacts/life/event.ts';
import { LIFE } from '../../src/contacts/life/life.ts';
import { SUBJECTS } from './judges/subjects.ts';
import type { Coverage } from './people/people.ts';

export interface CoverageCounts extends Coverage {
  /** Records an event and the contact's state before it. The state is `unknown` if the store had no row. */
  moved(event: string | null, from: string, to: string): void;
  /** Starts to record which events are applied to rows in memory, and the state of each row. */
  watchEvents(): void;
  report(): string;
}

/** A coverage that records nothing, for simulations that need no coverage. */
export const NO_COVERAGE: Coverage = {
  point: () => undefined,
  kill: () => undefined,
  fault: () => undefined,
  reached: () => undefined,
  looked: () => undefined,
  together: () => undefined,
};

export function createCoverage(): CoverageCounts {
  const points = new Map<string, number>();
  const kills = new Map<string, number>();
  const faults = new Map<string, number>();
  const together = new Map<string, number>();
  const events = new Map<string, number>();
  const judges = new Map<string, Set<string>>();
  const moves = new Map<string, number>();
  const cells = new Map<string, number>();
  /**
   * Returns a table. For each subject, it shows the number of nights that reached it, and the number of judges that
   * looked at it.
   */
  const subjectRows = () =>
    [...new Set([...SUBJECTS, ...events.keys()])].toSorted().map((name) => {
      const by = [...(judges.get(name) ?? [])].toSorted();
      const named = by.length === 0 ? 'no judge' : `${by.length} judges (${by.join(', ')})`;
      return `${events.get(name) ?? 0} nights reached, ${named}: ${name}`;
    });
  const count = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    point: (name) => void count(points, name),
    kill: (name) => void count(kills, name),
    fault: (fault, endpoint) => void count(faults, `${fault} × ${endpoint}`),
    reached: (event) => void count(events, event),
    looked: (subject, by) =>
      void judges.set(subject, new Set([...(judges.get(subject) ?? []), ...by])),
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
        ...subjectRows(),
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

/** Returns all combinations of an event and a state that the product's table allows. */
function cellsOfLife(): string[] {
  return Object.entries<EventRow>(LIFE).flatMap(([event, { ways }]) => {
    const places = ways.flatMap(({ from }) => LIFE_STATES.filter((place) => from.includes(place)));
    return [...new Set(places)].map((place) => cell(event, place));
  });
}

/**
 * Returns a copy of the row that reports the contact's state. `after` in `move.ts` first chooses the row by this
 * state, and then reads the target.
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

/** Returns all changes of state that the product's table allows. */
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
