/**
 * Decides how many submissions are in flight at a time. One is enough unless the service is too slow to use the key's
 * full request rate.
 */

import { MAX_SLOTS } from '../contacts/open-submissions.ts';
import type { Clock } from '../core/clock.ts';
import { MAX_PERSONS_PER_SUBMISSION } from '../core/person.ts';

/**
 * This many submissions per second use a key's full rate of ten requests (service document, section 8). Each submission
 * needs one request to send it and ten to fetch its results. The number is increased by half, because profiles arrive
 * irregularly.
 */
const NEEDED_PER_SECOND = (10 / 11) * 1.5;

export interface Latency {
  /** Null before the first response. */
  answeredMs: number | null;
  /** The waiting time of the oldest submission in flight. */
  waitingMs: number;
}

/** Returns the number of submissions that may be in flight. */
export function submissionsAtOnce({ answeredMs, waitingMs }: Latency): number {
  const latencyMs = Math.max(answeredMs ?? 0, waitingMs);
  return Math.min(Math.max(1, Math.ceil((latencyMs / 1_000) * NEEDED_PER_SECOND)), MAX_SLOTS);
}

/**
 * Batches that are open at the same time differ by this number. Every set of these batches has a different total size,
 * so the balance shows which were charged.
 */
const SMALLER_BY = [0, 1, 2, 4, 8, 16];

/** Returns the number of people to send. Open batches never have the same size. Returns 0 if none can be sent. */
export function batchSize(
  available: number,
  openSizes: readonly number[],
  full = MAX_PERSONS_PER_SUBMISSION,
): number {
  const taken = new Set(openSizes);
  const wanted = SMALLER_BY.map((less) => Math.min(full - less, available));
  const free = wanted.find((size) => size > 0 && !taken.has(size));
  if (free !== undefined) return free;
  for (let size = Math.min(full, available); size > 0; size -= 1) if (!taken.has(size)) return size;
  return 0;
}

/** Measures how long submissions take. */
export interface LatencyMeter {
  /** Records that a request is sent. Call it again for each retry. */
  leaves(id: string): void;
  /** Records that the response has arrived or will never arrive. */
  ends(id: string, isAnswered: boolean): void;
  latency(): Latency;
}

export function createLatencyMeter(clock: Pick<Clock, 'monotonicMs'>): LatencyMeter {
  const left = new Map<string, number>();
  let answeredMs: number | null = null;
  return {
    leaves(id) {
      left.set(id, clock.monotonicMs());
    },
    ends(id, isAnswered) {
      const leftMs = left.get(id);
      left.delete(id);
      if (leftMs === undefined || !isAnswered) return;
      const tookMs = clock.monotonicMs() - leftMs;
      answeredMs = answeredMs === null ? tookMs : (answeredMs + tookMs) / 2;
    },
    latency() {
      const nowMs = clock.monotonicMs();
      return { answeredMs, waitingMs: Math.max(0, ...[...left.values()].map((ms) => nowMs - ms)) };
    },
  };
}
