/** Stores the spending of each day and month (UTC), so that a whole year can be read quickly. */

import { sql } from 'kysely';
import { OUTCOME_ORDER } from '../../core/outcome.ts';
import { prepared, preparedRead, type Slots } from '../../database/prepared.ts';
import type { Reader } from '../../database/reader.ts';
import { inFilledBatches } from '../../database/rows.ts';
import type { Trx } from '../../database/tables/tables.ts';

/** The credits by bucket and the number of written contacts, for a day or a month. */
export interface Spent {
  enhancements: number;
  networks: number;
  /** The credits for queries of runs and users. The service decides which bucket pays for them. */
  queries: number;
  written: number;
}

/** The spending of a day or a month. `at` is the day or month, such as `2026-11-22` or `2026-11`. */
export interface SpentSpan extends Spent {
  at: string;
}

/** The spending of one integration. */
export interface ClientSpent extends Spent {
  integrationId: string;
}

/** The ID under which the sums of all integrations are stored. */
const ALL = '';

const DAY_MS = 86_400_000;

/** The time within which the results of lost responses are known. Runs skip older requests. */
const SETTLED_WITHIN_MS = 35 * DAY_MS;

const WRITTEN = OUTCOME_ORDER.indexOf('written');

export function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the month of a day, such as `2026-11`. */
export function toMonth(day: string): string {
  return day.slice(0, 7);
}

/** Returns the days with spending or written contacts, in order. */
export async function listSpentDays(
  reader: Reader,
  integrationIds: readonly string[] | null,
  from: string,
  to: string,
): Promise<SpentSpan[]> {
  const days = new Map<string, SpentSpan>();
  for (const ids of integrationIds === null ? [[ALL]] : inFilledBatches(integrationIds)) {
    const rows = await reader
      .selectFrom('credit_spans')
      .select('at')
      .select(selectSums)
      .where('integration_id', 'in', ids)
      .where('span', '=', 'day')
      .where('at', '>=', from)
      .where('at', '<=', to)
      .groupBy('at')
      .execute();
    for (const { at, ...sums } of rows) days.set(at, { at, ...added(days.get(at), sums) });
  }
  return [...days.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

/** Returns the months with spending or written contacts, newest first. */
export async function listSpentMonths(reader: Reader, limit: number): Promise<string[]> {
  const rows = await reader
    .selectFrom('credit_spans')
    .select('at')
    .where('integration_id', '=', ALL)
    .where('span', '=', 'month')
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ at }) => at);
}

/**
 * Lists clients with spending or written contacts in a month, highest spending first. Null includes all integrations.
 * `total` is the number of clients.
 */
export async function listSpendingClients(
  reader: Reader,
  month: string,
  integrationIds: readonly string[] | null,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ clients: ClientSpent[]; total: number }> {
  if (integrationIds !== null) {
    const own: ClientSpent[] = [];
    for (const ids of inFilledBatches(integrationIds)) {
      own.push(
        ...(await ofMonth(reader, month).where('integration_id', 'in', ids).execute()).map(
          toClient,
        ),
      );
    }
    own.sort((a, b) => spentBy(b) - spentBy(a) || (a.integrationId < b.integrationId ? -1 : 1));
    return { clients: own.slice(offset, offset + limit), total: own.length };
  }
  const others = ofMonth(reader, month).where('integration_id', '<>', ALL);
  const rows = await others
    .orderBy(sql`enhancements + networks + queries`, 'desc')
    .orderBy('integration_id')
    .offset(offset)
    .limit(limit)
    .execute();
  const { count } = await others
    .clearSelect()
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return { clients: rows.map(toClient), total: Number(count) };
}

function ofMonth(reader: Reader, month: string) {
  return (
    reader
      .selectFrom('credit_spans')
      .select(['integration_id', 'enhancements', 'networks', 'queries', 'written'])
      // The value is written into the statement, because the index contains only months.
      .where('span', '=', sql.lit('month'))
      .where('at', '=', month)
  );
}

