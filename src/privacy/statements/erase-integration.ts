/**
 * Erases all data about an integration that no longer uses donor-sync, in batches. If the process is killed, some data
 * has already been erased, and the remaining data is consistent.
 */
import { sql } from 'kysely';
import { getNextVersion } from '../../clients/statements/integrations.ts';
import { secretPrefix } from '../../database/encryption/secrets.ts';
import type { Lease } from '../../database/leases.ts';
import type { Reader } from '../../database/reader.ts';
import { ROWS_PER_TRANSACTION } from '../../database/rows.ts';
import type { Store } from '../../database/store.ts';
import { listTables, type TablesThat } from '../../database/tables/catalogue.ts';
import { ERASED_ID } from '../../database/tables/credits.ts';
import type { Trx } from '../../database/tables/tables.ts';
import { recordEntry } from '../audit/record.ts';
import { OWN_TABLES } from './contact-places.ts';
import { eraseRows } from './erase-rows.ts';
import type { WithErasureLog } from './erasure-log.ts';

/** Runs one batch in its own transaction. */
type EraseBatch = <Result>(work: (trx: Trx) => Promise<Result>) => Promise<Result>;

/** The numbers of erased rows and of rows that are kept. */
export interface ErasedIntegration {
  erased: Record<string, number>;
  kept: KeptRows;
}

/** The rows that donor-sync must keep. The rows that are kept do not identify any contact. */
export interface KeptRows {
  /** The number of charges. donor-sync keeps the charges without their contacts. */
  submissions: number;
  jobs: number;
  networkAdds: number;
  /** The sums of the charges by day and by month, and of the deleted jobs. */
  sums: number;
  /** Keyed fingerprints of erased people. */
  blocks: number;
  /** The number of audit entries. The audit entries no longer identify any contact. */
  auditEntries: number;
}

/** Rows that start or request work are deleted first. */
const TABLES = [...listTables('deleted first'), ...listTables('deleted')];

/** The tables whose rows belong to a run. The rows of these tables are deleted before their run. */
const TABLES_OF_RUNS = listTables('deleted with its run').filter((table) => table !== 'runs');

/**
 * Erases all data about an integration that no longer uses donor-sync. If an earlier attempt was interrupted, erases
 * the remaining data.
 */
export async function eraseLeavingIntegration(
  { reader, checkpoint, erasures }: Pick<Store, 'reader' | 'checkpoint'> & WithErasureLog,
  lease: Lease,
): Promise<ErasedIntegration> {
  const { integrationId } = lease;
  const now = reader.clock.now();
  await erasures.append({ what: 'left', at: now, integration: integrationId });
  // Records the erasure before it deletes the first key. After an interruption, the audit still shows why keys are
  // missing.
  await checkpoint(lease, (trx) =>
    recordEntry(trx, { action: 'integration.erasing', integrationId }),
  );
  const done = await eraseIntegration(reader, integrationId, now, (work) =>
    checkpoint(lease, work),
  );
  await checkpoint(lease, (trx) =>
    recordEntry(trx, { action: 'integration.erased', integrationId, details: done.erased }),
  );
  return done;
}

