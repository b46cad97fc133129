/** The number of a run's contacts at each station. No station has more contacts than the one before it. */
import { formatCount } from '../../../core/quantities.ts';
import type { RunReport } from '../../../core/run.ts';

const STATIONS = ['read', 'chosen', 'submitted', 'enhanced', 'written'] as const;

export interface Station {
  station: (typeof STATIONS)[number];
  count: number;
}

/** Contacts that exceed the number of the previous station. */
export interface Carried extends Station {
  /** The number of the station without these contacts, and with them. */
  shown: number;
  all: number;
}

/**
 * Converts a run's numbers. A run also processes contacts that earlier runs have read, submitted or paid for. If a
 * station has more contacts than the previous station, the additional contacts are counted separately. The page's
 * script also counts these contacts separately while a run is in progress.
 */
export function toFunnel(contacts: RunReport['contacts']): {
  stations: Station[];
  carried: Carried[];
} {
  const stations: Station[] = [];
  const carried: Carried[] = [];
  let most = Number.POSITIVE_INFINITY;
  for (const station of STATIONS) {
    const count = Math.min(most, contacts[station]);
    stations.push({ station, count });
    const all = contacts[station];
    if (all > count) carried.push({ station, count: all - count, shown: count, all });
    most = count;
  }
  return { stations, carried };
}

/** Returns for example `9 written (26 + 9 = 35)`, so that the sum is visible. */
export function carriedText({ station, count, shown, all }: Carried): string {
  const [first, second, sum] = [shown, count, all].map(formatCount);
  return `${second} ${station} (${first} + ${second} = ${sum})`;
}
