/** The night that the database is in: whether it is a server in it, by which clock, and who uses it. */
import type { Owner } from '../../../src/core/owner.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { RealPostgres } from './real-postgres.ts';

/** Who uses the database. */
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
  /** How likely a server's connection breaks under the answer to a commit. */
  lostCommits(): number;
  /** By how much a server's clock is off (ms). */
  clockOffsetMs: number;
  say(who: string, what: string): void;
  /** A client commits what belongs to the run of an integration, whose lease has this owner. */
  onCheckpoint(client: Client, integration: string, owner: string | null): void;
}

/** What all parts of the store look at. */
export interface Present {
  /** Null before the first night. */
  night: StoreNight | null;
  /** A real server, once the SQLite is what its nights begin with. */
  server: RealPostgres | null;
}

export function isServer({ night, server }: Present): boolean {
  return server !== null || night?.kind === 'server';
}

/** By the clock of the server. */
export function serverNow({ night }: Present): number {
  return night === null ? 0 : Math.round(night.timeline.now() + night.clockOffsetMs);
}

/** True if a server's connection breaks under the answer to a commit. */
export function losesCommit({ night }: Present): boolean {
  return night?.random.chance(night.lostCommits()) ?? false;
}
