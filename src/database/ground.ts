/**
 * Identifies the version of a database's first schema. Until version 1.0.0, this schema is edited in place. The name of
 * the schema does not show its version, so the hash of the schema is stored.
 */
import { type Kysely, sql } from 'kysely';
import { ConfigurationError } from '../core/errors.ts';
import { hasTable } from './has-table.ts';
import type { Ground, MigrationList, SchemaMigration } from './migrations.ts';

const GROUND_TABLE = 'donor_sync_ground';

/** Throws a ConfigurationError if the database has a different first schema. Changes nothing. */
export async function requireGround<Tables>(
  db: Kysely<Tables>,
  migrations: MigrationList,
): Promise<void> {
  const stored = await findGround(db);
  if (stored === null) throw isOfVersion010();
  const { hash } = findGroundIn(migrations).ground;
  if (stored !== hash) throw isOfOtherGround(stored, hash);
}

export async function findGround<Tables>(db: Kysely<Tables>): Promise<string | null> {
  if (!(await hasTable(db, GROUND_TABLE))) return null;
  const { rows } = await sql<{ hash: string }>`select hash from ${sql.table(GROUND_TABLE)}`.execute(
    db,
  );
  return rows[0]?.hash ?? null;
}

/** Extends the first migration. In the same transaction, it stores the schema's hash and runs `more`. */
export function storingGround(
  migrations: MigrationList,
  more: (trx: Kysely<unknown>) => Promise<void> = async () => undefined,
): Record<string, SchemaMigration> {
  const { name, ground } = findGroundIn(migrations);
  return {
    ...migrations,
    [name]: {
      async up(db) {
        await ground.up(db);
        await db.schema
          .createTable(GROUND_TABLE)
          .addColumn('hash', 'text', (c) => c.primaryKey().notNull())
          .execute();
        await sql`insert into ${sql.table(GROUND_TABLE)} (hash) values (${ground.hash})`.execute(
          db,
        );
        await more(db);
      },
    },
  };
}

function findGroundIn(migrations: MigrationList): { name: string; ground: Ground } {
  const [name = ''] = Object.keys(migrations).sort();
  const ground = migrations[name];
  if (ground === undefined || !('hash' in ground)) {
    throw new Error('The first migration of a list is its ground, and has a hash.');
  }
  return { name, ground };
}

function isOfVersion010(): ConfigurationError {
  return new ConfigurationError(
    'The database was created by donor-sync 0.1.0, or by a build before 1.0.0-rc, and this version cannot read its tables. Nothing was changed. Name a new database in the setting `database`, or keep using the version that created this one. The section "A database of 0.1.0" of docs/guides/operating.md lists the data to carry over.',
    { code: 'database_too_old' },
  );
}

function isOfOtherGround(stored: string, wanted: string): ConfigurationError {
  return new ConfigurationError(
    `The database was created by another pre-release of 1.0.0: its tables (${stored}) differ from the tables of this program (${wanted}). Nothing was changed. Pre-releases do not upgrade each other's databases: use the version that created this one, or name a new database in the setting \`database\`.`,
    { code: 'database_other_ground', details: { stored, wanted } },
  );
}
