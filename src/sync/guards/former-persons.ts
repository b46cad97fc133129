/**
 * Keeps the values of two people out of one contact (design, promise 14). Handles contacts that were renamed or merged
 * and still contain a former person's values. Costs no credits.
 */

import { isOwned, type OwnedValues, rateIn, withRate } from '../../contacts/owned-values.ts';
import type { FieldValues } from '../../core/crm-field.ts';
import { planFields } from '../../fields/plan.ts';
import { readRecords } from '../../fields/records.ts';
import {
  findMergedValues,
  holdRenamedContacts,
  listFilledByMerges,
  listValuesToBlank,
  recordSortedValues,
  type SortedValues,
  type ValuesOfRecord,
} from '../../fields/statements/former-values.ts';
import { valueFingerprint, valueFingerprints } from '../../fields/values.ts';
import { writeFields } from '../../fields/write.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { forgottenFingerprint, looksErased, refreshErased } from '../control/erased.ts';

type SortDeps = Pick<SyncDeps, 'store' | 'connector' | 'sealer' | 'newId' | 'clock' | 'log'>;

/** The number of contacts that are checked at a time. */
const CONTACTS_AT_ONCE = 200;

/** Asks users about contacts whose values belong to a former name, unless a paid job matches the current name. */
export async function holdRenamed({ store, log }: SortDeps, run: Run): Promise<void> {
  const held = await holdRenamedContacts(store, run.lease, run.id, run.only);
  if (held > 0) log.warn({ run: run.id, held }, 'contacts hold the values of a former name');
}

/**
 * Clears values that a user has declared to be another person's. Also clears values that a merge has copied from
 * another donor's record into empty fields. If a value cannot be cleared now, the next run tries again.
 */
export async function sortFormerValues(deps: SortDeps, run: Run): Promise<void> {
  await sortInTurn(deps, run, true, listValuesToBlank);
  await sortInTurn(deps, run, false, listFilledByMerges);
}

/** Checks each contact of a list once, so that a contact that the CRM always refuses does not delay other contacts. */
async function sortInTurn(
  deps: SortDeps,
  run: Run,
  isBlanked: boolean,
  list: typeof listValuesToBlank,
): Promise<void> {
  let after = '';
  while (!run.control.stopping.aborted) {
    const limit = CONTACTS_AT_ONCE;
    const contacts = await list(deps.store.reader, run.integration.id, { after, limit });
    await sortAll(deps, run, isBlanked, contacts);
    after = contacts.at(-1)?.crmId ?? after;
    if (contacts.length < limit) return;
  }
}

async function sortAll(
  deps: SortDeps,
  run: Run,
  isBlanked: boolean,
  contacts: readonly ValuesOfRecord[],
): Promise<void> {
  const ids = contacts.map(({ crmId }) => crmId);
  if (ids.length === 0) return;
  const merged = await findMergedValues(deps.store.reader, run.integration.id, ids);
  const names = [...contacts, ...[...merged.values()].flat()].flatMap(({ owned }) =>
    Object.keys(owned),
  );
  const owned = new Map(contacts.map((contact) => [contact.crmId, contact.owned]));
  const getOwned = (crmId: string) => owned.get(crmId) ?? {};
  const getRecord = await readRecords(deps, run, ids, getOwned, (getIntended) => {
    const begun = ids.flatMap(getIntended).flatMap(({ owned }) => Object.keys(owned));
    return [...new Set([...names, ...begun])].filter((name) => run.described.has(name));
  });
  await refreshErased(deps, run);
  const offers = contacts.flatMap((contact) => {
    const { lookup, intended, automated } = getRecord(contact.crmId);
    if (lookup?.state !== 'found' || lookup.contact.optedOut) return [];
    if (forgottenFingerprint(deps, run, contact.crmId) !== null) return [];
    if (looksErased(deps, run, lookup.contact)) return [];
    const parts = merged.get(contact.crmId) ?? [];
    return [{ contact, parts, present: lookup.values, intended, automated }];
  });
  const plans = offers.map(({ contact, parts, present, intended, automated }) =>
    planFields(deps, run, {
      crmId: contact.crmId,
      values: new Map(),
      present,
      ownedBefore: contact.owned,
      automated,
      intended,
      person: {
        donor: isBlanked ? null : (contact.donor ?? getOnlyDonor(parts)),
        former: contact.donor,
        merged: parts,
      },
    }),
  );
  const ends = await writeFields(deps, run, plans);
  const sorted = offers.flatMap(({ contact, parts, present }, at): SortedValues[] => {
    const end = ends.get(contact.crmId);
    const plan = plans[at];
    if (end === undefined || plan === undefined || !end.isDone) return [];
    const donor = isBlanked ? null : (contact.donor ?? getOnlyDonor(parts));
    // Stores the identity for which donor-sync bought the values, so that donor-sync later recognises a changed name.
    const identity =
      contact.donor === null
        ? (parts.find((part) => part.donor === donor)?.identity ?? null)
        : null;
    const kept = isBlanked ? {} : takenOver(deps, contact.crmId, present, parts, donor);
    return [
      {
        crmId: contact.crmId,
        owned: isBlanked ? {} : { ...kept, ...(end.owned ?? plan.owned) },
        donor,
        identity,
        writeId: end.writeId,
        isBlanked,
        merged: parts.map(({ crmId }) => crmId),
      },
    ];
  });
  await deps.store.checkpoint(run.lease, (trx) => recordSortedValues(trx, run.id, sorted));
}

/** Returns the donor of merged records, or null if the records have different donors. */
function getOnlyDonor(parts: readonly ValuesOfRecord[]): string | null {
  const donors = new Set(parts.flatMap(({ donor }) => donor ?? []));
  const [only] = donors;
  return donors.size === 1 ? (only ?? null) : null;
}

/**
 * Returns values of the same donor that the CRM copied from merged records. From now on, donor-sync stores them as
 * values that it wrote to this contact.
 */
function takenOver(
  deps: SortDeps,
  crmId: string,
  present: FieldValues,
  parts: readonly ValuesOfRecord[],
  donor: string | null,
): OwnedValues {
  const fields = parts
    .filter((part) => part.donor === donor)
    .flatMap((part) =>
      Object.keys(part.owned).filter((field) =>
        isOwned(
          part.owned,
          field,
          valueFingerprint(deps, part.crmId, field, present[field] ?? null),
        ),
      ),
    );
  const taken = valueFingerprints(deps, crmId, present, fields);
  // Includes the exchange rate at which the CRM converted an amount.
  return Object.fromEntries(
    Object.entries(taken).map(([field, entry]) => {
      const rates = parts.flatMap(({ owned }) => rateIn(owned, field) ?? []);
      const [rate] = rates;
      return [field, rate === undefined ? entry : withRate(entry, rate)];
    }),
  );
}
