/**
 * Ends the record of contacts that left the CRM. The record keeps a contact that returns from being paid for again.
 * Once the contact's profile would be due for a refresh anyway, the record has no purpose.
 */
import { listContactKinds } from '../../core/questions/question-kinds.ts';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches, ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import type { JobState } from '../../database/tables/credits.ts';
import type { WriteState } from '../../database/tables/fields.ts';
import { recordEntry } from '../audit/record.ts';
import { BESIDE_CONTACTS } from './contact-places.ts';

/** Times in epoch ms. */
export interface EndLimits {
  /** Contacts end only if their last credit was spent before this time. */
  paidBefore: number;
  /** Contacts end only if they left before this time. */
  leftBefore: number;
}

/** Kinds of questions whose answer still protects a contact that returns. */
const LASTING_KINDS = listContactKinds(({ endsWithAnswer }) => !endsWithAnswer);

/** The response of such a job can still arrive. */
const RUNNING_JOBS: JobState[] = ['intended', 'processing'];

/** A write that may have happened, or whose values an erasure still has to remove. */
const OPEN_WRITES: WriteState[] = ['intended', 'left', 'unseen'];

/** The maximum number of successive merges that are followed. */
const MOST_MERGES = 100;

/** Resolves with the number of ended contacts. Each batch of contacts is a transaction with its audit entry. */
export async function endRemovedContacts(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  limits: EndLimits,
): Promise<number> {
  const { integrationId } = lease;
  let ended = 0;
  for (let after: string | null = ''; after !== null; ) {
    const page = await listLeft(reader, integrationId, limits, after);
    if (page.length > 0) ended += await checkpoint(lease, (trx) => endThese(trx, page, limits));
    after = page.length < ROWS_PER_TRANSACTION ? null : (page.at(-1) ?? null);
  }
  return ended;
}

async function endThese(
  trx: RunTransaction,
  crmIds: readonly string[],
  limits: EndLimits,
): Promise<number> {
  const { integrationId } = trx.lease;
  const ids = await dropMergedIntoLiving(trx, integrationId, await listEnded(trx, crmIds, limits));
  if (ids.length === 0) return 0;
  for (const batch of inFilledBatches(ids)) {
    for (const table of [...BESIDE_CONTACTS, 'writes', 'contacts'] as const) {
      await trx
        .deleteFrom(table)
        .where('integration_id', '=', integrationId)
        .where('crm_id', 'in', batch)
        .execute();
    }
  }
  await trx
    .updateTable('integrations')
    .set((eb) => ({ ended_contacts: eb('ended_contacts', '+', ids.length) }))
    .where('id', '=', integrationId)
    .execute();
  const details = { what: 'endedContacts', rows: ids.length };
  await recordEntry(trx, { action: 'data.purged', integrationId, details });
  return ids.length;
}

function selectLeft(reader: Reader, integrationId: string, { paidBefore, leftBefore }: EndLimits) {
  return reader
    .selectFrom('contacts as c')
    .where('c.integration_id', '=', integrationId)
    .where('c.state', '=', 'removed')
    .where('c.outcome_at', '<', leftBefore)
    .where((eb) => eb.or([eb('c.asked_at', 'is', null), eb('c.asked_at', '<', paidBefore)]))
    .where((eb) => eb.or([eb('c.enhanced_at', 'is', null), eb('c.enhanced_at', '<', paidBefore)]));
}

async function listLeft(
  reader: Reader,
  integrationId: string,
  limits: EndLimits,
  after: string,
): Promise<string[]> {
  const rows = await selectLeft(reader, integrationId, limits)
    .select('c.crm_id')
    .where('c.crm_id', '>', after)
    .orderBy('c.crm_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}

interface EndedContact {
  crmId: string;
  mergedInto: string | null;
}

/** Returns the contacts to which no profile, question, job, write or other contact refers. */
async function listEnded(
  trx: RunTransaction,
  crmIds: readonly string[],
  limits: EndLimits,
): Promise<EndedContact[]> {
  const found: EndedContact[] = [];
  for (const batch of inFilledBatches(crmIds)) {
    const rows = await selectLeft(trx, trx.lease.integrationId, limits)
      .select(['c.crm_id as crmId', 'c.merged_into as mergedInto'])
      .where('c.crm_id', 'in', batch)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('kept_profiles as k')
              .select('k.crm_id')
              .whereRef('k.integration_id', '=', 'c.integration_id')
              .whereRef('k.crm_id', '=', 'c.crm_id'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('questions as q')
              .select('q.id')
              .whereRef('q.integration_id', '=', 'c.integration_id')
              .whereRef('q.crm_id', '=', 'c.crm_id')
              .where((eb) =>
                eb.or([eb('q.decision', 'is', null), eb('q.kind', 'in', LASTING_KINDS)]),
              ),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('answers as a')
              .select('a.id')
              .whereRef('a.integration_id', '=', 'c.integration_id')
              .whereRef('a.crm_id', '=', 'c.crm_id'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('jobs as j')
              .select('j.tracking_id')
              .whereRef('j.integration_id', '=', 'c.integration_id')
              .whereRef('j.crm_id', '=', 'c.crm_id')
              .where('j.state', 'in', RUNNING_JOBS),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('writes as w')
              .select('w.id')
              .whereRef('w.integration_id', '=', 'c.integration_id')
              .whereRef('w.crm_id', '=', 'c.crm_id')
              .where('w.state', 'in', OPEN_WRITES),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('contacts as part')
              .select('part.crm_id')
              .whereRef('part.integration_id', '=', 'c.integration_id')
              .whereRef('part.merged_into', '=', 'c.crm_id'),
          ),
        ),
      )
      .execute();
    found.push(...rows);
  }
  // Batches can contain an ID several times.
  return [...new Map(found.map((each) => [each.crmId, each])).values()];
}

/**
 * Leaves out contacts that were merged into a contact that is still known. The remaining contact may inherit the
 * results of these contacts, and an erasure of the remaining contact concerns them. In a circle of merges, it is
 * unknown which contact still exists, so none is ended.
 */
async function dropMergedIntoLiving(
  reader: Reader,
  integrationId: string,
  contacts: readonly EndedContact[],
): Promise<string[]> {
  const ended = contacts.flatMap(({ crmId, mergedInto }) => (mergedInto === null ? crmId : []));
  let merged = contacts.flatMap(({ crmId, mergedInto }) =>
    mergedInto === null ? [] : [{ crmId, heir: mergedInto }],
  );
  for (let times = 0; times < MOST_MERGES && merged.length > 0; times += 1) {
    const heirs = new Map<string, { state: string; merged_into: string | null }>();
    for (const batch of inFilledBatches([...new Set(merged.map(({ heir }) => heir))])) {
      const rows = await reader
        .selectFrom('contacts')
        .select(['crm_id', 'state', 'merged_into'])
        .where('integration_id', '=', integrationId)
        .where('crm_id', 'in', batch)
        .execute();
      for (const row of rows) heirs.set(row.crm_id, row);
    }
    merged = merged.flatMap(({ crmId, heir }) => {
      const row = heirs.get(heir);
      if (row === undefined || (row.state === 'removed' && row.merged_into === null)) {
        ended.push(crmId);
        return [];
      }
      if (row.state !== 'removed' || row.merged_into === null) return [];
      return [{ crmId, heir: row.merged_into }];
    });
  }
  return ended;
}
