/**
 * The whole schema, the same for SQLite and Postgres, by topic. `src/database/tables/` says what each column means.
 * Text, integers and 0/1 only, so that both databases hold the same.
 *
 * Until 1.0.0 is tagged, the ground is edited in place: a database stores its hash, and a database with another hash is
 * refused (`src/database/ground.ts`). Afterwards it is never edited again, and each change is a separate migration.
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
 * Hash of the statements below. A test fails if it is not the hash of the present statements, and names the right one.
 */
export const hash = '3aaaca7ff5cbf249';

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
