/** Whose values stand in contacts that were renamed or merged, and what users are asked about them. */
import type { Clock } from '../../core/clock.ts';
import { newId } from '../../core/new-id.ts';
import { changedParts } from '../../identity/identity-text.ts';
import { type ContactRow, findRows } from '../contacts/contacts.ts';
import { takeJob } from '../contacts/departures.ts';
import { DEPARTURE_READ } from '../contacts/life.ts';
import { move, moveAndList } from '../contacts/move.ts';
import { type OwnedValues, parseOwned } from '../contacts/owned-values.ts';
import type { Checkpoint, Lease } from '../engine/leases.ts';
import { filledPortions } from '../engine/rows.ts';
import type { Database, Trx } from '../engine/tables.ts';
import type { RunMoment } from '../runs/runs.ts';
import { closeWrites } from './field-end.ts';

/** Values that were written into a record of the CRM, and the donor whose they are; null if unknown. */
export interface ValuesOfRecord {
  crmId: string;
  owned: OwnedValues;
  donor: string | null;
  /** The identity that they were bought for; null if unknown. */
  identity: string | null;
}

/** What became of the values in a contact that were another person's. */
export interface SortedValues {
  crmId: string;
  owned: OwnedValues;
  /** The donor whose values are left; null if none are. */
  donor: string | null;
  /** The identity that these were bought for; null if that stays as it is. */
  identity: string | null;
  /** The write that changed them; null if none had to be changed. */
  writeId: string | null;
  /** True if a user had decided that the values are another person's. */
  isBlanked: boolean;
  /** Records that were merged into it, and whose values are accounted for now. */
  merged: readonly string[];
}