function toClient({ integration_id: integrationId, ...spent }: Sums & { integration_id: string }) {
  return { integrationId, ...added(undefined, spent) };
}

function spentBy({ enhancements, networks, queries }: Spent): number {
  return enhancements + networks + queries;
}

type Sums = Record<keyof Spent, number | string | bigint | null>;

function selectSums() {
  return (['enhancements', 'networks', 'queries', 'written'] as const).map((column) =>
    sql<number | string>`sum(${sql.ref(column)})`.as(column),
  );
}

function added(before: Spent | undefined, sums: Sums): Spent {
  const sum = (column: keyof Spent) => (before?.[column] ?? 0) + Number(sums[column] ?? 0);
  return {
    enhancements: sum('enhancements'),
    networks: sum('networks'),
    queries: sum('queries'),
    written: sum('written'),
  };
}

/** The amounts that must be added to each day and month. */
type Changes = Map<string, Spent>;

/**
 * Adds up the spending when a run ends. Adds only the differences for recent days, so it can be repeated. Written
 * contacts are counted together with the run's rows.
 */
export async function recordSpent(
  trx: Trx,
  run: { id: string; integrationId: string },
): Promise<void> {
  const { integrationId } = run;
  const [begun] = (await writtenBy(trx, { runId: run.id })).rows;
  if (begun === undefined) return;
  const { started_at } = begun;
  const changes = await findDifferences(trx, integrationId, started_at - SETTLED_WITHIN_MS);
  for (const at of [toDay(started_at), toMonth(toDay(started_at))]) {
    change(changes, at, { ...NOTHING, written: Number(begun.written ?? 0) });
  }
  await addAll(trx, new Map([[integrationId, changes]]));
}

/**
 * Corrects the sums after requests have changed later than their run. `since` contains, for each integration, the time
 * of the first changed request (epoch ms).
 */
export async function recountSpent(trx: Trx, since: ReadonlyMap<string, number>): Promise<void> {
  const found = new Map<string, Changes>();
  for (const [integrationId, from] of since) {
    found.set(integrationId, await findDifferences(trx, integrationId, from));
  }
  await addAll(trx, found);
}

/**
 * Adds the cost of a query. The cost of a query is added immediately, because no run checks it again. `at` is in epoch
 * ms.
 */
export async function addQueryCost(
  trx: Trx,
  integrationId: string,
  { credits, at }: { credits: number; at: number },
): Promise<void> {
  if (credits === 0) return;
  const changes: Changes = new Map();
  const day = toDay(at);
  for (const span of [day, toMonth(day)]) change(changes, span, { ...NOTHING, queries: credits });
  await addAll(trx, new Map([[integrationId, changes]]));
}

/** Returns the spending since the day of `since`, minus the spending that the sums already contain. */
async function findDifferences(trx: Trx, integrationId: string, since: number): Promise<Changes> {
  const changes: Changes = new Map();
  const from = since - (since % DAY_MS);
  const now = await readDays(trx, integrationId, from);
  const before = await daysSince(trx, { integrationId, at: toDay(from) });
  const known = new Map(before.rows.map((row) => [row.at, row]));
  for (const day of new Set([...now.keys(), ...known.keys()])) {
    const less = (bucket: 'enhancements' | 'networks') =>
      (now.get(day)?.[bucket] ?? 0) - Number(known.get(day)?.[bucket] ?? 0);
    const by = { ...NOTHING, enhancements: less('enhancements'), networks: less('networks') };
    change(changes, day, by);
    change(changes, toMonth(day), by);
  }
  return changes;
}

const NOTHING: Spent = { enhancements: 0, networks: 0, queries: 0, written: 0 };

function change(changes: Changes, at: string, by: Spent): void {
  if (Object.values(by).every((amount) => amount === 0)) return;
  changes.set(at, added(changes.get(at), by));
}

