/**
 * Reads the data about contacts that a delivery needs. Reads it once for all contacts, regardless of the source of
 * their profiles.
 */

import { parseOwned } from '../../contacts/owned-values.ts';
import { listApprovedKinds } from '../../decisions/statements/delivery-answers.ts';
import type { ContactQuestion } from '../../decisions/statements/questions.ts';
import { readRecords } from '../../fields/records.ts';
import { findMergedValues } from '../../fields/statements/former-values.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { refreshIfAlike } from '../control/erased.ts';
import type { Circumstances, Fetched } from '../profile-delivery.ts';
import { formerFields } from './former-fields.ts';

/** The circumstances of each delivery by tracking ID, and the users' approvals for the delivery. */
export interface KnownCircumstances {
  of(fetched: Fetched): Circumstances;
  approvals: ReadonlyMap<string, ContactQuestion['kind']>;
}

/**
 * Reads the contacts' records and the users' decisions. The records include fields that may contain a different donor's
 * values.
 */
export async function readCircumstances(
  deps: Pick<SyncDeps, 'store' | 'connector'>,
  run: Pick<Run, 'integration' | 'fields' | 'described' | 'forgotten' | 'erased'>,
  fetched: readonly Fetched[],
): Promise<KnownCircumstances> {
  const crmIds = fetched.map(({ ready }) => ready.contact.crmId);
  const merged = await findMergedValues(deps.store.reader, run.integration.id, crmIds);
  const mergedInto = (crmId: string) => merged.get(crmId) ?? [];
  const owned = new Map(
    fetched.map(({ ready: { contact } }) => [contact.crmId, contact.ownedValues]),
  );
  const getOwned = (crmId: string) => parseOwned(owned.get(crmId) ?? '{}');
  const getRecord = await readRecords(deps, run, crmIds, getOwned, (getIntended) =>
    fetched
      .flatMap(({ ready, profile }) => {
        const { crmId } = ready.contact;
        return formerFields(ready, profile, mergedInto(crmId), getIntended(crmId));
      })
      .filter((field) => run.described.has(field)),
  );
  await refreshIfAlike(
    deps,
    run,
    crmIds.map((id) => getRecord(id).lookup),
  );
  const approvals = await listApprovedKinds(
    deps.store.reader,
    fetched.map(({ ready }) => ready.job.trackingId),
  );
  return {
    of: ({ ready: { contact, job } }) => ({
      ...getRecord(contact.crmId),
      approval: approvals.get(job.trackingId) ?? null,
      merged: mergedInto(contact.crmId),
    }),
    approvals,
  };
}
