import type { Contact } from '../../src/core/contact.ts';
import type { Lease } from '../../src/database/leases.ts';
import { fingerprintPerson } from '../../src/identity/person-fingerprints.ts';
import type { ErasedRows } from '../../src/privacy/statements/erase-rows.ts';
import {
  beginErasure,
  type EraseOptions,
  eraseFromStore,
} from '../../src/privacy/statements/erasures.ts';
import type { Store } from '../../src/store.ts';

/** Calls a function with the client's current lease. If the client has no lease, creates a lease. */
export async function withLeaseOf<Result>(
  store: Store,
  integrationId: string,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  const held = await store.leases.holder(integrationId);
  if (held !== null) return work({ integrationId, epoch: held.epoch });
  const attempt = await store.leases.acquire(integrationId, 'an-eraser', () => true);
  if (!attempt.acquired) throw new Error(`${integrationId} is leased to ${attempt.owner}`);
  const result = await work(attempt.lease);
  await store.leases.release(attempt.lease);
  return result;
}

/** Erases a contact from the store, as the last step of `forget` does. */
export function eraseContact(
  store: Store,
  integrationId: string,
  crmId: string,
  options?: EraseOptions,
): Promise<ErasedRows> {
  return withLeaseOf(store, integrationId, (lease) => eraseFromStore(store, lease, crmId, options));
}

/** Erases a contact together with its identity, so that the product recognises other records of the person. */
export async function erasePerson(
  store: Store,
  integrationId: string,
  contact: Contact,
): Promise<void> {
  const person = fingerprintPerson(store.fingerprint, contact);
  const erasure = { crmId: contact.id, person, everywhere: false, donors: [], receipt: null };
  await withLeaseOf(store, integrationId, (lease) =>
    beginErasure(store, lease, { ...erasure, state: 'begun' }),
  );
  await eraseContact(store, integrationId, contact.id);
}
