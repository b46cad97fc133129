/**
 * Reads the data about contacts that a delivery needs. Reads it once for all contacts, regardless of the source of
 * their profiles.
 */

import type { RecordLookup } from '../../../connectors/contract.ts';
import { parseOwned } from '../../contacts/owned-values.ts';
import { listApprovedKinds } from '../../decisions/statements/delivery-answers.ts';
import type { ContactQuestion } from '../../decisions/statements/questions.ts';
import { readRecords } from '../../fields/records.ts';
import {
  findMergedValues,
  findValuesOfDonors,
  type ValuesOfRecord,
} from '../../fields/statements/former-values.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { refreshIfAlike } from '../control/erased.ts';
import { donorIdFields, donorIdIn } from '../donor-in-record.ts';
import type { Circumstances, Fetched } from '../profile-delivery.ts';
import { formerFields } from './former-fields.ts';

/** The circumstances of each delivery by tracking ID, and the users' approvals for the delivery. */
export interface KnownCircumstances {
  of(fetched: Fetched): Circumstances;
  approvals: ReadonlyMap<string, ContactQuestion['kind']>;
}

type DeliveringRun = Pick<
  Run,
  'integration' | 'mappings' | 'fields' | 'described' | 'forgotten' | 'erased'
>;

/**
 * Reads the contacts' records and the users' decisions. The records include fields that may contain a different donor's
 * values.
 */
export async function readCircumstances(
  deps: Pick<SyncDeps, 'store' | 'connector'>,
  run: DeliveringRun,
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
  const copied = await findCopiedValues(deps, run, fetched, (id) => getRecord(id).lookup);
  const approvals = await listApprovedKinds(
    deps.store.reader,
    fetched.map(({ ready }) => ready.job.trackingId),
  );
  return {
    of: ({ ready: { contact, job } }) => ({
      ...getRecord(contact.crmId),
      approval: approvals.get(job.trackingId) ?? null,
      merged: [...mergedInto(contact.crmId), ...(copied.get(contact.crmId) ?? [])],
    }),
    approvals,
  };
}

/**
 * Returns the values that donor-sync wrote into other contacts and that these contacts may contain as copies. Users
 * copy a record or a row of a list, and then enter another person's name. The copy contains the other donor's ID, which
 * leads to the contact that was copied. Only an equal value in the copied contact then counts as a copy.
 */
async function findCopiedValues(
  { store }: Pick<SyncDeps, 'store'>,
  run: DeliveringRun,
  fetched: readonly Fetched[],
  getLookup: (crmId: string) => RecordLookup | undefined,
): Promise<Map<string, ValuesOfRecord[]>> {
  const fields = donorIdFields(run);
  const donors = new Map<string, string>();
  for (const { ready, profile } of fetched) {
    const { crmId, valuesDonor } = ready.contact;
    const donor = donorIdIn(getLookup(crmId), fields);
    if (donor !== null && donor !== valuesDonor && donor !== profile.donorId) {
      donors.set(crmId, donor);
    }
  }
  if (donors.size === 0) return new Map();
  const found = await findValuesOfDonors(store.reader, run.integration.id, [...donors.values()]);
  const byDonor = Map.groupBy(found, ({ donor }) => donor);
  return new Map(
    [...donors].map(([crmId, donor]) => [
      crmId,
      (byDonor.get(donor) ?? []).filter((each) => each.crmId !== crmId),
    ]),
  );
}
