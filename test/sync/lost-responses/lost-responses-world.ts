/** Helpers for lost responses, which observe requests to the service and kill a process before it sends its request. */
import { expect } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { recordSubmissionIntent } from '../../../src/credits/statements/intents.ts';
import type { SyncWorld } from '../../helpers/sync-world.ts';

export const ON_SUBMIT = { method: 'POST', path: '/enhancements' };

/** Returns the submissions and the readings of the balance, in the order in which they arrived. */
export async function submitsAndReadings(world: SyncWorld): Promise<string[]> {
  const requests = await world.requests();
  return requests.flatMap(({ method, path }) => {
    if (method === 'POST' && path.endsWith('/enhancements')) return ['submit'];
    return path.endsWith('/credits') ? ['credits'] : [];
  });
}

/** Creates the state after a process dies between the intent and the request. */
export async function intendWithoutSending(
  { database, store, integration }: SyncWorld,
  crmId: string,
) {
  const taken = await store.leases.acquire(integration.id, 'dead', () => true);
  if (!taken.acquired) throw new Error('The lease is taken');
  await database.db
    .updateTable('contacts')
    .set({
      state: 'due',
      due_reason: 'profile_old',
      asked_identity: null,
      asked_at: null,
      last_credit: null,
    })
    .where('crm_id', '=', crmId)
    .execute();
  const row = (await findContacts(store.reader, integration.id, [crmId])).get(crmId);
  const result = await recordSubmissionIntent(store.checkpoint, taken.lease, {
    submissionId: 'killed',
    runId: row?.outcomeRun ?? '',
    partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
    mapping: 'mapping',
    jobs: [
      {
        trackingId: 'killed-1',
        crmId,
        identity: row?.identity ?? '',
        reason: 'profile_old',
        person: null,
      },
    ],
    sharing: { since: 0, heedsLost: true },
  });
  expect(result.recorded).toBe(true);
  await store.leases.release(taken.lease);
}
