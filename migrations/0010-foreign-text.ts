/**
 * What a CRM said is kept sealed from here on; `src/store/engine/tables.ts` says what each column means.
 * Earlier versions wrote it in clear: of that the codes stay, and the texts are dropped. They are
 * not sealed, since nothing tells which part of them is a person's.
 */
import type { Kysely } from 'kysely';
import { z } from 'zod';

type Texts = {
  contacts: {
    integration_id: string;
    crm_id: string;
    outcome_reason: string;
    outcome_detail: string | null;
  };
  runs: {
    id: string;
    reason_code: string | null;
    reason_message: string | null;
    report: string | null;
  };
  network_holds: { kind: string; detail: string | null };
  consents: { outcome: string | null };
};

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db);
  const texts = db.withTables<Texts>();
  await dropDetails(texts);
  await dropReasons(texts);
  await texts
    .updateTable('network_holds')
    .set({ detail: null })
    .where('kind', '=', 'network_refused')
    .execute();
  await texts
    .updateTable('consents')
    .set({ outcome: 'The account was not connected. Begin again: donor-sync connect.' })
    .where('outcome', 'not in', ['connected', 'taken'])
    .execute();
}

async function createTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('foreign_texts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('crm_id', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('kept_at', 'bigint', (c) => c.notNull())
    .execute();
  for (const [name, columns] of [
    ['foreign_texts_by_run', ['run_id']],
    ['foreign_texts_by_contact', ['integration_id', 'crm_id']],
    ['foreign_texts_by_age', ['kept_at']],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('foreign_texts')
      .columns([...columns])
      .execute();
  }
}

/** Rows that are read at once. */
const PAGE_ROWS = 500;

/** Outcomes whose detail may quote what a CRM or the service has said. */
const QUOTING_REASONS = ['crm_refused', 'crm_busy', 'person_invalid', 'profile_unreadable'];

async function dropDetails(db: Kysely<Texts>): Promise<void> {
  let after: { integration_id: string; crm_id: string } | undefined;
  do {
    const page = await db
      .selectFrom('contacts')
      .select(['integration_id', 'crm_id', 'outcome_detail'])
      .where('outcome_reason', 'in', QUOTING_REASONS)
      .where('outcome_detail', 'is not', null)
      .$if(after !== undefined, (query) =>
        query.where((eb) =>
          eb(
            eb.refTuple('integration_id', 'crm_id'),
            '>',
            eb.tuple(after?.integration_id ?? '', after?.crm_id ?? ''),
          ),
        ),
      )
      .orderBy('integration_id')
      .orderBy('crm_id')
      .limit(PAGE_ROWS)
      .execute();
    for (const { integration_id, crm_id, outcome_detail } of page) {
      await db
        .updateTable('contacts')
        .set({ outcome_detail: codeOf(outcome_detail ?? '') })
        .where('integration_id', '=', integration_id)
        .where('crm_id', '=', crm_id)
        .execute();
    }
    after = page.at(-1);
  } while (after !== undefined);
}

/** `STRING_TOO_LONG: A value …` → the code; null for what does not begin with one. */
function codeOf(detail: string): string | null {
  return /^([A-Z][A-Z0-9_]{1,79}): /.exec(detail)?.[1] ?? null;
}

/** Codes of runs whose message never held anything but our own words. */
const OUR_CODES: readonly string[] = [
  ...['credits_exhausted', 'budget_reached', 'match_rate_low', 'clock_wrong', 'store_replaced'],
  ...['store_does_not_know_crm', 'lease_lost', 'interrupted'],
  ...['partner_key_rejected', 'partner_key_expired', 'partner_unavailable'],
];

async function dropReasons(db: Kysely<Texts>): Promise<void> {
  let after = '';
  for (;;) {
    const page = await db
      .selectFrom('runs')
      .select(['id', 'reason_code', 'report'])
      .where('reason_message', 'is not', null)
      .where('reason_code', 'not in', OUR_CODES)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute();
    for (const { id, reason_code, report } of page) {
      const message = `It ended with the code ${reason_code}. What earlier versions wrote of that is not kept.`;
      await db
        .updateTable('runs')
        .set({ reason_message: message, report: withMessage(report, message) })
        .where('id', '=', id)
        .execute();
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

const reportSchema = z.looseObject({ reason: z.looseObject({ code: z.string() }) });

/** The report of a run repeats its reason. */
function withMessage(report: string | null, message: string): string | null {
  if (report === null) return null;
  const { reason, ...rest } = reportSchema.parse(JSON.parse(report));
  return JSON.stringify({ ...rest, reason: { ...reason, message } });
}
