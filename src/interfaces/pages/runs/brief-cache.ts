/** What many ask for in the same moment, made once for all of them. */
import type { Clock } from '../../../core/clock.ts';

/** As long as those who watch a run take to come for its end. */
const KEPT_MS = 2_000;

/** Pages that may be made in that time for others each. */
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
      // Who asks next tries it anew.
      value.catch(() => kept.delete(key));
      return value;
    },
  };
}