export async function eraseIntegration(
  reader: Reader,
  integrationId: string,
  now: number,
  batch: EraseBatch,
): Promise<ErasedIntegration> {
  const erased: Record<string, number> = {};
  await counting(async (trx, count) => {
    for (const [table, clear] of Object.entries(CLEARED)) {
      count(table, await clear(trx, integrationId, now));
    }
  });
  for (const table of TABLES) await removeFrom(table);
  await removeRuns();
  await removeContacts();
  await removeNetworks();
  return { erased, kept: await countKept(reader, integrationId) };

  /** Erases one batch. Adds its numbers only after the commit, because a transaction may run several times. */
  async function counting(
    work: (trx: Trx, count: (what: string, rows: number | bigint) => void) => Promise<void>,
  ): Promise<void> {
    const gone = await batch(async (trx) => {
      const rows = new Map<string, number>();
      await work(trx, (what, more) => rows.set(what, (rows.get(what) ?? 0) + Number(more)));
      return rows;
    });
    for (const [what, rows] of gone) {
      if (rows > 0) erased[what] = (erased[what] ?? 0) + rows;
    }
  }

  async function removeFrom(table: (typeof TABLES)[number]): Promise<void> {
    await counting(async (trx, count) => {
      const { numDeletedRows } = await trx
        .deleteFrom(table)
        .where('integration_id', '=', integrationId)
        .executeTakeFirst();
      count(table, numDeletedRows);
    });
  }

  /** Deletes runs one after the other, with all data about each run. */
  async function removeRuns(): Promise<void> {
    for (;;) {
      const run = await reader
        .selectFrom('runs')
        .select('id')
        .where('integration_id', '=', integrationId)
        .limit(1)
        .executeTakeFirst();
      if (run === undefined) return;
      await counting(async (trx, count) => {
        for (const table of TABLES_OF_RUNS) {
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
        const rows = await reader
          .selectFrom(table)
          .select('crm_id')
          .distinct()
          .where('integration_id', '=', integrationId)
          .where('crm_id', '<>', ERASED_ID)
          .limit(ROWS_PER_TRANSACTION)
          .execute();
        if (rows.length === 0) break;
        const ids = rows.flatMap(({ crm_id: id }) => id ?? []);
        await counting(async (trx, count) => {
          const gone = await eraseRows(trx, integrationId, ids, now);
          const own = ['contacts', 'holds', 'writes', 'paths', 'profiles', 'groups'] as const;
          for (const what of own) count(what, gone[what]);
          count('contactsOfJobs', gone.jobs);
        });
      }
    }
  }

  async function removeNetworks(): Promise<void> {
    await counting(async (trx, count) => {
      const members = await trx
        .deleteFrom('network_members')
        .where('network', 'in', (eb) =>
          eb.selectFrom('networks').select('id').where('integration_id', '=', integrationId),
        )
        .executeTakeFirst();
      count('network_members', members.numDeletedRows);
      // The decisions about contacts have already been deleted together with the contacts.
      const questions = await trx
        .deleteFrom('questions')
        .where('integration_id', '=', integrationId)
        .executeTakeFirst();
      count('network_holds', questions.numDeletedRows);
      const networks = await trx
        .deleteFrom('networks')
        .where('integration_id', '=', integrationId)
        .executeTakeFirst();
      count('networks', networks.numDeletedRows);
    });
  }
}

async function countKept(reader: Reader, integrationId: string): Promise<KeptRows> {
  const counted: KeptRows = {
    submissions: 0,
    jobs: 0,
    networkAdds: 0,
    sums: 0,
    blocks: 0,
    auditEntries: 0,
  };
  for (const table of listTables('counted')) {
    const row = await reader
      .selectFrom(table)
      .select((eb) => eb.fn.countAll().as('count'))
      .where('integration_id', '=', integrationId)
      .executeTakeFirst();
    counted[COUNTED_AS[table]] += Number(row?.count ?? 0);
  }
  return counted;
}

/** The names under which the erasure counts the remaining rows. */
const COUNTED_AS: Readonly<Record<TablesThat<{ whenClientErased: 'counted' }>, keyof KeptRows>> = {
  submissions: 'submissions',
  jobs: 'jobs',
  network_adds: 'networkAdds',
  credit_spans: 'sums',
  closed_jobs: 'sums',
  forgotten: 'blocks',
  audit_entries: 'auditEntries',
};

/**
 * The functions that clear the tables whose rows are not simply deleted. Each function returns the number of removed
 * rows.
 */
const CLEARED: Readonly<
  Record<
    TablesThat<{ whenClientErased: 'cleared' }>,
    (trx: Trx, integrationId: string, now: number) => Promise<number>
  >
> = {
  restore_holds: holdClient,
  integrations: clearSettings,
  secrets: deleteSecrets,
};

/**
 * Holds the client, because a process may still use its settings. While the client is held, that process must not read
 * contacts or spend credits until a user agrees.
 */
async function holdClient(trx: Trx, integrationId: string, now: number): Promise<number> {
  const hold = {
    made_at: null,
    held_at: now,
    why: 'erased' as const,
    erasures_unknown_after: null,
    is_journaled: 0,
    agreed_at: null,
  };
  await trx
    .insertInto('restore_holds')
    .values({ integration_id: integrationId, ...hold })
    .onConflict((c) => c.column('integration_id').doUpdateSet(hold))
    .execute();
  return 0;
}

async function clearSettings(trx: Trx, integrationId: string): Promise<number> {
  const nothing = {
    settings: null,
    // A new version makes `serve` and `worker` processes stop using the client within seconds, as if its settings were
    // removed.
    settings_version: await getNextVersion(trx),
    cursor: null,
    cursor_before: null,
    cursor_scope: null,
    list_scope: null,
    identity_sources: null,
  };
  await trx.updateTable('integrations').set(nothing).where('id', '=', integrationId).execute();
  return 0;
}

async function deleteSecrets(trx: Trx, integrationId: string): Promise<number> {
  const prefix = secretPrefix(integrationId);
  const { numDeletedRows } = await trx
    .deleteFrom('secrets')
    .where(sql<boolean>`substr(name, 1, ${prefix.length}) = ${prefix}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** True while a request of the integration waits for its response, or while its cost is unknown. */
export async function hasOpenRequests(reader: Reader, integrationId: string): Promise<boolean> {
  for (const table of ['submissions', 'network_adds'] as const) {
    const row = await reader
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
