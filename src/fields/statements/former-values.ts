/** Handles other people's values in renamed or merged contacts. */

import { sql } from 'kysely';
import { type ContactRow, findRows } from '../../contacts/contacts.ts';
import { findParts, takeJob } from '../../contacts/departures.ts';
import { move, moveAndList } from '../../contacts/life/apply-events.ts';
import { type OwnedValues, parseOwned } from '../../contacts/owned-values.ts';
import { newId } from '../../core/new-id.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import { selectApprovals } from '../../decisions/statements/delivery-answers.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';
import { changedParts, NEXT_READING } from '../../identity/identity-text.ts';
import type { RunContext } from '../../sync/statements/runs.ts';
import { closeWrites } from './field-end.ts';

export interface ValuesOfRecord {
  crmId: string;
  owned: OwnedValues;
  donor: string | null;
  /** The identity for which the values were bought, or null if it is unknown. */
  identity: string | null;
}

export interface SortedValues {
  crmId: string;
  owned: OwnedValues;
  donor: string | null;
  /** The identity of the remaining values, or null if it has not changed. */
  identity: string | null;
  /** The ID of the write, or null if no value had to change. */
  writeId: string | null;
  /** True if a user has decided that the values belong to another person. */
  isBlanked: boolean;
  /** Merged records whose values are handled now. */
  merged: readonly string[];
}

/**
 * Opens decisions about contacts whose values belong to a different name than their credit. If a merged record has a
 * job for the current name, its profile is delivered without a decision. Also opens decisions about contacts whose
 * waiting profile has a different name. Can be repeated. Returns the number of contacts.
 */
export async function holdRenamedContacts(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  runId: string,
  only: readonly string[] | null,
): Promise<number> {
  // Such contacts are rare. If there are none, nothing is written, not even the lease.
  const [unconfirmed, misfits, renamed] = await Promise.all([
    listUnconfirmed(reader, lease, only),
    listMismatches(reader, lease, only),
    listRenamed(reader, lease, only),
  ]);
  if ([unconfirmed, misfits, renamed].every(({ length }) => length === 0)) return 0;
  return checkpoint(lease, async (trx) => {
    const run: RunContext = { id: runId, now: trx.clock.now() };
    const unfit: ContactRow[] = [];
    await move(trx, lease, 'valuesOfDonor', await listUnconfirmed(trx, lease, only), run);
    for (const row of await listMismatches(trx, lease, only)) {
      await takeFittingJob(trx, lease, run, row, row.identity);
    }
    for (const row of await listRenamed(trx, lease, only)) {
      const name = row.asked_identity ?? NEXT_READING;
      if (!(await takeFittingJob(trx, lease, run, row, name))) unfit.push(row);
    }
    return askAboutFormerValues(trx, lease, run, unfit);
  });
}

/** A page of contacts in the order of their IDs, with at most `limit` contacts. */
export interface ContactsAfter {
  after: string;
  limit: number;
}

export async function listValuesToBlank(
  reader: Reader,
  integrationId: string,
  { after, limit }: ContactsAfter,
): Promise<ValuesOfRecord[]> {
  const rows = await reader
    .selectFrom('contacts')
    .select(['crm_id', 'owned_values', 'values_donor', 'values_identity'])
    .where('integration_id', '=', integrationId)
    .where('values_donor', 'is not', null)
    .where('values_identity', 'is', null)
    .where('state', '<>', 'removed')
    .where('crm_id', '>', after)
    .orderBy('crm_id')
    .limit(limit)
    .execute();
  return rows.map(toValues);
}

/**
 * Returns contacts into which a record with values from donor-sync was merged, directly or through other records. The
 * CRM may have copied the values into blank fields.
 */
export async function listFilledByMerges(
  reader: Reader,
  integrationId: string,
  { after, limit }: ContactsAfter,
): Promise<ValuesOfRecord[]> {
  const heirs = (await findHeirs(reader, integrationId)).filter((crmId) => crmId > after);
  const filled: ContactRow[] = [];
  for (const row of (await findRows(reader, integrationId, heirs)).values()) {
    if (row.state === 'settled' && row.has_opted_out === 0) filled.push(row);
  }
  filled.sort((a, b) => (a.crm_id < b.crm_id ? -1 : 1));
  return filled.slice(0, limit).map(toValues);
}

