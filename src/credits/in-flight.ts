/**
 * Decides how many submissions a run sends at the same time. One is enough, unless the service responds too slowly to
 * use the key's full request rate.
 */

import { MAX_SLOTS } from '../contacts/open-submissions.ts';
import type { Clock } from '../core/clock.ts';
import { MAX_PERSONS_PER_SUBMISSION } from '../core/person.ts';

/**
 * The number of submissions per second that uses a key's full rate of ten requests (service document, section 8). Each
 * submission needs one request to send it and ten requests to fetch its results. The number is increased by half,
 * because profiles arrive irregularly.
 */
const NEEDED_PER_SECOND = (10 / 11) * 1.5;

export interface Latency {
  /** The usual response time. Null before the first response. */
  answeredMs: number | null;
  /** The time for which the oldest submission in flight has waited. */
  waitingMs: number;
}

/** Returns the number of submissions that may be in flight at the same time. */
export function submissionsAtOnce({ answeredMs, waitingMs }: Latency): number {
  const latencyMs = Math.max(answeredMs ?? 0, waitingMs);
  return Math.min(Math.max(1, Math.ceil((latencyMs / 1_000) * NEEDED_PER_SECOND)), MAX_SLOTS);
}

/**
 * The numbers by which the sizes of simultaneous batches differ. Every combination of these batches has a different
 * total size, so the balance shows which batches were charged.
 */
const SMALLER_BY = [0, 1, 2, 4, 8, 16];

/**
 * Returns the number of people for the next submission. Two open batches never have the same size. Returns 0 if no
 * batch can be sent.
 */
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

/** Measures the response time of submissions. */
export interface LatencyMeter {
  /** Records that a request is sent. Call this function again for each retry. */
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
