/** Computes the number of a run's contacts at each station. No station has more contacts than the station before it. */
import type { RunReport } from '../../../core/run.ts';

const STATIONS = ['read', 'chosen', 'submitted', 'enhanced', 'written'] as const;

export interface Station {
  station: (typeof STATIONS)[number];
  count: number;
}

/**
 * Converts a run's numbers. A run also processes contacts that earlier runs have read, submitted or paid for. If a
 * station has more contacts than the previous station, the additional contacts are counted separately. The page's
 * script does the same while a run is in progress.
 */
export function toFunnel(contacts: RunReport['contacts']): {
  stations: Station[];
  carried: Station[];
} {
  const stations: Station[] = [];
  const carried: Station[] = [];
  let most = Number.POSITIVE_INFINITY;
  for (const station of STATIONS) {
    const count = Math.min(most, contacts[station]);
    stations.push({ station, count });
    if (contacts[station] > count) carried.push({ station, count: contacts[station] - count });
    most = count;
  }
  return { stations, carried };
}
