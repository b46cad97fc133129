import { sql } from 'kysely';
import type { Lease, RunTransaction } from '../../database/leases.ts';
import { preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import { openQuestions } from '../../decisions/statements/open-questions.ts';
import { changedParts, NEXT_READING } from '../../identity/identity-text.ts';
import { move } from '../life/apply-events.ts';

/** The number of changed identities. `src/sync/guards/mass-change.ts` explains each of the numbers. */
export interface ChangeCounts {
  due: number;
  submitted: number;
  held: number;
  known: number;
}

/**
 * Counts changed contacts, without changes from before a user's last decision. Returns null for fewer than `atLeast`
 * changes, so most runs need not count all contacts.
 */
export async function countChanges(
  reader: Reader,
  integrationId: string,
  since: number,
  atLeast: number,
): Promise<ChangeCounts | null> {
  const begin = Math.max(since, await lastDecision(reader, integrationId));
  const due = await countDueChanges(reader, integrationId);
  const submitted = await readCount(
    reader
      .selectFrom('jobs')
      .where('integration_id', '=', integrationId)
      // The reason is a literal, so that the database uses its index of changes.
      .where('reason', '=', sql.lit('identity_changed' as const))
      .where('submitted_at', '>=', begin)
      .where('state', '<>', 'unpaid')
      .where('shared_from', 'is', null)
      .select((eb) => eb.fn.count('crm_id').distinct().as('count')),
  );
  const held = await readCount(
    openHolds(reader, integrationId).select((eb) => eb.fn.countAll().as('count')),
  );
  if (due + submitted + held < atLeast) return null;
  return { due, submitted, held, known: await countKnown(reader, integrationId) };
}

/**
 * Counts contacts whose donor has changed since `since` (epoch ms), and contacts that are held because their donor
 * changed. Ignores changes before a user's last decision about the contacts.
 */
export async function countChangedDonors(
  reader: Reader,
  integrationId: string,
  since: number,
): Promise<ChangeCounts> {
  const decided = await reader
    .selectFrom('questions')
    .select((eb) => eb.fn.max('decided_at').as('at'))
    .where('integration_id', '=', integrationId)
    .where('kind', 'in', ['donor_mass_change', 'identity_mass_change'])
    .where('decision', 'in', ['approved', 'rejected'])
    .executeTakeFirst();
  const submitted = await readCount(
    reader
      .selectFrom('writes')
      .where('integration_id', '=', integrationId)
      .where('donor_before', 'is not', null)
      .where('written_at', '>=', Math.max(since, Number(decided?.at ?? 0)))
      .where('state', '=', 'written')
      .select((eb) => eb.fn.count('crm_id').distinct().as('count')),
  );
  const held = await readCount(
    reader
      .selectFrom('questions')
      .where('integration_id', '=', integrationId)
      .where('kind', '=', 'donor_mass_change')
      .where('decision', 'is', null)
      .select((eb) => eb.fn.countAll().as('count')),
  );
  return { due: 0, submitted, held, known: await countKnown(reader, integrationId) };
}

/** Holds all contacts with changed details, in batches. Resolves with the number of held contacts. */
export async function holdChanges(
  { reader, checkpoint }: Pick<Store, 'reader' | 'checkpoint'>,
  lease: Lease,
  runId: string,
  newId: () => string,
): Promise<number> {
  const batch = (await findOpenBatch(reader, lease.integrationId)) ?? newId();
  let held = 0;
  for (;;) {
    const portion = await checkpoint(lease, (trx) =>
      holdSome(trx, lease, { runId, batch, newId, now: reader.clock.now() }),
    );
    held += portion;
    if (portion < ROWS_PER_TRANSACTION) return held;
  }
}

function countKnown(reader: Reader, integrationId: string): Promise<number> {
  return readCount(
    reader
      .selectFrom('contacts')
      .where('integration_id', '=', integrationId)
      .where('asked_identity', 'is not', null)
      .where('state', '<>', 'removed')
      .select((eb) => eb.fn.countAll().as('count')),
  );
}

export async function countDueChanges(reader: Reader, integrationId: string): Promise<number> {
  const { rows } = await selectDue(reader, { integrationId });
  return Number(rows[0]?.count ?? 0);
}

async function lastDecision(reader: Reader, integrationId: string): Promise<number> {
  const { rows } = await decidedLast(reader, { integrationId });
  return Number(rows[0]?.at ?? 0);
}

async function findOpenBatch(reader: Reader, integrationId: string): Promise<string | null> {
  const row = await openHolds(reader, integrationId).select('batch').limit(1).executeTakeFirst();
  return row?.batch ?? null;
}

const selectDue = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('contacts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('integration_id', '=', integrationId)
    .where('state', '=', 'due')
    .where('due_reason', '=', 'identity_changed')
    .compile(),
);

const decidedLast = preparedRead((db, { integrationId }: Slots<{ integrationId: string }>) =>
  db
    .selectFrom('questions')
    .select((eb) => eb.fn.max('decided_at').as('at'))
    .where('integration_id', '=', integrationId)
    .where('kind', '=', 'identity_mass_change')
    .where('decision', 'in', ['approved', 'rejected'])
    .compile(),
);

function openHolds(db: Reader, integrationId: string) {
  return db
    .selectFrom('questions')
    .where('integration_id', '=', integrationId)
    .where('kind', '=', 'identity_mass_change')
    .where('decision', 'is', null);
}

async function readCount(query: {
  executeTakeFirst(): Promise<{ count: string | number | bigint } | undefined>;
}): Promise<number> {
  return Number((await query.executeTakeFirst())?.count ?? 0);
}

async function holdSome(
  trx: RunTransaction,
  lease: Lease,
  { runId, batch, newId, now }: { runId: string; batch: string; newId: () => string; now: number },
): Promise<number> {
  const rows = await trx
    .selectFrom('contacts')
    .select(['crm_id', 'identity', 'asked_identity'])
    .where('integration_id', '=', lease.integrationId)
    .where('state', '=', 'due')
    .where('due_reason', '=', 'identity_changed')
    .orderBy('crm_id')
    .limit(ROWS_PER_TRANSACTION)
    .execute();
  if (rows.length === 0) return 0;
  const questions = rows.map((row) => ({
    id: newId(),
    crmId: row.crm_id,
    kind: 'identity_mass_change' as const,
    batch,
    detail: changedParts(row.asked_identity ?? NEXT_READING, row.identity).join(','),
    openedAt: now,
  }));
  await openQuestions(trx, lease.integrationId, questions);
  const ids = rows.map(({ crm_id }) => crm_id);
  await move(trx, lease, 'changedWithMany', ids, { id: runId, now });
  return rows.length;
}
