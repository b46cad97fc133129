/** The interface of engines, which decide which process runs which integration, and when. */
import type { RunsAsked } from '../../database/actor-transaction.ts';

/**
 * The right of this process to work on an integration's requests. Only one process has it at a time. The lease ensures
 * that only that process's writes count (`database/leases.ts`).
 */
export interface Turn {
  integrationId: string;
  /**
   * True if no process on any host has another turn for the integration. If a started run still has the lease, it then
   * belongs to a process that has lost its turn.
   */
  isExclusive: boolean;
  /** Aborted when another process has taken over the turn. */
  lost: AbortSignal;
  /**
   * Returns the turn. If the integration still has work, another turn follows, but only after this many
   * milliseconds.
   */
  end(afterMs?: number): Promise<void>;
}

/** How much a process can work on at the same time. */
export interface Capacity {
  /** The number of turns for which it has room. */
  free: number;
  /**
   * How many of these turns may be for requests that only a schedule has made. The rest is reserved for users and
   * webhooks.
   */
  forSchedules: number;
  /** True if this process has an integration's settings. Called if the engine sees requests in advance. */
  isKnown(integrationId: string): boolean;
}

/** Assigns turns. A request for a run is stored, and the engine is notified of it in the same transaction. */
export interface Engine {
  /** How often to take turns if there is no notification. */
  checkIntervalMs: number;
  /** Makes the engine ready. Until then, it finds requests only by reading the store. */
  open(): Promise<void>;
  asked: RunsAsked;
  /** Returns turns that start now, urgent requests first. */
  take(capacity: Capacity): Promise<Turn[]>;
  close(): Promise<void>;
}
