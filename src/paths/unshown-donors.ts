import { findContacts } from '../contacts/contacts.ts';
import { receivesNothing } from '../contacts/receives-nothing.ts';
import { findContactsByDonor } from '../networks/statements/network-members.ts';
import { findErasedDonors } from '../privacy/statements/mentions.ts';
import type { Store } from '../store.ts';

/**
 * Returns donors whom a page may not show: erased people, and contacts that have opted out, object to research, have
 * died or want no contact. Includes contacts whose mark a user may still declare an error. All donors in this list can
 * still be in a network at the service.
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
  const isMarked = (crmId: string) => {
    const contact = contacts.get(crmId);
    return contact !== undefined && (contact.hasOptedOut !== 0 || receivesNothing(contact));
  };
  const marked = [...known].flatMap(([donorId, crmIds]) => (crmIds.some(isMarked) ? donorId : []));
  return new Set([...erased, ...marked]);
}
