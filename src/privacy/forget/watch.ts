/**
 * Starts due erasures in `serve` and `worker` processes, one client after the other. Other clients' runs continue
 * during an erasure.
 */

import type { Application } from '../../application.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { newId } from '../../core/new-id.ts';
import { listIntegrationsWithDueErasures } from '../../decisions/statements/erasure-requests.ts';
import { eraseRequested } from './requested.ts';

export interface ErasureWatch {
  /** Finds due erasures and starts them. Does nothing while earlier erasures are in progress. */
  start(): Promise<void>;
  /** Ends the delay after a failed erasure. */
  retryNow(): void;
  /** Resolves when no erasure is in progress. */
  ended(): Promise<void>;
}

/**
 * The first delay after a failure. If a run has the lease or a CRM is unavailable, the delay doubles each time, up to
 * the longest delay.
 */
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 300_000;

export function createErasureWatch(deps: {
  application: Application;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
}): ErasureWatch {
  const { application, clock, log, stopping } = deps;
  const delays = new Map<string, { ms: number; until: number }>();
  let work: Promise<void> | null = null;

  return {
    async start() {
      if (work !== null || stopping.aborted) return;
      const due = await listIntegrationsWithDueErasures(application.store.reader);
      const ready = due.filter((id) => (delays.get(id)?.until ?? 0) <= clock.monotonicMs());
      if (ready.length === 0) return;
      work = eraseAll(ready).finally(() => {
        work = null;
      });
    },
    retryNow: () => delays.clear(),
    async ended() {
      await work;
    },
  };

  async function eraseAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const isDone = await eraseIn(id).catch((error: unknown) => {
        log.error({ integration: id, error: messageOf(error) }, 'erasures were interrupted');
        return false;
      });
      if (isDone) delays.delete(id);
      else postpone(id);
    }
  }

  /** Carries out a client's due erasures. Resolves with false if some of the erasures were not carried out. */
  async function eraseIn(id: string): Promise<boolean> {
    const integration = application.integrations.get(id);
    if (integration === undefined || (await application.findRunning(id)) !== null) return false;
    const forgetDeps = { application, clock, log, newId: () => newId(clock.now()) };
    const { erased, left } = await eraseRequested(forgetDeps, integration, stopping);
    if (erased > 0) log.info({ integration: id, erased, left }, 'contacts were erased on request');
    return left === 0;
  }

  function postpone(id: string): void {
    const ms = Math.min((delays.get(id)?.ms ?? FIRST_DELAY_MS / 2) * 2, LONGEST_DELAY_MS);
    delays.set(id, { ms, until: clock.monotonicMs() + ms });
  }
}
