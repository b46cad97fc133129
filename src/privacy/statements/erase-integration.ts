/** Everything of an integration that leaves: in portions, so that a kill leaves less and never a mixture. */
import { sql } from 'kysely';
import { secretPrefix } from '../../database/encryption/secrets.ts';
import { ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import { type Database, ERASED_ID, type Trx } from '../../database/tables/tables.ts';
import { OWN_TABLES } from './contact-places.ts';
import { eraseRows } from './erase-rows.ts';

/** A transaction of its own for a portion. */
type EraseBatch = <Result>(work: (trx: Trx) => Promise<Result>) => Promise<Result>;

/** What left, in rows; and what stays. */
export interface ErasedIntegration {
  erased: Record<string, number>;
  kept: KeptRows;
}

/** What has to stay, in rows: it names no contact. */
export interface KeptRows {
  /** What was charged, without whose it was. */
  submissions: number;
  jobs: number;
  networkAdds: number;
  /** Their sums by day and month. */
  sums: number;
  /** Keyed fingerprints of people who were erased. */
  blocks: number;
  /** What the audit says, with no contact that could be read. */
  auditEntries: number;
}

/** What starts or asks for anything goes first. */
const FIRST = [
  ...['schedules', 'run_requests', 'waiting_decisions', 'hooks', 'hook_calls', 'rereads'],
  ...['approvals', 'consents', 'alerts', 'setup_drafts'],
] as const satisfies readonly OfIntegration[];

const TABLES = [
  ...['warm_paths', 'warm_path_scopes', 'query_intents', 'network_wanted', 'network_holds'],
  ...[
    'foreign_texts',
    'mappings',
    'mark_questions',
    'automatic_erasures',
    'normalised_fields',
    'field_maps',
  ],
] as const satisfies readonly OfIntegration[];

type OfIntegration =
  | 'schedules'
  | 'run_requests'
  | 'hooks'
  | 'hook_calls'
  | 'waiting_decisions'
  | 'approvals'
  | 'rereads'
  | 'consents'
  | 'setup_drafts'
  | 'alerts'
  | 'warm_paths'
  | 'warm_path_scopes'
  | 'query_intents'
  | 'network_wanted'
  | 'network_holds'
  | 'foreign_texts'
  | 'mappings'
  | 'mark_questions'
  | 'automatic_erasures'
  | 'normalised_fields'
  | 'field_maps';

export async function eraseIntegration(
  db: Database,
  integrationId: string,
  now: number,
  batch: EraseBatch,
): Promise<ErasedIntegration> {
  const erased: Record<string, number> = {};
  const count = (what: string, rows: number | bigint) => {
    if (Number(rows) > 0) erased[what] = (erased[what] ?? 0) + Number(rows);
  };
  // Should a process still have its settings: it neither reads nor spends before a person agrees.
  const hold = {
    made_at: null,
    held_at: now,
    why: 'erased' as const,
    erasures_unknown_after: null,
  };
  await batch(async (trx) => {
    await trx
      .insertInto('restore_holds')
      .values({ integration_id: integrationId, ...hold })
      .onConflict((c) => c.column('integration_id').doUpdateSet(hold))
      .execute();
    const own = {
      ...{ settings: null, cursor: null, cursor_scope: null, list_scope: null },
      identity_sources: null,
    };
    await trx.updateTable('integrations').set(own).where('id', '=', integrationId).execute();
    const { numDeletedRows } = await trx
      .deleteFrom('secrets')
      .where(
        sql<boolean>`substr(name, 1, ${secretPrefix(integrationId).length}) = ${secretPrefix(integrationId)}`,
      )
      .executeTakeFirst();
    count('secrets', numDeletedRows);
  });
  for (const table of [...FIRST, ...TABLES]) await removeFrom(table);
  await removeRuns();
  await removeContacts();
  await removeNetworks();
  return { erased, kept: await countKept(db, integrationId) };

  async function removeFrom(table: OfIntegration): Promise<void> {
    await batch(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom(table)
        .where('integration_id', '=', integrationId)
        .executeTakeFirst();
      count(table, numDeletedRows);
    });
  }

  /** A run with all that it did, one after the other. */
  async function removeRuns(): Promise<void> {
    for (;;) {
      const run = await db
        .selectFrom('runs')
        .select('id')
        .where('integration_id', '=', integrationId)
        .limit(1)
        .executeTakeFirst();
      if (run === undefined) return;
      await batch(async (trx) => {
        for (const table of ['run_rows', 'network_counts', 'warm_path_costs'] as const) {
          const { numDeletedRows } = await trx
            .deleteFrom(table)
            .where('run_id', '=', run.id)
            .executeTakeFirst();
          count(table, numDeletedRows);
        }
        await trx.deleteFrom('runs').where('id', '=', run.id).execute();
        count('runs', 1);
      });
    }
  }

  async function removeContacts(): Promise<void> {
    for (const table of [...OWN_TABLES, 'jobs'] as const) {
      for (;;) {
        const rows = await db
          .selectFrom(table)
          .select('crm_id')
          .distinct()
          .where('integration_id', '=', integrationId)
          .where('crm_id', '<>', ERASED_ID)
          .limit(ROWS_PER_TRANSACTION)
          .execute();
        if (rows.length === 0) break;
        const ids = rows.map(({ crm_id: id }) => id);
        const gone = await batch((trx) => eraseRows(trx, integrationId, ids, now));
        for (const what of [
          'contacts',
          'holds',
          'writes',
          'paths',
          'profiles',
          'groups',
        ] as const) {
          count(what, gone[what]);
        }
        count('contactsOfJobs', gone.jobs);
      }
    }
  }

  async function removeNetworks(): Promise<void> {
    await batch(async (trx) => {
      const members = await trx
        .deleteFrom('network_members')
        .where('network', 'in', (eb) =>
          eb.selectFrom('networks').select('id').where('integration_id', '=', integrationId),
        )
        .executeTakeFirst();
      count('network_members', members.numDeletedRows);
      const networks = await trx
        .deleteFrom('networks')
        .where('integration_id', '=', integrationId)
        .executeTakeFirst();
      count('networks', networks.numDeletedRows);
    });
  }
}

/** In the order of what is counted. */
const TABLES_THAT_STAY = [
  'submissions',
  'jobs',
  'network_adds',
  'credit_spans',
  'forgotten',
  'audit_entries',
] as const;

async function countKept(db: Database, integrationId: string): Promise<KeptRows> {
  const [submissions, jobs, networkAdds, sums, blocks, auditEntries] = await Promise.all(
    TABLES_THAT_STAY.map(async (table) => {
      const row = await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll().as('count'))
        .where('integration_id', '=', integrationId)
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    }),
  );
  return {
    submissions: submissions ?? 0,
    jobs: jobs ?? 0,
    networkAdds: networkAdds ?? 0,
    sums: sums ?? 0,
    blocks: blocks ?? 0,
    auditEntries: auditEntries ?? 0,
  };
}

/** True while a request of the integration waits for its answer, or for the proof of what it cost. */
export async function hasOpenRequests(db: Database, integrationId: string): Promise<boolean> {
  for (const table of ['submissions', 'network_adds'] as const) {
    const row = await db
      .selectFrom(table)
      .select('id')
      .where('integration_id', '=', integrationId)
      .where('state', 'in', ['intended', 'lost'])
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) return true;
  }
  return false;
}
