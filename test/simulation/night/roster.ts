/** The processes of a night: which live, when each was born, what it is for, and how many were killed. */
import type { Outage } from '../database/outages.ts';
import type { Life } from '../processes/process.ts';

export interface Roster {
  /** Those that live, by their process ids. */
  lives: Map<number, Life>;
  births: Map<string, number>;
  named: Map<string, Life>;
  /** Processes that sync one contact. */
  forOne: Set<string>;
  /** When processes stood still. */
  stills: Outage[];
  killed: number;
}

export function createRoster(): Roster {
  return {
    ...{ lives: new Map(), births: new Map(), named: new Map(), forOne: new Set() },
    ...{ stills: [], killed: 0 },
  };
}