/** Records that former values were cleared, or that the values of a merge are handled. */
export async function recordSortedValues(
  trx: RunTransaction,
  runId: string,
  sorted: readonly SortedValues[],
): Promise<void> {
  const run: RunContext = { id: runId, now: trx.clock.now() };
  for (const [isBlanked, some] of Map.groupBy(sorted, (each) => each.isBlanked)) {
    const targets = some.map(({ crmId, owned, donor, identity }) => ({
      crm_id: crmId,
      owned_values: JSON.stringify(owned),
      values_donor: donor,
      values_identity: identity,
    }));
    await move(trx, trx.lease, isBlanked ? 'valuesBlanked' : 'valuesOfDonor', targets, run);
  }
  await closeWrites(
    trx,
    sorted.map(({ writeId }) => ({ writeId, isDone: true })),
  );
  const accounted = sorted.flatMap(({ merged }) =>
    merged.map((crm_id) => ({ crm_id, owned_values: '{}' })),
  );
  await move(trx, trx.lease, 'valuesWritten', accounted, run);
  await closeIntended(
    trx,
    trx.lease,
    sorted.flatMap(({ merged }) => merged),
  );
}

function toValues(
  row: Pick<ContactRow, 'crm_id' | 'owned_values' | 'values_donor' | 'values_identity'>,
): ValuesOfRecord {
  return {
    crmId: row.crm_id,
    owned: parseOwned(row.owned_values),
    donor: row.values_donor,
    identity: row.values_identity,
  };
}

type OfIntegration = Pick<Lease, 'integrationId'>;

/** Selects merged records that may contain values from donor-sync. Includes records that are already handled. */
function buildPartsQuery(reader: Reader, integrationId: string) {
  return reader
    .selectFrom('contacts as part')
    .where('part.integration_id', '=', integrationId)
    .where('part.merged_into', 'is not', null)
    .where('part.departure_read', '=', 1);
}

/**
 * Finds contacts into which records with values from donor-sync were merged. The values in these merged records are not
 * handled yet.
 */
async function findHeirs(reader: Reader, integrationId: string): Promise<string[]> {
  const parts = await buildPartsQuery(reader, integrationId)
    .select(['part.crm_id', 'part.merged_into'])
    .where((eb) =>
      eb.or([
        eb('part.owned_values', '<>', '{}'),
        eb.exists(
          eb
            .selectFrom('writes')
            .select('writes.id')
            .whereRef('writes.integration_id', '=', 'part.integration_id')
            .whereRef('writes.crm_id', '=', 'part.crm_id')
            .where('writes.state', '=', 'intended'),
        ),
      ]),
    )
    .execute();
  const found = new Set<string>();
  const seen = new Set(parts.map(({ crm_id }) => crm_id));
  for (let heirs = parts.flatMap(({ merged_into }) => merged_into ?? []); heirs.length > 0; ) {
    const rows = await findRows(reader, integrationId, [...new Set(heirs)]);
    const next: string[] = [];
    for (const { crm_id, departure_read, merged_into } of rows.values()) {
      const hasLeft = departure_read === 1 && merged_into !== null;
      if (!hasLeft) found.add(crm_id);
      // A circle of merges leads to no contact.
      else if (!seen.has(crm_id)) next.push(merged_into);
      seen.add(crm_id);
    }
    heirs = next;
  }
  return [...found];
}

async function closeIntended(
  trx: RunTransaction,
  { integrationId }: OfIntegration,
  crmIds: readonly string[],
): Promise<void> {
  for (const batch of inFilledBatches(crmIds)) {
    await trx
      .updateTable('writes')
      .set({ state: 'written' })
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .where('state', '=', 'intended')
      .execute();
  }
}

/**
 * Returns donor-sync's values in records that were merged into these contacts, directly or through other records. In a
 * circle of merges, each record is read only once.
 */
