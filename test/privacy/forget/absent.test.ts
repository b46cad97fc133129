/**
 * Checks that a contact is never erased only because its CRM no longer shows it. An erasure needs an event or a mark.
 */

import { expect, it } from 'vitest';
import { listBatches } from '../../../src/decisions/statements/batches.ts';
import { listDueErasures } from '../../../src/decisions/statements/erasure-requests.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { hasTracesOfContact } from '../../../src/privacy/statements/known-contacts.ts';
import { openAccount } from '../../connectors/hubspot/account.ts';
import { openOrg } from '../../connectors/salesforce/org.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createSyncWorld, type SyncWorld, WITHOUT_TRIAL } from '../../helpers/sync-world.ts';

const DONORS = 200;
const PEOPLE = 40;
const DAY_MS = 86_400_000;
const GONE = 3;

const openWorld = closedAfterTest(createSyncWorld);
const openHubspot = closedAfterTest(openAccount);
const openSalesforce = closedAfterTest(openOrg);

/** Returns a clock of the product for which a test can let days pass. */
function aCalendar() {
  let passedMs = 0;
  return {
    pass(days: number) {
      passedMs += days * DAY_MS;
    },
    clock: {
      now: () => Date.now() + passedMs,
      monotonicMs: () => performance.now() + passedMs,
      sleep: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    },
  };
}

async function expectKept({ store, database }: SyncWorld, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    expect(await hasTracesOfContact(store.reader, 'riverside', [id])).toBe(true);
  expect(await listDueErasures(store.reader, 'riverside', 100)).toEqual([]);
  const batches = await listBatches(store.reader);
  expect(batches.filter(({ kind }) => kind === 'erasure_requested')).toEqual([]);
  const entries = await listAuditEntries(store, { limit: 500 });
  expect(entries.map(({ action }) => action).filter((name) => /forget|eras/.test(name))).toEqual(
    [],
  );
  const rows = await database.db.selectFrom('forgotten').selectAll().execute();
  expect(rows).toEqual([]);
}

it('of HubSpot, deleted for privacy, while no event has told of it', async () => {
  const { clock, pass } = aCalendar();
  const account = await openHubspot({ contacts: PEOPLE, donors: DONORS });
  const world = await openWorld({
    service: { donors: DONORS },
    clock,
    integration: { ...WITHOUT_TRIAL, fields: [{ from: 'netWorth.label', to: 'jobtitle' }] },
    open: (signal) => account.connector({}, { signal }),
  });
  const ids = (await account.people()).map(({ id }) => id).slice(0, GONE);
  expect((await world.sync({ acceptMatchRate: true })).status).toBe('succeeded');
  for (const objectId of ids) {
    await account.ask('POST', '/crm/objects/2026-09/contacts/gdpr-delete', { objectId });
  }
  for (const days of [1, 1, 6, 8]) {
    pass(days);
    await world.sync({ full: days > 1, acceptMatchRate: true });
    await expectKept(world, ids);
  }
});

it('of Salesforce, deleted, emptied out of the recycle bin, or hidden from the user of the integration', async () => {
  const { clock, pass } = aCalendar();
  const org = await openSalesforce({ contacts: PEOPLE, donors: DONORS });
  const world = await openWorld({
    service: { donors: DONORS },
    clock,
    integration: { ...WITHOUT_TRIAL, fields: [{ from: 'netWorth.label', to: 'Department' }] },
    open: (signal) => org.connector({}, { signal }),
  });
  const [deleted = '', emptied = '', hidden = ''] = (await org.people()).map(({ id }) => id);
  expect((await world.sync({ acceptMatchRate: true })).status).toBe('succeeded');
  await org.deleteContact(deleted);
  await org.deleteContact(emptied);
  await org.edit({ action: 'purge', type: 'Contact', id: emptied });
  await org.control('PUT', 'record-access', { id: hidden, access: 'hidden' });
  for (const days of [1, 1, 6, 8]) {
    pass(days);
    await world.sync({ full: days > 1, acceptMatchRate: true });
    await expectKept(world, [deleted, emptied, hidden]);
  }
});
