/** The interface of engines, which decide which process runs which integration, and when. */
import type { RunsAsked } from '../../database/actor-transaction.ts';

/**
 * The right of this process to work on an integration's requests. Only one process has it at a time. The lease ensures
 * that only the writes of that process are stored (`database/leases.ts`).
 */
export interface Turn {
  integrationId: string;
  /**
   * True if no process on any host has a different turn for the integration. If a started run still has the lease, it
   * then belongs to a process that has lost its turn.
   */
  isExclusive: boolean;
  /** Aborted when a different process has taken over the turn. */
  lost: AbortSignal;
  /** If the integration still has work, a further turn follows after `afterMs` milliseconds. */
  end(afterMs?: number): Promise<void>;
}

/** The number of turns that a process can work on at the same time. */
export interface Capacity {
  /** The maximum number of further turns that the process can take. */
  free: number;
  /**
   * The number of these turns that may be for requests that only a schedule has made. The rest is reserved for users
   * and webhooks.
   */
  forSchedules: number;
  /** True if this process has an integration's settings. Some engines show a process requests before its turn. */
  isKnown(integrationId: string): boolean;
}

/** Assigns turns to processes. In one transaction, a request for a run is stored and the engine is notified of it. */
export interface Engine {
  /** The interval at which turns are taken if no notification arrives. */
  checkIntervalMs: number;
  /** Prepares the engine. Until then, it finds requests only by reading the store. */
  open(): Promise<void>;
  asked: RunsAsked;
  /** Returns turns that start now, urgent requests first. */
  take(capacity: Capacity): Promise<Turn[]>;
  close(): Promise<void>;
}
