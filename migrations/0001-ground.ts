/**
 * The whole schema, ordered by topic. It is the same for SQLite and Postgres. The folder `src/database/tables/`
 * explains each column. All columns are text, integers or 0/1, so both databases store the same values.
 *
 * Until version 1.0.0, this migration itself is edited. A database stores its hash, and donor-sync refuses a database
 * with a different hash (`src/database/ground.ts`). After version 1.0.0, this migration is never edited, and each
 * change is a separate migration.
 */
import type { Kysely } from 'kysely';
import { createClientTables } from './ground/clients.ts';
import { createContactTables } from './ground/contacts.ts';
import { createCreditTables } from './ground/credits.ts';
import { createDatabaseTables } from './ground/database.ts';
import { createDecisionTables } from './ground/decisions.ts';
import { createFieldTables } from './ground/fields.ts';
import { createNetworkTables } from './ground/networks.ts';
import { createPathTables } from './ground/paths.ts';
import { createPeopleTables } from './ground/people.ts';
import { createPrivacyTables } from './ground/privacy.ts';
import { createRunTables } from './ground/runs.ts';

/**
 * The hash of the statements below. A test fails if it differs from the hash of the current statements, and shows the
 * right hash.
 */
export const hash = 'fdb9cf299b1c56b1';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createDatabaseTables(db);
  await createClientTables(db);
  await createRunTables(db);
  await createContactTables(db);
  await createCreditTables(db);
  await createFieldTables(db);
  await createNetworkTables(db);
  await createPathTables(db);
  await createDecisionTables(db);
  await createPeopleTables(db);
  await createPrivacyTables(db);
}
