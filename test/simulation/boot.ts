/** Creates the database for all simulated nights, with the schema and the keys that a first start creates. */
import { openApplication } from '../../src/application.ts';
import { silentLog } from '../../src/core/log.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { installPgBoss } from '../../src/jobs/engine/pg-boss.ts';
import { settingsSchema } from '../../src/settings/settings-schema.ts';
import type { RealPostgres } from './database/real-postgres.ts';
import { createSharedStore, type SharedStore } from './database/store.ts';
import { createRandom } from './random.ts';
import { SECRET_KEY } from './settings.ts';
import { setChance } from './takeover.ts';

const NOTHING = { database: 'sqlite::memory:', integrations: [] };

/** Starts the store. `real` is a Postgres server that is used in the place of SQLite. */
export async function bootStore(real: RealPostgres | null = null): Promise<SharedStore> {
  setChance(createRandom('the first start'));
  if (real !== null) {
    await installPgBoss({ url: real.url, log: silentLog });
    await real.takeAsNew('donor_sync_jobs');
  }
  const store = await createSharedStore(async (open) => {
    const owner = { host: 'first', processId: 1, start: 'first' };
    const client = { name: 'first', owner, state: 'alive', point: async () => undefined } as const;
    await migrateToLatest(open(client).db);
    const application = await openApplication({
      settings: { ...settingsSchema.parse(NOTHING), path: '/simulated' },
      secretKey: SECRET_KEY,
      clock: { now: () => 0, monotonicMs: () => 0, sleep: async () => undefined },
      log: silentLog,
      owner,
      neighbours: { openDatabase: async () => open(client) },
    });
    await application.close();
  }, real);
  setChance(null);
  return store;
}
