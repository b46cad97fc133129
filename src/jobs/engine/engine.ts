/** The port of engines: what decides which process runs which integration, and when. */
import type { RunsAsked } from '../../database/actor-transaction.ts';

/**
 * The right of this process to answer what was asked of an integration. One process has it at a time;
 * that its writes are the only ones is the work of the lease (`database/leases.ts`).
 */
export interface Turn {
  integrationId: string;
  /**
   * True if no process of any host has another turn of the integration: a run that was begun from a
   * request and still has the lease belongs to a process that has lost its turn.
   */
  isExclusive: boolean;
  /** Aborted when another process has taken the turn over. */
  lost: AbortSignal;
  /**
   * Hands the turn back. If something is still wanted of the integration, another turn follows, not
   * before so many milliseconds have passed.
   */
  end(afterMs?: number): Promise<void>;
}

/** How much a process takes up at once. */
export interface Capacity {
  /** Turns that it has room for. */
  free: number;
  /** How many of them may be for what a schedule alone asked for; the rest waits for people and webhooks. */
  forSchedules: number;
  /** Whether this process has the settings of an integration; asked where the engine sees requests beforehand. */
  isKnown(integrationId: string): boolean;
}

/** Hands out turns. Runs are asked for in the store; an engine learns of them in the same transaction. */
export interface Engine {
  /** How often turns are to be asked for, if nothing happens before. */
  checkIntervalMs: number;
  /** Makes it ready; until then it learns of what was asked when it looks into the store. */
  open(): Promise<void>;
  asked: RunsAsked;
  /** Turns that begin now, those of urgent requests first. */
  take(capacity: Capacity): Promise<Turn[]>;
  close(): Promise<void>;
}