/** Adds the amounts in the same order in all transactions, which prevents deadlocks. */
async function addAll(trx: Trx, found: ReadonlyMap<string, Changes>): Promise<void> {
  const all: Changes = new Map();
  for (const [integrationId, changes] of inOrder(found)) {
    for (const [at, by] of inOrder(changes)) {
      await add(trx, integrationId, at, by);
      change(all, at, by);
    }
  }
  for (const [at, by] of inOrder(all)) await add(trx, ALL, at, by);
}

function inOrder<Value>(entries: ReadonlyMap<string, Value>): [string, Value][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Reads the start of a run, and the number of contacts to which it has written. */
const writtenBy = preparedRead((db, { runId }: Slots<{ runId: string }>) =>
  db
    .selectFrom('runs')
    .select('started_at')
    .select((eb) =>
      eb
        .selectFrom('run_rows')
        .select((inner) => inner.fn.countAll().as('count'))
        .where('run_id', '=', runId)
        .where('place', '=', WRITTEN)
        .as('written'),
    )
    .where('id', '=', runId)
    .compile(),
);

const daysSince = preparedRead(
  (db, { integrationId, at }: Slots<{ integrationId: string; at: string }>) =>
    db
      .selectFrom('credit_spans')
      .select(['at', 'enhancements', 'networks'])
      .where('integration_id', '=', integrationId)
      .where('span', '=', 'day')
      .where('at', '>=', at)
      .compile(),
);

const TABLES = {
  enhancements: { table: 'submissions', atMost: 'persons' },
  networks: { table: 'network_adds', atMost: 'donors' },
} as const;

const SPENT_BY_DAY = { enhancements: spentByDay('enhancements'), networks: spentByDay('networks') };

function spentByDay(bucket: keyof typeof TABLES) {
  const { table, atMost } = TABLES[bucket];
  return preparedRead(
    (db, { integrationId, from }: Slots<{ integrationId: string; from: number }>) =>
      db
        .selectFrom(table)
        .select([
          sql<number>`intended_at / ${sql.lit(DAY_MS)}`.as('day'),
          sql<number | string>`sum(coalesce(charged, ${sql.ref(atMost)}))`.as('spent'),
        ])
        .where('integration_id', '=', integrationId)
        .where('intended_at', '>=', from)
        .groupBy('day')
        .compile(),
  );
}

async function readDays(
  trx: Trx,
  integrationId: string,
  from: number,
): Promise<Map<string, { enhancements: number; networks: number }>> {
  const days = new Map<string, { enhancements: number; networks: number }>();
  for (const bucket of ['enhancements', 'networks'] as const) {
    const { rows } = await SPENT_BY_DAY[bucket](trx, { integrationId, from });
    for (const { day, spent } of rows) {
      const at = toDay(Number(day) * DAY_MS);
      const known = days.get(at) ?? { enhancements: 0, networks: 0 };
      days.set(at, { ...known, [bucket]: Number(spent) });
    }
  }
  return days;
}

async function add(trx: Trx, integration_id: string, at: string, by: Spent): Promise<void> {
  const span = at.length === 7 ? 'month' : 'day';
  await addSpan(trx, { integration_id, span, at, ...by });
}

const addSpan = prepared(
  (
    db,
    values: Slots<
      { integration_id: string; span: 'day' | 'month'; at: string } & {
        [what in keyof Spent]: number;
      }
    >,
  ) =>
    db
      .insertInto('credit_spans')
      .values(values)
      .onConflict((c) =>
        c.columns(['integration_id', 'span', 'at']).doUpdateSet((eb) => ({
          enhancements: eb('credit_spans.enhancements', '+', eb.ref('excluded.enhancements')),
          networks: eb('credit_spans.networks', '+', eb.ref('excluded.networks')),
          queries: eb('credit_spans.queries', '+', eb.ref('excluded.queries')),
          written: eb('credit_spans.written', '+', eb.ref('excluded.written')),
        })),
      )
      .compile(),
);
