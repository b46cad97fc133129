/** The interface of engines. An engine decides which process runs which integration, and when. */
import type { RunsAsked } from '../../database/actor-transaction.ts';

/**
 * The right of this process to work on an integration's requests. Only one process has the right to work on an
 * integration's requests at a time. The integration's lease ensures that the database stores only this process's writes
 * (`database/leases.ts`).
 */
export interface Turn {
  integrationId: string;
  /**
   * True if no other process on any host has a turn for the integration. If a started run still has the lease, the run
   * belongs to a process that has lost its turn.
   */
  isExclusive: boolean;
  /** Aborted when a different process has taken over the turn. */
  lost: AbortSignal;
  /** Ends the turn. If the integration still has work, a further turn follows after `afterMs` milliseconds. */
  end(afterMs?: number): Promise<void>;
}

/** The number of further turns that a process can start. */
export interface Capacity {
  /** The maximum number of further turns that the process can take. */
  free: number;
  /**
   * The number of turns that may be used for scheduled requests. The other turns are reserved for users and webhooks.
   */
  forSchedules: number;
  /**
   * True if this process has an integration's settings. Some engines show requests to a process before the process's
   * turn.
   */
  isKnown(integrationId: string): boolean;
}

/** Assigns turns to processes. The same transaction stores a request for a run and notifies the engine. */
export interface Engine {
  /** The interval at which a process takes turns without a notification. */
  checkIntervalMs: number;
  /** Prepares the engine. Until then, the engine finds requests only by reading the database. */
  open(): Promise<void>;
  asked: RunsAsked;
  /** Returns turns that start now, urgent requests first. */
  take(capacity: Capacity): Promise<Turn[]>;
  close(): Promise<void>;
}
