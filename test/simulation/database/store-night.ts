/** The present night of the database: whether it is a server, by which clock, and who uses it. */
import type { Owner } from '../../../src/core/owner.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { RealPostgres } from './real-postgres.ts';

/** A user of the database. */
export interface Client {
  readonly name: string;
  readonly owner: Pick<Owner, 'start'>;
  readonly state: 'alive' | 'frozen' | 'gone';
  point(name: string): Promise<void>;
}

export type StoreKind = 'machine' | 'server';

export interface StoreNight {
  kind: StoreKind;
  timeline: Timeline;
  random: Random;
  /** The probability that a server's connection breaks during the response to a commit. */
  lostCommits(): number;
  /** The offset of a server's clock (ms). */
  clockOffsetMs: number;
  say(who: string, what: string): void;
  /** A client commits data of an integration's run, whose lease has this owner. */
  onCheckpoint(client: Client, integration: string, owner: string | null): void;
}

/** The state that all parts of the store share. */
export interface Present {
  /** Null before the first night. */
  night: StoreNight | null;
  /** A real server, once the SQLite database has the starting state of its nights. */
  server: RealPostgres | null;
}

export function isServer({ night, server }: Present): boolean {
  return server !== null || night?.kind === 'server';
}

/** The time by the server's clock. */
export function serverNow({ night }: Present): number {
  return night === null ? 0 : Math.round(night.timeline.now() + night.clockOffsetMs);
}

/** True if a server's connection breaks during the response to a commit. */
export function losesCommit({ night }: Present): boolean {
  return night?.random.chance(night.lostCommits()) ?? false;
}
