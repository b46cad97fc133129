import { findContacts } from '../contacts/contacts.ts';
import { findContactsByDonor } from '../networks/statements/network-members.ts';
import { findErasedDonors } from '../privacy/statements/mentions.ts';
import type { Store } from '../store.ts';

/**
 * Returns the donors that may not be named: erased people, and contacts that opted out or object. The service can still
 * have the former in a network, and the latter until the next run.
 */
export async function findUnshownDonors(
  { reader, fingerprint }: Pick<Store, 'reader' | 'fingerprint'>,
  integrationId: string,
  donorIds: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const ids = [...donorIds];
  const erased = await findErasedDonors(reader, fingerprint, integrationId, ids);
  const known = await findContactsByDonor(reader, integrationId, ids);
  const contacts = await findContacts(reader, integrationId, [...known.values()].flat());
  const hasOptedOut = (crmId: string) => (contacts.get(crmId)?.hasOptedOut ?? 0) !== 0;
  const optedOut = [...known].flatMap(([donorId, crmIds]) =>
    crmIds.some(hasOptedOut) ? donorId : [],
  );
  return new Set([...erased, ...optedOut]);
}
