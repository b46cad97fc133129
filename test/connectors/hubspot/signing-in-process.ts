/**
 * Signs in to HubSpot once for each line of its input. The secrets are in a database that other processes also use.
 * Prints the account's ID or the error code. The argument is the settings as JSON.
 */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { defineHubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { createPacerRegistry } from '../../../connectors/hubspot/pacers.ts';
import { hubspotSettingsSchema } from '../../../connectors/hubspot/settings.ts';
import { connectorSecrets } from '../../../src/clients/connector-secrets.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { DonorSyncError } from '../../../src/core/errors.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { loadKeyRing } from '../../../src/database/encryption/key-ring.ts';
import { createSealer } from '../../../src/database/encryption/sealed.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { createStore } from '../../../src/store.ts';
import { testFingerprint } from '../../database/store-world.ts';
import { connectorDeps } from '../connector-options.ts';

const order = z
  .object({ databaseUrl: z.string(), settings: hubspotSettingsSchema })
  .parse(JSON.parse(process.argv[2] ?? ''));

const { db, close } = await openDatabase<Tables>(order.databaseUrl);
const sealer = createSealer(await loadKeyRing(undefined, order.databaseUrl));
const store = createStore({ db, clock: systemClock, fingerprint: testFingerprint });
const secrets = connectorSecrets({ store, sealer }, 'riverside');
const definition = defineHubspotConnector({
  fetch: globalThis.fetch,
  random: Math.random,
  pacers: createPacerRegistry(systemClock),
});

process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await signIn()}\n`);
}
await close();

async function signIn(): Promise<string> {
  const options = {
    settings: order.settings,
    contacts: { filter: null, optOutField: null },
    deps: { ...connectorDeps(), secrets },
  };
  try {
    const { account, close } = await definition.open(options);
    await close();
    return account.id;
  } catch (error) {
    return error instanceof DonorSyncError ? error.code : String(error);
  }
}
