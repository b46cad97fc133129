/**
 * Records which processes of a night are alive, when and why each process was started, and how many processes were
 * killed.
 */
import type { Outage } from '../database/outages.ts';
import type { Life } from '../processes/process.ts';

export interface Roster {
  /** The living processes, by process ID. */
  lives: Map<number, Life>;
  births: Map<string, number>;
  named: Map<string, Life>;
  /** Processes that sync only one contact. */
  forOne: Set<string>;
  /** The times at which processes were frozen. */
  stills: Outage[];
  killed: number;
}

export function createRoster(): Roster {
  return {
    ...{ lives: new Map(), births: new Map(), named: new Map(), forOne: new Set() },
    ...{ stills: [], killed: 0 },
  };
}
