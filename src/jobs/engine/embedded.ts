/**
 * The engine for a database without a server. The requests in the database are its queue, and the leases are its locks.
 */
import type { Clock } from '../../core/clock.ts';
import type { RunRequestRecord } from '../../sync/statements/request-rows.ts';
import type { Engine, Turn } from './engine.ts';

export interface EmbeddedDeps {
  /** Returns queued requests that may start, and started requests that have not ended. */
  listReady(): Promise<RunRequestRecord[]>;
  listBegun(): Promise<RunRequestRecord[]>;
  clock: Pick<Clock, 'monotonicMs'>;
  /** True if no process works on the integration. */
  isFree(integrationId: string): Promise<boolean>;
}

export function createEmbeddedEngine({
  listReady,
  listBegun,
  clock,
  isFree,
}: EmbeddedDeps): Engine {
  /** The integrations for which this process has a turn. */
  const taken = new Set<string>();
  /** The time of the next attempt (monotonic), for each integration that could not start. */
  const resting = new Map<string, number>();
  const never = new AbortController().signal;

  return {
    checkIntervalMs: 2_000,
    async open() {},
    async asked(_trx, runs) {
      for (const run of runs) if (run.isUrgent) resting.delete(run.integrationId);
    },
    async take({ free, forSchedules, isKnown }) {
      const turns: Turn[] = [];
      const known = new Map<string, boolean>();
      // Requests come first if their process may have died.
      for (const row of [...(await listBegun()), ...(await listReady())]) {
        const { integrationId } = row;
        if (turns.length >= free) break;
        if (row.urgent === 0 && turns.length >= forSchedules) continue;
        if (taken.has(integrationId) || isResting(integrationId)) continue;
        const isIdle = known.get(integrationId) ?? (await isFree(integrationId));
        known.set(integrationId, isIdle);
        if (isIdle && isKnown(integrationId)) turns.push(begin(integrationId));
      }
      return turns;
    },
    async close() {},
  };

  function isResting(integrationId: string): boolean {
    return (resting.get(integrationId) ?? 0) > clock.monotonicMs();
  }

  function begin(integrationId: string): Turn {
    resting.delete(integrationId);
    taken.add(integrationId);
    return {
      integrationId,
      isExclusive: false,
      lost: never,
      async end(afterMs = 0) {
        taken.delete(integrationId);
        if (afterMs > 0) resting.set(integrationId, clock.monotonicMs() + afterMs);
      },
    };
  }
}
