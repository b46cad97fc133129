/**
 * Stores a run's result for each contact, one row per contact. The rows remain unchanged if later runs change the same
 * contacts. During a run, the contacts' own rows contain the results. When the run ends, its result rows are written.
 */
import { type CaseWhenBuilder, type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { OUTCOME_ORDER, OUTCOME_REASONS, type Outcome } from '../../core/outcome.ts';
import type { ActorTransaction } from '../../database/actor-transaction.ts';
import { isPostgres } from '../../database/database-time.ts';
import type { LeasedTransaction, RunTransaction } from '../../database/leases.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import type { Tables, Trx } from '../../database/tables/tables.ts';

/** A run's result for one contact. A contact whose profile was still fresh has no row. */
export interface RunContact {
  crmId: string;
  reason: string;
  /** Details of the reason, without personal data. */
  detail: string | null;
  /** A time in epoch milliseconds. */
  at: number;
}

/** The position in the list of a run's contacts after which the next page starts. */
export interface RunContactPosition {
  /** The position of the outcome in `OUTCOME_ORDER`. */
  place: number;
  crmId: string;
}

/** The conditions for a run's contacts. An omitted property is not a condition. */
export interface RunContactFilter {
  outcomes?: readonly Outcome[] | undefined;
  reason?: string | undefined;
  /** Excludes contacts with this reason, if it is set. */
  exceptReason?: string | undefined;
  /** The first characters of the contact's ID in the CRM. */
  idPrefix?: string | undefined;
  after?: RunContactPosition | undefined;
  limit: number;
}

/** Identifies the run whose contacts are read. */
export interface RunKey {
  id: string;
  integrationId: string;
  freshCount: number | null;
  reasons: string | null;
}

export interface RunOfContact extends Omit<RunContact, 'crmId'> {
  runId: string;
}

/**
 * Returns the last runs that changed anything about a contact, newest first. Excludes a run in progress, because it has
 * no row yet.
 */
export async function listRunsOfContact(
  reader: Reader,
  integrationId: string,
  { crmId, limit }: { crmId: string; limit: number },
): Promise<RunOfContact[]> {
  return reader
    .selectFrom('run_rows')
    .innerJoin('runs', 'runs.id', 'run_rows.run_id')
    .select(['run_rows.run_id as runId', 'run_rows.reason', 'run_rows.detail', 'run_rows.at'])
    .where('run_rows.crm_id', '=', crmId)
    .where('runs.integration_id', '=', integrationId)
    .orderBy('run_rows.at', 'desc')
    .orderBy('run_rows.run_id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns the number of contacts for each reason, including contacts with a fresh profile. */
export async function countRunReasons(reader: Reader, run: RunKey): Promise<Map<string, number>> {
  const counts =
    run.reasons === null
      ? await countReasons(reader, run)
      : new Map(Object.entries(reasonsSchema.parse(JSON.parse(run.reasons))));
  const fresh = run.freshCount ?? (await countFresh(reader, run));
  return fresh > 0 ? counts.set('profile_fresh', fresh) : counts;
}

/**
 * Returns the number of contacts with this reason for each of these runs. Leaves out runs that have no contact with
 * this reason.
 */
export async function countReasonByRun(
  reader: Reader,
  runIds: readonly string[],
  reason: string,
): Promise<Map<string, number>> {
  if (runIds.length === 0) return new Map();
  const runs: RunKey[] = await reader
    .selectFrom('runs')
    .select(['id', 'integration_id as integrationId', 'fresh_count as freshCount', 'reasons'])
    .where('id', 'in', runIds)
    .execute();
  const counts = new Map<string, number>();
  for (const run of runs) {
    const count = (await countRunReasons(reader, run)).get(reason) ?? 0;
    if (count > 0) counts.set(run.id, count);
  }
  return counts;
}

/**
 * Returns a run's contacts, except contacts with a fresh profile. Contacts that require a user's action come first. All
 * contacts that need no action are sorted by ID.
 */
export async function listRunRows(
  reader: Reader,
  run: RunKey,
  { outcomes, reason, exceptReason, idPrefix, after, limit }: RunContactFilter,
): Promise<(RunContact & RunContactPosition)[]> {
  let query = reader.selectFrom(buildRowsQuery(reader, run).as('row')).selectAll();
  if (outcomes !== undefined) {
    const places = outcomes.map((outcome) => OUTCOME_ORDER.indexOf(outcome));
    query = query.where('row.place', 'in', places);
  }
  if (reason !== undefined) query = query.where('row.reason', '=', reason);
  if (exceptReason !== undefined) query = query.where('row.reason', '<>', exceptReason);
  if (idPrefix !== undefined) {
    query = isPostgres(reader)
      ? query.where(sql<boolean>`starts_with(row.crm_id, ${idPrefix})`)
      : // SQLite compares IDs byte by byte, so it can use an index to find the IDs.
        query.where('row.crm_id', '>=', idPrefix).where('row.crm_id', '<', `${idPrefix}\u{10ffff}`);
    if (outcomes === undefined) query = query.where('row.place', 'in', PLACES);
  }
  if (after !== undefined) {
    query = query.where((eb) =>
      eb(eb.refTuple('row.place', 'row.crm_id'), '>', eb.tuple(after.place, after.crmId)),
    );
  }
  const rows = await query.orderBy('row.place').orderBy('row.crm_id').limit(limit).execute();
  return rows.map(({ crm_id: crmId, place, reason: why, detail, at }) => ({
    crmId,
    place: Number(place),
    reason: why,
    detail,
    at,
  }));
}

/** The position of each outcome. The last position is for reasons that only a different version of donor-sync uses. */
const PLACES = [...OUTCOME_ORDER.keys(), OUTCOME_ORDER.length];

const reasonsSchema = z.record(z.string(), z.int().nonnegative());

async function countReasons(reader: Reader, run: RunKey): Promise<Map<string, number>> {
  const { id, integrationId } = run;
  const count = run.freshCount === null ? countOfContacts : countOfRows;
  const { rows } = await count(reader, { id, integrationId });
  return new Map(rows.map(({ reason, count }) => [reason, Number(count)]));
}

const countOfContacts = preparedRead((db, run: Slots<RunRef>) =>
  countedByReason(db, buildRowsQuery(db, { ...run, freshCount: null })),
);

const countOfRows = preparedRead((db, run: Slots<RunRef>) =>
  countedByReason(db, buildRowsQuery(db, { ...run, freshCount: 0 })),
);

function countedByReason(reader: Reader, rows: ReturnType<typeof buildRowsQuery>) {
  return reader
    .selectFrom(rows.as('row'))
    .select(['row.reason', (eb) => eb.fn.countAll().as('count')])
    .groupBy('row.reason')
    .compile();
}

type Row = Omit<Selectable<Tables['run_rows']>, 'run_id'>;

/** Returns a run's result rows. If the rows are not written yet, returns the contacts' data in the same form. */
function buildRowsQuery(
  reader: Reader,
  run: (RunRef | Slots<RunRef>) & Pick<RunKey, 'freshCount'>,
) {
  if (run.freshCount !== null) {
    return reader
      .selectFrom('run_rows')
      .select(['place', 'crm_id', 'reason', 'detail', 'at'])
      .where('run_id', '=', run.id)
      .$castTo<Row>();
  }
  return buildContactsQuery(reader, run)
    .select([
      'outcome_reason as reason',
      'outcome_detail as detail',
      'outcome_at as at',
      'crm_id',
      (eb) => buildPlace(eb).as('place'),
    ])
    .where('outcome_reason', '<>', 'profile_fresh')
    .$castTo<Row>();
}

type RunRef = Pick<RunKey, 'id' | 'integrationId'>;

function buildContactsQuery(reader: Reader, { id, integrationId }: RunRef | Slots<RunRef>) {
  return reader
    .selectFrom('contacts')
    .where('integration_id', '=', integrationId)
    .where('outcome_run', '=', id);
}

async function countFresh(reader: Reader, { id, integrationId }: RunRef): Promise<number> {
  const { rows } = await selectFresh(reader, { id, integrationId });
  return Number(rows[0]?.count ?? 0);
}

const selectFresh = preparedRead((db, run: Slots<RunRef>) =>
  buildContactsQuery(db, run)
    .select((eb) => eb.fn.countAll().as('count'))
    .where('outcome_reason', '=', 'profile_fresh')
    .compile(),
);

/**
 * Returns the position of a contact's outcome in `OUTCOME_ORDER`. Reasons that only a different version of donor-sync
 * uses come last.
 */
function buildPlace(eb: ExpressionBuilder<Tables, 'contacts'>) {
  const [first, ...others] = OUTCOME_ORDER.map((outcome, place) => ({
    place,
    reasons: Object.entries(OUTCOME_REASONS).flatMap(([reason, of]) =>
      of === outcome ? [reason] : [],
    ),
  }));
  if (first === undefined) throw new Error('there is no outcome');
  let cases: CaseWhenBuilder<Tables, 'contacts', unknown, number> = eb
    .case()
    .when('outcome_reason', 'in', first.reasons)
    .then(eb.lit(first.place));
  for (const { place, reasons } of others) {
    cases = cases.when('outcome_reason', 'in', reasons).then(eb.lit(place));
  }
  return cases.else(eb.lit(OUTCOME_ORDER.length)).end();
}

/** Writes a run's result rows before a different run changes the same contacts. */
export async function writeRunRows(
  trx: ActorTransaction | RunTransaction,
  run: RunRef,
): Promise<void> {
  await insertRows(trx, run);
  const freshCount = await countFresh(trx, run);
  const { id } = run;
  await recordRows(trx, { id, freshCount, reasons: await readReasonCounts(trx, run) });
}

const recordRows = prepared(
  (db, { id, freshCount, reasons }: Slots<{ id: string; freshCount: number; reasons: string }>) =>
    db.updateTable('runs').set({ fresh_count: freshCount, reasons }).where('id', '=', id).compile(),
);

/**
 * Reads the stored numbers for each reason. donor-sync stores them, because counting the rows each time would be slow.
 */
async function readReasonCounts(reader: Reader, { id, integrationId }: RunRef): Promise<string> {
  const counts = await countReasons(reader, { id, integrationId, freshCount: 0, reasons: null });
  return JSON.stringify(Object.fromEntries(counts));
}

async function insertRows(trx: Trx, { id, integrationId }: RunRef): Promise<void> {
  await insertRunRows(trx, { id, integrationId });
}

const insertRunRows = prepared((db, run: Slots<RunRef>) =>
  db
    .insertInto('run_rows')
    .columns(['run_id', 'place', 'crm_id', 'reason', 'detail', 'at'])
    .expression(
      buildContactsQuery(db, run)
        .select([
          'outcome_run',
          (eb) => buildPlace(eb).as('place'),
          'crm_id',
          'outcome_reason',
          'outcome_detail',
          'outcome_at',
        ])
        .where('outcome_reason', '<>', 'profile_fresh'),
    )
    .compile(),
);

/**
 * Writes the result rows of a run again if its contacts have changed after its end. Does nothing for a run in progress.
 */
export async function rewriteRunRows(trx: LeasedTransaction, runId: string): Promise<void> {
  const run = await trx
    .selectFrom('runs')
    .select(['id', 'integration_id as integrationId'])
    .where('id', '=', runId)
    .where('fresh_count', 'is not', null)
    .executeTakeFirst();
  if (run === undefined) return;
  await trx
    .deleteFrom('run_rows')
    .where('run_id', '=', runId)
    .where('crm_id', 'in', buildContactsQuery(trx, run).select('crm_id'))
    .execute();
  await insertRows(trx, run);
  const reasons = await readReasonCounts(trx, run);
  await trx.updateTable('runs').set({ reasons }).where('id', '=', runId).execute();
}

/** Deletes the rows of an integration's runs that ended before this time (epoch ms). */
export async function dropRunRows(
  trx: RunTransaction,
  integrationId: string,
  before: number,
): Promise<void> {
  await dropRows(trx, { integrationId, before });
}

const dropRows = prepared(
  (db, { integrationId, before }: Slots<{ integrationId: string; before: number }>) =>
    db
      .deleteFrom('run_rows')
      .where('run_id', 'in', (eb) =>
        eb
          .selectFrom('runs')
          .select('id')
          .where('integration_id', '=', integrationId)
          .where('finished_at', '<', before),
      )
      .compile(),
);
