/**
 * Runs a process that makes changes one after the other until it is killed. Each change has an entry in the audit.
 */
import { createHash, randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/core/clock.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { addAccessToken, revokeAccessToken } from '../../../src/people/statements/access.ts';
import { createStore } from '../../../src/store.ts';
import { requestRun } from '../../../src/sync/statements/run-requests.ts';
import { eraseContact } from '../../helpers/erasing.ts';

const [url = ''] = process.argv.slice(2);
const { db } = await openDatabase<Tables>(url);
const store = createStore({
  db,
  clock: systemClock,
  // The tests' stores use the same fingerprint when they check the data that this process left.
  fingerprint: (purpose, text) =>
    createHash('sha256').update(`${purpose}\0${text}`).digest('base64url'),
});

for (let change = 0; ; change += 1) {
  // Only this process uses the client, because erasing needs the lease. The program replaces the client every hundred
  // changes, so that no run has to apply too many answers.
  const integrationId = `riverside-${process.pid}-${Math.floor(change / 100)}`;
  const id = randomUUID();
  await store.act((trx) => addAccessToken(trx, { id, name: id, role: 'viewer', hash: id }));
  const request = { integrationId, trigger: 'manual', full: false } as const;
  await store.act((trx) => requestRun(trx, { ...request, contact: `contact-${id}`, runId: id }));
  if (id < '4') await store.act((trx) => revokeAccessToken(trx, id));
  if (id > 'c') await eraseContact(store, integrationId, `contact-${id}`);
  if (change === 0) process.stdout.write('begun\n');
}
