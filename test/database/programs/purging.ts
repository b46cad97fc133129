/** Runs a process that purges old data repeatedly until it is killed. */

import { createHash } from 'node:crypto';
import { systemClock } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { purgeAudit } from '../../../src/privacy/audit/purge-audit.ts';
import { purgeExpired } from '../../../src/privacy/statements/retention.ts';
import { createStore } from '../../../src/store.ts';

const [url = '', integrationId = '', days = '', audit = 'purged'] = process.argv.slice(2);
const { db } = await openDatabase<Tables>(url);
const store = createStore({
  db,
  clock: systemClock,
  // The tests' stores use the same fingerprint when they check the data that this process left.
  fingerprint: (purpose, text) =>
    createHash('sha256').update(`${purpose}\0${text}`).digest('base64url'),
});
const attempt = await store.leases.acquire(integrationId, `purge-${process.pid}`, () => true);
if (!attempt.acquired) throw new Error(`${integrationId} is leased to ${attempt.owner}`);
const kept = Number(days);
process.stdout.write('ready\n');
for (;;) {
  await purgeExpired(store, attempt.lease, {
    ...{ runRows: 90, outcomes: kept, previousValues: kept, removedContacts: kept },
  });
  // Purges entries that are older than a tenth of a second. Each round therefore purges some entries.
  if (audit === 'purged') await store.act((trx) => purgeAudit(trx, Date.now() - 100));
}