export async function findMergedValues(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, ValuesOfRecord[]>> {
  const found = new Map<string, ValuesOfRecord[]>();
  const asked = new Set(crmIds);
  const heirById = new Map(crmIds.map((id) => [id, id]));
  const boughtFor = new Map<string, string | null>();
  for (let heirs = [...crmIds]; heirs.length > 0; ) {
    const parts = await findParts(reader, integrationId, heirs);
    const unseen = parts.filter(({ crm_id }) => !heirById.has(crm_id));
    for (const part of unseen) {
      const heir = heirById.get(part.merged_into ?? '') ?? '';
      heirById.set(part.crm_id, heir);
      const { asked_identity: name } = part;
      boughtFor.set(part.crm_id, name === NEXT_READING ? null : name);
      found.set(heir, [...(found.get(heir) ?? []), toValues(part)]);
    }
    heirs = unseen.map(({ crm_id }) => crm_id);
  }
  const parts = [...heirById.keys()].filter((id) => !asked.has(id));
  for (const { crm_id, after, donor } of await findIntended(reader, integrationId, parts)) {
    const heir = heirById.get(crm_id) ?? '';
    // An unfinished write belongs to the identity that the record had at that time.
    const identity = boughtFor.get(crm_id) ?? null;
    const begun = { crmId: crm_id, owned: parseOwned(after), donor, identity };
    found.set(heir, [...(found.get(heir) ?? []), begun]);
  }
  return found;
}

/**
 * Returns the values of these donors that donor-sync wrote, or may have written, into any contact of the client. Also
 * includes contacts that have left the CRM.
 */
export async function findValuesOfDonors(
  reader: Reader,
  integrationId: string,
  donors: readonly string[],
): Promise<ValuesOfRecord[]> {
  const found: ValuesOfRecord[] = [];
  for (const batch of inFilledBatches([...new Set(donors)])) {
    const rows = await reader
      .selectFrom('contacts')
      .select(['crm_id', 'owned_values', 'values_donor', 'values_identity'])
      .where('integration_id', '=', integrationId)
      .where('values_donor', 'in', batch)
      .where('owned_values', '<>', '{}')
      .execute();
    const begun = await reader
      .selectFrom('writes')
      .select(['crm_id', 'after', 'donor'])
      .where('integration_id', '=', integrationId)
      .where('state', '=', 'intended')
      .where('donor', 'in', batch)
      .execute();
    found.push(
      ...rows.map(toValues),
      ...begun.map(({ crm_id, after, donor }) => ({
        crmId: crm_id,
        owned: parseOwned(after),
        donor,
        identity: null,
      })),
    );
  }
  return found;
}

async function findIntended(reader: Reader, integrationId: string, crmIds: readonly string[]) {
  const found: { crm_id: string; after: string; donor: string | null }[] = [];
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await reader
      .selectFrom('writes')
      .select(['crm_id', 'after', 'donor'])
      .where('integration_id', '=', integrationId)
      .where('crm_id', 'in', batch)
      .where('state', '=', 'intended')
      .execute();
    found.push(...rows);
  }
  return found;
}

/** Returns contacts whose values and last credit belong to different names. */
async function listRenamed(
  reader: Reader,
  { integrationId }: OfIntegration,
  only: readonly string[] | null,
): Promise<ContactRow[]> {
  const rows = await reader
    .selectFrom('contacts')
    .selectAll()
    .where('integration_id', '=', integrationId)
    .where('values_donor', 'is not', null)
    .where('values_identity', 'is not', null)
    .whereRef('asked_identity', '<>', 'values_identity')
    .whereRef('identity', '<>', 'values_identity')
    .where('state', '=', 'settled')
    .where('eligible', '=', 1)
    .where('owned_values', '<>', '{}')
    .$if(only !== null, (query) => query.where('crm_id', 'in', [...(only ?? [])]))
    .orderBy('crm_id')
    .execute();
  return rows.filter(hasOtherName);
}

/**
 * Returns contacts that may contain values only from a write without a recorded end. These contacts were renamed before
 * a delivery could find out the result of the write. Includes the donor and the identity of the values.
 */
async function listUnconfirmed(
  reader: Reader,
  { integrationId }: OfIntegration,
  only: readonly string[] | null,
) {
  const rows = await reader
    .selectFrom('writes as w')
    .innerJoin('contacts as c', (join) =>
      join.onRef('c.integration_id', '=', 'w.integration_id').onRef('c.crm_id', '=', 'w.crm_id'),
    )
    .select(['w.crm_id', 'w.after', 'w.donor', 'c.owned_values', 'c.identity', 'c.asked_identity'])
    .select((eb) =>
      eb
        .selectFrom('jobs as j')
        .select('j.identity')
        .whereRef('j.integration_id', '=', 'w.integration_id')
        .whereRef('j.crm_id', '=', 'w.crm_id')
        .whereRef('j.submitted_at', '<=', 'w.written_at')
        .orderBy('j.submitted_at', 'desc')
        .limit(1)
        .as('bought_for'),
    )
    .where('w.integration_id', '=', integrationId)
    // Repeats the first condition, so that SQLite uses the index of writes without an end.
    .where('w.crm_id', '>', '')
    .where('w.state', '=', sql.lit('intended'))
    .where('w.donor', 'is not', null)
    .where('c.state', '=', 'settled')
    .where('c.eligible', '=', 1)
    .where('c.values_donor', 'is', null)
    .$if(only !== null, (query) => query.where('w.crm_id', 'in', [...(only ?? [])]))
    .orderBy('w.crm_id')
    .orderBy('w.written_at')
    .execute();
  const last = new Map(rows.map((row) => [row.crm_id, row]));
  return [...last.values()].flatMap(({ crm_id, after, donor, owned_values, ...row }) => {
    const { bought_for: values_identity, identity, asked_identity } = row;
    if (!hasOtherName({ identity, asked_identity, values_identity })) return [];
    const owned = { ...parseOwned(owned_values), ...parseOwned(after) };
    return [{ crm_id, owned_values: JSON.stringify(owned), values_donor: donor, values_identity }];
  });
}

/**
 * True if the contact's name differs from the name for which the values were bought. A different spelling, address or
 * employer does not mean a different person.
 */
