/** Briefly caches a value that many users request at the same moment, so it is created only once. */
import type { Clock } from '../../../core/clock.ts';

/** This is long enough for all users who watch a run to fetch its final state. */
const KEPT_MS = 2_000;

/** The maximum number of cached values. */
const MOST = 20;

export interface BriefCache<Value> {
  get(key: string, make: () => Promise<Value>): Promise<Value>;
}

export function createBriefCache<Value>(clock: Pick<Clock, 'monotonicMs'>): BriefCache<Value> {
  const kept = new Map<string, { value: Promise<Value>; untilMs: number }>();
  return {
    get(key, make) {
      const nowMs = clock.monotonicMs();
      for (const [other, { untilMs }] of kept) if (untilMs <= nowMs) kept.delete(other);
      const known = kept.get(key);
      if (known !== undefined) return known.value;
      const [oldest] = kept.keys();
      if (kept.size >= MOST && oldest !== undefined) kept.delete(oldest);
      const value = make();
      kept.set(key, { value, untilMs: nowMs + KEPT_MS });
      // After an error, the next request tries again.
      value.catch(() => kept.delete(key));
      return value;
    },
  };
}