export function formerValueQueries(db: Database, checkpoint: Checkpoint, clock: Clock) {
  return {
    /** What is ours in records that the CRM merged into these contacts, directly or through others. */
    findMergedValues: (integrationId: string, crmIds: readonly string[]) =>
      findMergedValues(db, integrationId, crmIds),

    /**
     * Contacts whose credit was spent on another name than that of the values which they hold. A job that was
     * paid for under the present name, of a record that was merged into the contact, is delivered to it; about
     * the others a user is asked. Repeatable. Resolves with how many are held now.
     */
    holdRenamed(lease: Lease, runId: string, only: readonly string[] | null): Promise<number> {
      return checkpoint(lease, async (trx) => {
        const run: RunMoment = { id: runId, now: clock.now() };
        const unfit: ContactRow[] = [];
        for (const row of await listRenamed(trx, lease, only)) {
          if (!(await takeFittingJob(trx, lease, run, row))) unfit.push(row);
        }
        return openQuestions(trx, lease, run, unfit);
      });
    },

    /** Contacts whose values a user wants blanked. */
    async listToBlank(integrationId: string, limit: number): Promise<ValuesOfRecord[]> {
      const rows = await db
        .selectFrom('contacts')
        .select(['crm_id', 'owned_values', 'values_donor', 'values_identity'])
        .where('integration_id', '=', integrationId)
        .where('values_donor', 'is not', null)
        .where('values_identity', 'is', null)
        .where('state', '<>', 'removed')
        .orderBy('crm_id')
        .limit(limit)
        .execute();
      return rows.map(toValues);
    },

    /**
     * Contacts at rest that took in a record with values of ours: the CRM may have filled their blank fields
     * from it.
     */
    async listFilled(integrationId: string, limit: number): Promise<ValuesOfRecord[]> {
      const rows = await db
        .selectFrom('contacts as heir')
        .innerJoin('contacts as part', (join) =>
          join
            .onRef('part.integration_id', '=', 'heir.integration_id')
            .onRef('part.merged_into', '=', 'heir.crm_id'),
        )
        .select(['heir.crm_id', 'heir.owned_values', 'heir.values_donor', 'heir.values_identity'])
        .distinct()
        .where('heir.integration_id', '=', integrationId)
        .where('heir.state', '=', 'settled')
        .where('heir.has_opted_out', '=', 0)
        .where('part.merged_into', 'is not', null)
        .where('part.seen_run', '=', DEPARTURE_READ)
        .where('part.owned_values', '<>', '{}')
        .orderBy('heir.crm_id')
        .limit(limit)
        .execute();
      return rows.map(toValues);
    },

    /** Values of former persons were blanked, or values that came by a merge are accounted for. */
    async recordSorted(
      lease: Lease,
      runId: string,
      sorted: readonly SortedValues[],
    ): Promise<void> {
      await checkpoint(lease, async (trx) => {
        const run: RunMoment = { id: runId, now: clock.now() };
        for (const [isBlanked, some] of Map.groupBy(sorted, (each) => each.isBlanked)) {
          const targets = some.map(({ crmId, owned, donor, identity }) => ({
            crm_id: crmId,
            owned_values: JSON.stringify(owned),
            values_donor: donor,
            values_identity: identity,
          }));
          await move(trx, lease, isBlanked ? 'valuesBlanked' : 'valuesOfDonor', targets, run);
        }
        await closeWrites(
          trx,
          sorted.map(({ writeId }) => ({ writeId, isDone: true })),
        );
        const accounted = sorted.flatMap(({ merged }) =>
          merged.map((crm_id) => ({ crm_id, owned_values: '{}' })),
        );
        await move(trx, lease, 'valuesWritten', accounted, run);
      });
    },
  };
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

type Of = Pick<Lease, 'integrationId'>;

/** Parts of parts as well; a circle of merges ends at the first record that came before. */
async function findMergedValues(
  db: Database | Trx,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, ValuesOfRecord[]>> {
  const found = new Map<string, ValuesOfRecord[]>();
  const heirOf = new Map(crmIds.map((id) => [id, id]));
  for (let heirs = [...crmIds]; heirs.length > 0; ) {
    const parts = await findParts(db, integrationId, heirs);
    const unseen = parts.filter(({ crm_id }) => !heirOf.has(crm_id));
    for (const part of unseen) {
      const heir = heirOf.get(part.merged_into ?? '') ?? '';
      heirOf.set(part.crm_id, heir);
      found.set(heir, [...(found.get(heir) ?? []), toValues(part)]);
    }
    heirs = unseen.map(({ crm_id }) => crm_id);
  }
  return found;
}

async function findParts(db: Database | Trx, integrationId: string, heirs: readonly string[]) {
  const parts: ContactRow[] = [];
  for (const portion of filledPortions(heirs)) {
    const rows = await db
      .selectFrom('contacts')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('merged_into', 'is not', null)
      .where('merged_into', 'in', portion)
      .where('seen_run', '=', DEPARTURE_READ)
      .orderBy('crm_id')
      .execute();
    parts.push(...rows);
  }
  return parts;
}

/** Contacts at rest with values that were bought for another name than the one that was paid for last. */
async function listRenamed(
  trx: Trx,
  { integrationId }: Of,
  only: readonly string[] | null,
): Promise<ContactRow[]> {
  const rows = await trx
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

/** A respelled name, another address and another employer do not make another person. */
function hasOtherName({ identity, asked_identity, values_identity }: ContactRow): boolean {
  if (asked_identity === null || asked_identity === '' || values_identity === null) return false;
  // A user may have approved the values for a name that is not the one which was paid for.
  return [identity, asked_identity].every((name) =>
    changedParts(values_identity, name).includes('name'),
  );
}

/** The service keeps the results of a job for so long. */
const RESULTS_KEPT_MS = 7 * 86_400_000;

/** Gives the contact a job of a record that was merged into it, if that was paid for under its present name. */
async function takeFittingJob(
  trx: Trx,
  of: Of,
  run: RunMoment,
  heir: ContactRow,
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
    .where('submitted_at', '>=', run.now - RESULTS_KEPT_MS)
    .orderBy('submitted_at', 'desc')
    .execute();
  const fitting = jobs.find(
    ({ identity }) => !changedParts(identity, heir.asked_identity ?? '').includes('name'),
  );
  if (fitting === undefined) return false;
  const loser = (await findRows(trx, of.integrationId, [fitting.crm_id])).get(fitting.crm_id);
  if (loser === undefined) return false;
  return takeJob(trx, of, run, { loser, heir, trackingId: fitting.tracking_id });
}

/** Opens a question about each of these contacts. */
async function openQuestions(
  trx: Trx,
  lease: Lease,
  run: RunMoment,
  rows: readonly ContactRow[],
): Promise<number> {
  const ids = rows.map(({ crm_id }) => crm_id);
  const held = await moveAndList(trx, lease, 'heldWithFormerValues', ids, run);
  const questions = held.map(({ crm_id }) => {
    const id = newId(run.now);
    return {
      id,
      integration_id: lease.integrationId,
      crm_id,
      kind: 'new_person_unknown' as const,
      // It is about no job: the service does not know the present name, or was not asked about it.
      tracking_id: id,
      detail: null,
      opened_at: run.now,
    };
  });
  if (questions.length > 0) await trx.insertInto('holds').values(questions).execute();
  return held.length;
}
