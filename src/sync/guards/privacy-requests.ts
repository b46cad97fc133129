/**
 * Handles privacy requests that a CRM records in a contact, for example a request for erasure. One bulk update in a CRM
 * can mark thousands of contacts, so a user decides about each request. The settings can allow a number of requests per
 * day without a user's decision.
 */

import type { ContactPage } from '../../../connectors/contract.ts';
import type { PrivacyMarks } from '../../core/contact.ts';
import type { ErasureSource } from '../../core/questions/batch-facts.ts';
import type { ErasureRequest } from '../../decisions/statements/erasure-requests.ts';
import { recordReadRequests } from '../../decisions/statements/erasure-requests.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { forgottenFingerprint } from '../control/erased.ts';

/** Returns the request that these marks express, or null if they express no request. A pure function. */
function requestIn(marks: PrivacyMarks | undefined): ErasureSource | null {
  if (marks === undefined) return null;
  if (marks.shouldForget) return marks.isOnHold ? 'privacy_hold' : 'should_forget';
  return marks.objectsToProfiling && !marks.isOnHold ? 'objection' : null;
}

/**
 * Records the privacy requests of these contacts. Updates `marked`, which is the list of contacts with a recorded
 * request.
 */
export async function recordPrivacyRequests(
  deps: Pick<SyncDeps, 'store' | 'log' | 'newId' | 'erasuresWait'>,
  run: Pick<Run, 'id' | 'lease' | 'integration' | 'forgotten' | 'erased'>,
  { contacts }: Pick<ContactPage, 'contacts'>,
  marked: Set<string>,
): Promise<void> {
  const { store, log, newId } = deps;
  const mayErase = run.integration.privacy.crmRequests === 'erase' && deps.erasuresWait !== true;
  const requests: ErasureRequest[] = [];
  const withdrawn: string[] = [];
  for (const { id: crmId, privacy } of contacts) {
    const source = requestIn(privacy);
    if (source === null) {
      if (marked.delete(crmId)) withdrawn.push(crmId);
    } else if (forgottenFingerprint(deps, run, crmId) === null) {
      marked.add(crmId);
      requests.push({ crmId, source, isAutomatic: mayErase && source === 'should_forget' });
    }
  }
  if (requests.length === 0 && withdrawn.length === 0) return;
  const counts = await store.checkpoint(run.lease, (trx) =>
    recordReadRequests(trx, requests, { withdrawn, newId }),
  );
  if (counts.due + counts.asked > 0) {
    log.warn({ run: run.id, ...counts }, 'the CRM asks to erase contacts');
  }
}
