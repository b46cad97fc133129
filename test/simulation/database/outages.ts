/** Simulates faults of the database and its disk. For some time, the database is unavailable or the disk is full. */
import Sqlite from 'better-sqlite3';
import type { Present } from './store-night.ts';

export interface Outage {
  from: number;
  until: number;
}

export interface Outages {
  begin(): void;
  goAway(ms: number): void;
  fillDisk(ms: number): void;
  isAway(): boolean;
  isFull(): boolean;
  /** Throws an error if the disk is full. */
  requireRoom(): void;
  readonly awayUntil: number;
  readonly fullUntil: number;
  /** The longest time in this night for which the database was unavailable. */
  readonly longestAwayMs: number;
  /** The times at which no process could write to the database. */
  readonly outages: readonly Outage[];
}

export function createOutages(present: Present): Outages {
  let awaySince = 0;
  let awayUntil = 0;
  let longestAwayMs = 0;
  let outages: Outage[] = [];
  let fullUntil = 0;
  return {
    begin() {
      awayUntil = 0;
      outages = [];
      longestAwayMs = 0;
      fullUntil = 0;
    },
    goAway(ms) {
      const { night } = present;
      if (night === null) return;
      if (!isAway()) awaySince = night.timeline.now();
      awayUntil = Math.max(awayUntil, night.timeline.now() + ms);
      longestAwayMs = Math.max(longestAwayMs, awayUntil - awaySince);
      outages.push({ from: night.timeline.now(), until: awayUntil });
      night.say('the database', `is away for ${Math.round(ms / 100) / 10} s`);
    },
    fillDisk(ms) {
      const { night } = present;
      if (night === null) return;
      fullUntil = night.timeline.now() + ms;
      outages.push({ from: night.timeline.now(), until: fullUntil });
      night.say('the disk', `of the database is full for ${Math.round(ms / 1000)} s`);
    },
    isAway,
    isFull,
    requireRoom() {
      if (isFull()) throw fullDisk();
    },
    get awayUntil() {
      return awayUntil;
    },
    get fullUntil() {
      return fullUntil;
    },
    get longestAwayMs() {
      return longestAwayMs;
    },
    get outages() {
      return outages;
    },
  };

  function isAway(): boolean {
    return present.night !== null && present.night.timeline.now() < awayUntil;
  }

  function isFull(): boolean {
    return present.night !== null && present.night.timeline.now() < fullUntil;
  }
}

export function fullDisk(): Error {
  return new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
}

export function lostConnection(code: string): Error {
  return Object.assign(new Error(`the connection to the database is lost (${code})`), { code });
}
