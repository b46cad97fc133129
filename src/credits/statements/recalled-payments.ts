/** Stores the contacts that were paid for after the restored backup was made. */
import { type Selectable, sql } from 'kysely';
import type { Fingerprint } from '../../database/encryption/fingerprint.ts';
import { type FromRow, fromRows } from '../../database/from-row.ts';
import type { RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inBatches, inFilledBatches } from '../../database/rows.ts';
import { UNKNOWN_BALANCE } from '../../database/tables/credits.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';
import { recountSpent } from './credit-spans.ts';
import type { LostJob } from './jobs.ts';
import type { RecalledPayment, RecalledRequest } from './journal/recall.ts';

export type RecalledRow = FromRow<Selectable<Tables['recalled_payments']>>;

/**
 * Stores a submission that the restored database lacks, and adds it to the bill. `balance` is the balance before the
 * submission, or null if it is unknown.
 */
export async function recordRecalled(
  trx: Trx,
  { intended, answered }: RecalledRequest,
  payments: readonly RecalledPayment[],
  balance: number | null,
): Promise<void> {
  const { id, integration, run, key, at, credits, subject } = intended;
  await trx
    .insertInto('submissions')
    .values({
      id,
      integration_id: integration,
      run_id: run,
      partner_key: key,
      state: answered === null ? 'charged' : 'accepted',
      persons: credits,
      charged: answered?.charged ?? credits,
      balance_before: balance ?? UNKNOWN_BALANCE,
      intended_at: at,
      closed_at: answered?.at ?? at,
      mapping: subject.kind === 'enhancements' ? subject.mapping : '',
      slot: 0,
    })
    .onConflict((c) => c.doNothing())
    .execute();
  for (const batch of inBatches(payments)) {
    await trx
      .insertInto('recalled_payments')
      .values(
        batch.map(({ trackingId, contact, identity, person, jobId }) => ({
          tracking_id: trackingId,
          submission_id: id,
          integration_id: integration,
          contact_fingerprint: contact,
          identity,
          person,
          job_id: jobId,
          paid_at: at,
        })),
      )
      .onConflict((c) => c.doNothing())
      .execute();
  }
  // No later run would add this submission to the sums.
  await recountSpent(trx, new Map([[integration, at]]));
}

/**
 * Stores the people of jobs that the service lost after the backup. A credit may have been spent on these people,
 * whatever a user decides about their contacts.
 */
export async function recordLostPersons(
  trx: RunTransaction,
  integrationId: string,
  jobs: readonly LostJob[],
): Promise<void> {
  for (const batch of inFilledBatches(jobs.filter(({ person }) => person !== null))) {
    await trx
      .insertInto('recalled_payments')
      .values(
        batch.map(({ trackingId, submissionId, crmId, identity, person, submittedAt }) => ({
          tracking_id: trackingId,
          submission_id: submissionId,
          integration_id: integrationId,
          contact_fingerprint: ENDED + trx.fingerprint('forgotten', crmId),
          identity,
          person,
          job_id: null,
          paid_at: submittedAt,
        })),
      )
      .onConflict((c) => c.doNothing())
      .execute();
  }
}

/** A contact, and the identity with which it may have been paid for. */
export interface MaybePaid {
  crmId: string;
  identity: string;
}

/**
 * Stores contacts that may have been paid for since the backup. A user cannot decide about such a contact yet, because a
 * different question about it is open. `at` is the latest possible time of the payment (epoch ms).
 */
export async function recordMaybePaid(
  trx: RunTransaction,
  contacts: readonly MaybePaid[],
  at: number,
): Promise<void> {
  const { integrationId } = trx.lease;
  for (const batch of inFilledBatches(contacts)) {
    await trx
      .insertInto('recalled_payments')
      .values(
        batch.map(({ crmId, identity }) => {
          const contact = trx.fingerprint('forgotten', crmId);
          return {
            tracking_id: `${integrationId}:${contact}:${at}`,
            submission_id: '',
            integration_id: integrationId,
            contact_fingerprint: contact,
            identity,
            person: null,
            job_id: null,
            paid_at: at,
          };
        }),
      )
      .onConflict((c) => c.doNothing())
      .execute();
  }
}

/** Returns the last payment for each contact, by CRM ID. */
export async function findRecalled(
  reader: Reader,
  fingerprint: Fingerprint,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, RecalledRow>> {
  const found = new Map<string, RecalledRow>();
  if ((await anyOfClient(reader, { integrationId })).rows.length === 0) return found;
  const ids = new Map(crmIds.map((crmId) => [fingerprint('forgotten', crmId), crmId]));
  for (const batch of inFilledBatches([...ids.keys()])) {
    const rows = await reader
      .selectFrom('recalled_payments')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .where('contact_fingerprint', 'in', batch)
      .orderBy('paid_at')
      .execute()
      .then(fromRows);
    for (const row of rows) found.set(ids.get(row.contactFingerprint) ?? '', row);
  }
  return found;
}

/**
 * Closes payments whose contact has its paid job or waits for a decision. The payments remain stored for the person,
 * who may have other contacts.
 */
export async function endRecalled(
  trx: Trx,
  integrationId: string,
  contacts: readonly string[],
): Promise<void> {
  if ((await anyOfClient(trx, { integrationId })).rows.length === 0) return;
  for (const batch of inFilledBatches(contacts)) {
    await trx
      .updateTable('recalled_payments')
      .set((eb) => ({ contact_fingerprint: sql`${ENDED} || ${eb.ref('contact_fingerprint')}` }))
      .where('integration_id', '=', integrationId)
      .where('contact_fingerprint', 'in', batch)
      .execute();
  }
}

/** The prefix of the fingerprint of a closed payment. An erasure still finds the payment. */
export const ENDED = 'ended:';

/** Returns the time of the last payment for each person since the backup (epoch ms). */
export async function findRecalledPersons(
  reader: Reader,
  persons: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const batch of inFilledBatches(persons)) {
    const rows = await reader
      .selectFrom('recalled_payments')
      .select('person')
      .select((eb) => eb.fn.max('paid_at').as('paid_at'))
      .where('person', 'in', batch)
      .groupBy('person')
      .execute();
    for (const { person, paid_at } of rows) found.set(person ?? '', Number(paid_at));
  }
  return found;
}

/** Deletes older payments, because their profiles are outdated. */
export async function purgeRecalled(
  trx: Trx,
  integrationId: string,
  before: number,
): Promise<void> {
  await trx
    .deleteFrom('recalled_payments')
    .where('integration_id', '=', integrationId)
    .where('paid_at', '<', before)
    .execute();
}

const anyOfClient = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('recalled_payments')
    .select('tracking_id')
    .where('integration_id', '=', integrationId)
    .limit(1)
    .compile(),
);
