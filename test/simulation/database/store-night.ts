/** The database's current night: whether it is a server, which clock it has, and who uses it. */
import type { Owner } from '../../../src/core/owner.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { RealPostgres } from './real-postgres.ts';

/** A process that uses the database. */
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
  /** Returns the probability that a server's connection breaks during the response to a commit. */
  lostCommits(): number;
  /** The offset of a server's clock (ms). */
  clockOffsetMs: number;
  say(who: string, what: string): void;
  /** Called when a process commits data of a client's run, with the owner of the client's lease. */
  onCheckpoint(client: Client, integration: string, owner: string | null): void;
}

/** The state that all parts of the store share. */
export interface Present {
  /** Null before the first night. */
  night: StoreNight | null;
  /** Null until the SQLite database has been prepared for the first night. */
  server: RealPostgres | null;
}

export function isServer({ night, server }: Present): boolean {
  return server !== null || night?.kind === 'server';
}

/** Returns the time on the database server's clock. */
export function serverNow({ night }: Present): number {
  return night === null ? 0 : Math.round(night.timeline.now() + night.clockOffsetMs);
}

/** Returns true if a server's connection breaks during the response to this commit. */
export function losesCommit({ night }: Present): boolean {
  return night?.random.chance(night.lostCommits()) ?? false;
}
