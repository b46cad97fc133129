import type { Clock } from '../core/clock.ts';
import type { RunRequestRecord } from '../store/runs/run-requests.ts';

/** Which requests may begin a run now. */
export interface Debounce {
  /** Asked of a request whose integration is free; if true, its run is expected to begin. */
  mayBegin(row: Pick<RunRequestRecord, 'integrationId' | 'trigger' | 'requestedAt'>): boolean;
}

/**
 * Webhooks come in bursts, and a run that finds little to do is over before the next one arrives.
 * So the first of a burst begins a run at once, and what arrives within this time becomes one run.
 */
const DEBOUNCE_MS = 15_000;

/** Combines what webhooks ask for; people and schedules never wait for it. */
export function createDebounce(clock: Pick<Clock, 'now'>): Debounce {
  const openedAt = new Map<string, number>();
  return {
    mayBegin({ integrationId: id, trigger, requestedAt }) {
      if (trigger !== 'webhook') return true;
      const now = clock.now();
      const opened = openedAt.get(id);
      // One in the future is from before the clock was set back, and says nothing any more.
      if (opened !== undefined && opened <= now) {
        if (requestedAt <= opened) return true;
        if (now - opened < DEBOUNCE_MS) return false;
      }
      openedAt.set(id, now);
      return true;
    },
  };
}
