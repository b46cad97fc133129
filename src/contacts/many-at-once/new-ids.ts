/**
 * Finds contacts of a list that continue under another ID, for example because a spreadsheet has dropped leading zeros.
 */
import { type ExpressionBuilder, sql } from 'kysely';
import type { RunTransaction } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { detailsOf } from '../../identity/identity-text.ts';
import { recordRemoved } from '../departures.ts';
import { move } from '../life/apply-events.ts';
import type { ContactRow } from '../life/changes.ts';
import { isMarked } from './missing.ts';
import { PAID_SINCE_BACKUP } from './paid-since-backup.ts';

/** A missing contact, and a new contact with the same details. */
export interface Continuation {
  missing: string;
  newId: string;
  /** True if the service knows the missing contact's person, so there is a profile. */
  isKnown: boolean;
  /** What was paid for the missing contact, and when. */
  paid: Pick<ContactRow, 'asked_at' | 'last_credit' | 'donor_id' | 'enhanced_at'>;
}

/** True if a credit was spent on at least one of the integration's contacts. */
export async function hasPaidContacts(reader: Reader, integrationId: string): Promise<boolean> {
  const row = await contacts(reader, integrationId)
    .select('crm_id')
    .where('asked_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Pairs missing contacts that were paid for with new contacts that have the same details and have not cost a credit.
 * The new contact is due for the first time, or is left out, for example because it opted out. If it were not paired
 * now, it would be paid for when it opts in again, because nothing would be known about the missing contact any more.
 */
export async function findContinuations(
  reader: Reader,
  integrationId: string,
): Promise<Continuation[]> {
  const missing = await listPaid(reader, integrationId).where(isMarked).execute();
  const wanted = new Set(missing.map(detailsPaidFor));
  const due: NewContact[] = [];
  const isNew = () =>
    contacts(reader, integrationId)
      .select(['crm_id', 'identity'])
      .where(isDueOrLeftOut)
      .where('asked_identity', 'is', null);
  if (missing.length === 0) return [];
  for await (const rows of inPages((after, limit) =>
    isNew().where('crm_id', '>', after).orderBy('crm_id').limit(limit).execute(),
  )) {
    const found = rows.filter(({ identity }) => wanted.has(detailsOf(identity)));
    due.push(...found.map(({ crm_id: crmId, identity }) => ({ crmId, identity })));
  }
  return pair(missing, due);
}

/**
 * Returns true for contacts that are due or left out. A row that a merge created does not belong to a run yet, and does
 * not count as left out.
 */
function isDueOrLeftOut(eb: ExpressionBuilder<Tables, 'contacts'>) {
  const isLeftOut = eb.and([
    eb('state', '=', 'settled'),
    eb('eligible', '=', 0),
    eb('outcome_run', 'is not', null),
  ]);
  return eb.or([eb('state', '=', 'due'), isLeftOut]);
}

/** A contact that has not cost a credit. */
interface NewContact {
  crmId: string;
  identity: string;
}

/** Finds the same pairs before a run. `seen` contains the contacts that a reading of the whole list has returned. */
export async function forecastContinuations(
  reader: Reader,
  integrationId: string,
  due: readonly NewContact[],
  seen: ReadonlySet<string>,
): Promise<Continuation[]> {
  const missing: PaidRow[] = [];
  const wanted = new Set(due.map(({ identity }) => detailsOf(identity)));
  if (due.length === 0) return [];
  for await (const rows of inPages((after, limit) =>
    listPaid(reader, integrationId)
      .where('state', '<>', 'removed')
      .where('departure_read', '=', 0)
      .where('crm_id', '>', after)
      .orderBy('crm_id')
      .limit(limit)
      .execute(),
  )) {
    missing.push(...rows.filter((row) => !seen.has(row.crm_id) && wanted.has(detailsPaidFor(row))));
  }
  return pair(missing, due);
}

/** Yields all rows in the order of their IDs, in pages that fit into a transaction. */
async function* inPages<Row extends { crm_id: string }>(
  read: (after: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[], void> {
  for (let after = ''; ; ) {
    const rows = await read(after, ROWS_PER_TRANSACTION);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_TRANSACTION) return;
    after = rows.at(-1)?.crm_id ?? '';
  }
}

type PaidRow = Pick<ContactRow, 'crm_id' | 'asked_identity'> & Continuation['paid'];

/**
 * Returns contacts that were paid for. If a user still has to decide whether a contact was paid for, the new contact
 * waits too.
 */
function listPaid(reader: Reader, integrationId: string) {
  return contacts(reader, integrationId)
    .select(['crm_id', 'asked_identity', 'asked_at', 'last_credit', 'donor_id', 'enhanced_at'])
    .where('asked_at', 'is not', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('questions')
            .select('questions.id')
            .whereRef('questions.integration_id', '=', 'contacts.integration_id')
            .whereRef('questions.crm_id', '=', 'contacts.crm_id')
            .where('questions.kind', '=', sql.lit(PAID_SINCE_BACKUP))
            .where('questions.decision', 'is', null),
        ),
      ),
    );
}

/**
 * Returns the paid details in any spelling, because another program that exports the list may write addresses
 * differently.
 */
function detailsPaidFor({ asked_identity }: Pick<ContactRow, 'asked_identity'>): string | null {
  return detailsOf(asked_identity ?? '');
}

/**
 * Pairs contacts with the same details. Each missing contact is used once, and the one that was paid for last comes
 * first. A pure function.
 */
function pair(missing: readonly PaidRow[], due: readonly NewContact[]): Continuation[] {
  const inOrder = missing.toSorted(
    (a, b) => Number(b.asked_at) - Number(a.asked_at) || (a.crm_id < b.crm_id ? -1 : 1),
  );
  const byDetails = Map.groupBy(inOrder, detailsPaidFor);
  byDetails.delete(null);
  const found: Continuation[] = [];
  for (const { crmId: newId, identity } of due.toSorted((a, b) => (a.crmId < b.crmId ? -1 : 1))) {
    const former = byDetails.get(detailsOf(identity))?.shift();
    if (former === undefined) continue;
    const { crm_id: missingId, asked_identity: _, ...paid } = former;
    found.push({ missing: missingId, newId, isKnown: paid.donor_id !== null, paid });
  }
  return found;
}

/**
 * Gives new contacts the profiles of the missing ones. If there is no profile, the missing contact's credit still
 * counts.
 */
export async function continueContacts(
  trx: RunTransaction,
  runId: string,
  found: readonly Continuation[],
): Promise<void> {
  const run = { id: runId, now: trx.clock.now() };
  const left = found.map(({ missing, newId }) => ({ id: missing, mergedInto: newId }));
  await recordRemoved(trx, trx.lease, run, left);
  const paid = found.map((each) => ({ crm_id: each.newId, ...each.paid }));
  await move(trx, trx.lease, 'continued', paid, run);
}

function contacts(reader: Reader, integrationId: string) {
  return reader.selectFrom('contacts').where('integration_id', '=', integrationId);
}
