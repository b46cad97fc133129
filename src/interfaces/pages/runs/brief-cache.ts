/** Caches a value for a short time if many users request it at the same moment. The value is then created only once. */
import type { Clock } from '../../../core/clock.ts';

/**
 * The lifetime of a cached value. A cached value lives long enough for all users who watch a run to fetch the run's
 * final state.
 */
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
      // If creating the value fails, the next request tries again.
      value.catch(() => kept.delete(key));
      return value;
    },
  };
}