function hasOtherName({
  identity,
  asked_identity,
  values_identity,
}: Pick<ContactRow, 'identity' | 'asked_identity' | 'values_identity'>): boolean {
  if (asked_identity === null || asked_identity === NEXT_READING) return false;
  if (values_identity === null) return false;
  // A user may have approved these values in spite of the different name.
  return [identity, asked_identity].every((name) =>
    changedParts(values_identity, name).includes('name'),
  );
}

/**
 * Returns contacts with merged records whose waiting profile was paid for under a different name. The order of the
 * profiles does not show who the contact is. A user's approval remains valid.
 */
async function listMismatches(
  reader: Reader,
  { integrationId }: OfIntegration,
  only: readonly string[] | null,
): Promise<ContactRow[]> {
  const rows = await reader
    .selectFrom('contacts as heir')
    .innerJoin('jobs as j', 'j.tracking_id', 'heir.tracking_id')
    .selectAll('heir')
    .select('j.identity as job_identity')
    .where('heir.integration_id', '=', integrationId)
    .where('heir.state', 'in', ['ready', 'held'])
    .where('j.state', 'in', ['completed', 'held'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('contacts as part')
          .select('part.crm_id')
          .whereRef('part.integration_id', '=', 'heir.integration_id')
          .whereRef('part.merged_into', '=', 'heir.crm_id')
          .where('part.departure_read', '=', 1),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          selectApprovals(reader)
            .select('questions.id')
            .where(sql.ref('questions.tracking_id'), '=', sql.ref('heir.tracking_id')),
        ),
      ),
    )
    .$if(only !== null, (query) => query.where('heir.crm_id', 'in', [...(only ?? [])]))
    .execute();
  const unfit = rows.flatMap(({ job_identity, ...row }) =>
    changedParts(job_identity, row.identity).includes('name') ? row : [],
  );
  // Sorts here, because sorting in the statement would make SQLite read all contacts instead of using the index on
  // states.
  return unfit.sort((a, b) => (a.crm_id < b.crm_id ? -1 : 1));
}

/** The time for which the service keeps a job's results. */
const RESULTS_KEPT_MS = 7 * 86_400_000;

/** Gives the contact a merged record's job, if the job is for the contact's name. */
async function takeFittingJob(
  trx: RunTransaction,
  of: OfIntegration,
  run: RunContext,
  heir: ContactRow,
  name: string,
): Promise<boolean> {
  const merged = await findMergedValues(trx, of.integrationId, [heir.crm_id]);
  const ids = (merged.get(heir.crm_id) ?? []).map(({ crmId }) => crmId);
  if (ids.length === 0) return false;
  const jobs = await trx
    .selectFrom('jobs')
    .select(['tracking_id', 'crm_id', 'identity'])
    .where('integration_id', '=', of.integrationId)
    .where('crm_id', 'in', ids)
    .where('state', 'in', ['completed', 'delivered'])
    // The service deletes results sooner than the database deletes profiles.
    .where((eb) =>
      eb.or([
        eb('submitted_at', '>=', run.now - RESULTS_KEPT_MS),
        eb.exists(
          eb
            .selectFrom('kept_profiles as k')
            .select('k.crm_id')
            .whereRef('k.integration_id', '=', 'jobs.integration_id')
            .whereRef('k.tracking_id', '=', 'jobs.tracking_id')
            .where('k.profile', '<>', ''),
        ),
      ]),
    )
    .orderBy('submitted_at', 'desc')
    .execute();
  const fitting = jobs.find(({ identity }) => hasSameName(identity, name));
  if (fitting === undefined) return false;
  const loser = (await findRows(trx, of.integrationId, [fitting.crm_id])).get(fitting.crm_id);
  if (loser === undefined) return false;
  return takeJob(trx, of, run, { loser, heir, trackingId: fitting.tracking_id });
}

/**
 * True if the first and last name of both identities are the same. Names that cannot be compared count as different.
 */
function hasSameName(one: string, other: string): boolean {
  const changed = changedParts(one, other);
  return !changed.includes('name') && !changed.includes('unknown');
}

/** Asks a user about each of these contacts. */
async function askAboutFormerValues(
  trx: RunTransaction,
  lease: Lease,
  run: RunContext,
  rows: readonly ContactRow[],
): Promise<number> {
  const ids = rows.map(({ crm_id }) => crm_id);
  const held = await moveAndList(trx, lease, 'heldWithFormerValues', ids, run);
  const questions = held.map(({ crm_id }) => ({
    // The question has no job, because the current name was not submitted or is unknown to the service.
    id: newId(run.now),
    crmId: crm_id,
    kind: 'new_person_unknown' as const,
    openedAt: run.now,
  }));
  await openQuestions(trx, lease.integrationId, questions);
  return held.length;
}
