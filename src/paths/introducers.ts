/** Decides which members of the networks may be offered as introducers. */
import { findContacts } from '../contacts/contacts.ts';
import { listMirroredNetworks } from '../networks/statements/mirrored-networks.ts';
import { findContactsByDonor } from '../networks/statements/network-members.ts';
import type { Store } from '../store.ts';
import { findKeptBack } from '../sync/guards/kept-back.ts';
import { findUnshownDonors } from './unshown-donors.ts';

export interface IntroducerDeps {
  reader: Store['reader'];
  fingerprint: Store['fingerprint'];
}

/** A network's members who may be offered as introducers. */
export interface Introducers {
  name: string;
  donors: ReadonlySet<string>;
}

/**
 * Returns the current members of each network. The key is the service's ID for the network. Members who may not be
 * shown are left out.
 */
export async function findIntroducers(
  deps: IntroducerDeps,
  integrationId: string,
): Promise<ReadonlyMap<string, Introducers>> {
  const networks = await listMirroredNetworks(deps.reader, integrationId);
  const all = new Set(networks.flatMap(({ members }) => members));
  const unshown = await findUnshownDonors(deps, integrationId, all);
  const withheld = await findWithheld(deps, integrationId, [...all]);
  return new Map(
    networks.map(({ networkId, name, members }) => {
      const donors = members.filter((donor) => !unshown.has(donor) && !withheld.has(donor));
      return [networkId, { name, donors: new Set(donors) }];
    }),
  );
}

/**
 * Returns donors without a visible contact. All contacts of a withheld donor have left, have died or wait for a
 * decision. A member without a contact is not among them.
 */
async function findWithheld(
  { reader }: IntroducerDeps,
  integrationId: string,
  donors: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = await findContactsByDonor(reader, integrationId, donors);
  const contacts = await findContacts(reader, integrationId, [...ids.values()].flat());
  const isShown = (crmId: string) => {
    const contact = contacts.get(crmId);
    return contact !== undefined && findKeptBack(contact, undefined) === null;
  };
  return new Set([...ids].flatMap(([donor, crmIds]) => (crmIds.some(isShown) ? [] : donor)));
}
