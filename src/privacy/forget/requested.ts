/** Carries out due erasures. A due erasure was requested by a user, by an event in the CRM or by the settings. */

import {
  type DonorSyncError,
  isDonorSyncError,
  isRetriableError,
  messageOf,
} from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { DueErasure } from '../../decisions/statements/erasure-requests.ts';
import {
  endErasureRequest,
  forbidErasure,
  listDueErasures,
  recordErasureRequests,
} from '../../decisions/statements/erasure-requests.ts';
import { forgetPerson, PRIVACY_HOLD, REQUEST_WITHDRAWN } from './forget.ts';
import type { ForgetPersonDeps } from './targets.ts';

/** The result of one attempt to carry out all due erasures. */
export interface ErasedOnRequest {
  erased: number;
  /** The number of erasures that could not be finished. These erasures remain due. */
  left: number;
}

/** The number of erasures that are loaded at a time. */
const AT_ONCE = 500;

/**
 * The erasure sources that depend on a mark in the CRM. The contact must still have the mark when the erasure starts.
 */
const BY_MARK: readonly DueErasure['source'][] = ['should_forget', 'objection'];

/**
 * Erases the contacts whose erasures are due, one after the other. The work can be stopped at any time. A request
 * remains due until its erasure is complete, and a repeated erasure continues from the interruption.
 */
export async function eraseRequested(
  deps: ForgetPersonDeps,
  integration: Integration,
  signal: AbortSignal,
): Promise<ErasedOnRequest> {
  const { reader } = deps.application.store;
  const done: ErasedOnRequest = { erased: 0, left: 0 };
  for (;;) {
    const due = await listDueErasures(reader, integration.id, AT_ONCE);
    const before = done.erased;
    done.left = 0;
    for (const one of due) {
      if (signal.aborted) return { ...done, left: due.length };
      const outcome = await eraseOne(deps, integration, one);
      if (outcome === 'erased') done.erased += 1;
      if (outcome === 'left') done.left += 1;
      // A run has the lease, or the CRM is unavailable. The remaining erasures would fail too.
      if (outcome === 'later') return { ...done, left: due.length };
    }
    if (due.length < AT_ONCE || done.erased === before) return done;
  }
}

/**
 * Returns true for an error that would also stop the client's next erasures. This is the case if a run has the lease,
 * the process is stopping, or the CRM does not respond. Returns false for errors that affect only this contact.
 */
function isForAll(error: DonorSyncError): boolean {
  const reason = error.code === 'erasure_cut_off' ? error.cause : error;
  return isRetriableError(reason) && FOR_ALL.has(reason.code);
}

const FOR_ALL: ReadonlySet<string> = new Set([
  ...['already_running', 'crm_unavailable', 'crm_limit_reached', 'interrupted', 'database_busy'],
]);

type Outcome = 'erased' | 'ended' | 'left' | 'later';

async function eraseOne(
  deps: ForgetPersonDeps,
  integration: Integration,
  due: DueErasure,
): Promise<Outcome> {
  const { store } = deps.application;
  const { crmId, source } = due;
  const isMark = BY_MARK.includes(source);
  try {
    const receipt = await forgetPerson(deps, {
      integration,
      crmId,
      // A contact that the CRM has deleted has no fields to clear.
      alsoInCrm: source !== 'crm_event',
      everywhere: false,
      blockUnknown: true,
      ofCrm: {
        mustStand: isMark,
        async foundMerged(winner) {
          const asked = { crmId: winner, source: 'merged', isAutomatic: false } as const;
          await store.act((trx) => recordErasureRequests(trx, integration.id, [asked], deps));
        },
      },
    });
    if (!receipt.complete) return 'left';
    await endErasureRequest(store.connection, due);
    return 'erased';
  } catch (error) {
    if (!isDonorSyncError(error)) throw error;
    if (error.code === PRIVACY_HOLD) {
      await store.act((trx) => forbidErasure(trx, due, deps.newId()));
      return 'ended';
    }
    if (error.code === REQUEST_WITHDRAWN) {
      await endErasureRequest(store.connection, due);
      return 'ended';
    }
    deps.log.warn(
      { integration: integration.id, error: messageOf(error) },
      'an erasure that the CRM requested is waiting',
    );
    return isForAll(error) ? 'later' : 'left';
  }
}
