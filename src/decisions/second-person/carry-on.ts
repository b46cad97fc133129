/** Carries out confirmed actions, and continues actions that an earlier process has not finished. */

import { messageOf } from '../../core/errors.ts';
import { type ApprovalRecord, listStoredApprovals } from '../statements/approvals.ts';
import { listApprovals } from '../views/approval.ts';
import { type ConfirmDeps, carryOut } from './confirm.ts';

export interface CarryOnDeps extends ConfirmDeps {
  /** The signal that is aborted when the service has to stop. The next start continues unfinished actions. */
  stopping: AbortSignal;
}

/**
 * The delay before a failed action is retried. The delay doubles after each further failure, because a CRM may refuse a
 * record forever.
 */
const AGAIN_AFTER_MS = 300_000;
const AGAIN_AT_LATEST_MS = 6 * 3_600_000;

/**
 * Returns a function to call after each confirmation. The function carries out confirmed actions, and retries
 * unfinished actions automatically.
 */
export function createApprovalWatch(deps: CarryOnDeps): () => void {
  const { application, clock, log, stopping } = deps;
  let isWatching = false;
  let asked = new AbortController();
  return () => {
    asked.abort();
    if (!isWatching) void watch();
  };

  async function watch(): Promise<void> {
    isWatching = true;
    let againMs = AGAIN_AFTER_MS;
    while (!stopping.aborted) {
      asked = new AbortController();
      const isAllDone = await carryOutAll().catch(noteTrouble);
      if (isAllDone && !asked.signal.aborted) break;
      await clock.sleep(againMs, AbortSignal.any([stopping, asked.signal]));
      againMs = asked.signal.aborted ? AGAIN_AFTER_MS : Math.min(2 * againMs, AGAIN_AT_LATEST_MS);
    }
    isWatching = false;
  }

  /** Logs that the database is unavailable. The confirmed actions stay recorded. */
  function noteTrouble(error: unknown): false {
    if (!stopping.aborted) {
      log.warn({ error: messageOf(error) }, 'what was confirmed could not be looked up');
    }
    return false;
  }

  /** Carries out all confirmed actions. Returns false if at least one action has not been carried out. */
  async function carryOutAll(): Promise<boolean> {
    const approvals = await listApprovals(application.store);
    for (const approval of approvals) {
      if (!isUnfinished(approval) || stopping.aborted) continue;
      const { id } = approval;
      await carryOut(deps, { id }, stopping).catch((error: unknown) => {
        log.warn({ approval: id, error: messageOf(error) }, 'what was confirmed waits');
      });
    }
    const left = await listStoredApprovals(application.store);
    return !left.some(isUnfinished);
  }
}

/** True if the request is confirmed but not finished. */
function isUnfinished({ confirmedBy, outcome }: ApprovalRecord): boolean {
  return confirmedBy !== null && outcome === null;
}
