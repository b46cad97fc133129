/**
 * How many submissions are under way at one time: one as long as that keeps the pace of the key busy, more
 * as the service takes longer to answer.
 */

import { MAX_SLOTS } from '../contacts/open-submissions.ts';
import type { Clock } from '../core/clock.ts';
import { MAX_PERSONS_PER_SUBMISSION } from '../core/person.ts';

/**
 * Submissions a second that keep a key busy: its ten requests a second (service document, section 8) are
 * one submission, and ten that fetch the results of its persons. Half as many again, since
 * profiles come unevenly.
 */
const NEEDED_PER_SECOND = (10 / 11) * 1.5;

/** What is known of how long the service takes to answer a submission (ms). */
export interface Latency {
  /** Of those that were answered; null if none was. */
  answeredMs: number | null;
  /** How long the oldest one under way has been waiting. */
  waitingMs: number;
}

/** Pure: how many may be under way. */
export function submissionsAtOnce({ answeredMs, waitingMs }: Latency): number {
  const latencyMs = Math.max(answeredMs ?? 0, waitingMs);
  return Math.min(Math.max(1, Math.ceil((latencyMs / 1_000) * NEEDED_PER_SECOND)), MAX_SLOTS);
}

/** Batches that are open at one time are smaller than a full one by this: each set of them has a sum of its own. */
const SMALLER_BY = [0, 1, 2, 4, 8, 16];

/** Pure: how many of the persons at hand are sent, so that no two open batches have the same size; 0 for none. */
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
  /** A request leaves; called again if it leaves once more. */
  leaves(id: string): void;
  /** Its answer is there, or there will be none. */
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
