/** What the nights have reached: points passed and died at, faults by endpoint, ways of a contact's life. */
import { type EventRow, LIFE, PLACES } from '../../src/store/contacts/life.ts';
import type { Coverage } from './people.ts';

export interface CoverageCounts extends Coverage {
  /** A contact has gone from one state to another; `unknown` before the store had a row of it. */
  moved(from: string, to: string): void;
  /** Notes from now on which events are tried. */
  watchEvents(): void;
  report(): string;
}

export function createCoverage(): CoverageCounts {
  const points = new Map<string, number>();
  const kills = new Map<string, number>();
  const faults = new Map<string, number>();
  const together = new Map<string, number>();
  const moves = new Map<string, number>();
  const events = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    point: (name) => void count(points, name),
    kill: (name) => void count(kills, name),
    fault: (fault, endpoint) => void count(faults, `${fault} × ${endpoint}`),
    together: (what, submissions) =>
      void count(together, `${submissions} submissions ${what} together`),
    moved: (from, to) => void count(moves, `${from} → ${to}`),
    watchEvents() {
      for (const [event, row] of Object.entries<EventRow>(LIFE)) {
        const get = () => {
          count(events, event);
          return row;
        };
        Object.defineProperty(LIFE, event, { get });
      }
    },
    report() {
      const unkilled = [...points.keys()].filter((name) => !kills.has(name));
      const unmoved = waysOfLife().filter((way) => !moves.has(way));
      const untried = Object.keys(LIFE).filter((event) => !events.has(event));
      return [
        `${points.size} points, ${kills.size} of them with a kill`,
        ...[...together].sort().map(([name, times]) => `${name}: ${times} times`),
        `never killed at: ${listed(unkilled)}`,
        `ways of a contact that were never gone: ${listed(unmoved)}`,
        `events that were never tried: ${listed(untried)}`,
        ...[...moves].sort().map(([name, times]) => `${times} × ${name}`),
        ...[...faults].sort().map(([name, times]) => `${times} × ${name}`),
      ].join('\n');
    },
  };
}

/** All moves that the table of a contact's life allows. */
function waysOfLife(): string[] {
  const all = Object.values<EventRow>(LIFE).flatMap(({ ways }) =>
    ways.flatMap(({ from, to }) =>
      PLACES.flatMap((place) =>
        from.includes(place) && to !== null && to !== place ? `${place} → ${to}` : [],
      ),
    ),
  );
  return [...new Set(all)];
}

function listed(names: readonly string[]): string {
  return names.toSorted().join('; ') || 'none';
}
