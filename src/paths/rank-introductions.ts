/**
 * Ranks the contacts that a member of a network can introduce. The largest giving capacity comes first, then the
 * strongest connection. The order is computed when it is needed, and kept in memory for a minute. It is never stored,
 * because it would show how rich people are.
 */
import { setImmediate } from 'node:timers/promises';
import { findContacts } from '../contacts/contacts.ts';
import { CAPACITY_BANDS } from '../core/capacity.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import { decryptGiving } from '../fields/kept-profile.ts';
import {
  listMirroredNetworks,
  type MirroredNetwork,
} from '../networks/statements/mirrored-networks.ts';
import { findContactsByDonor } from '../networks/statements/network-members.ts';
import type { Store } from '../store.ts';
import { findKeptBack } from '../sync/guards/kept-back.ts';
import { listPathsWithGiving } from './statements/warm-paths.ts';
import { findUnshownDonors } from './unshown-donors.ts';

/** A contact, and the member who can introduce the contact. */
export interface RankedIntroduction {
  crmId: string;
  introducerId: string;
  network: string;
  /** The strength, from 0 to 1. */
  strength: number;
  /** Index in `CAPACITY_BANDS`, or null if the capacity is not known. */
  band: number | null;
}

export interface RankDeps {
  reader: Store['reader'];
  fingerprint: Store['fingerprint'];
  sealer: Pick<Sealer, 'open'>;
}

/** The number of records that are decrypted before other work can continue. This takes about five milliseconds. */
const SLICE = 500;

/**
 * Returns the ranking. It does not contain contacts that have opted out, object to research, have died or wait for a
 * decision. A member who has left the network or who may not be named is not offered as an introducer.
 */
export async function rankIntroductions(
  deps: RankDeps,
  integrationId: string,
): Promise<RankedIntroduction[]> {
  const { reader, sealer } = deps;
  const networks = await listMirroredNetworks(reader, integrationId);
  const members = await findIntroducers(deps, integrationId, networks);
  const byBand: RankedIntroduction[][] = [...CAPACITY_BANDS, null].map(() => []);
  for (let after: string | null = ''; after !== null; ) {
    const slice = await listPathsWithGiving(reader, integrationId, { after, limit: SLICE });
    for (const { key, networkId, ...path } of slice) {
      const network = members.get(networkId);
      if (!network?.donors.has(path.introducerId)) continue;
      const known = key === '' ? null : decryptGiving({ sealer }, integrationId, path.crmId, key);
      if (known?.isDeceased) continue;
      const band = known?.band ?? null;
      const { crmId, introducerId, strength } = path;
      byBand[band ?? CAPACITY_BANDS.length]?.push({
        crmId,
        introducerId,
        network: network.name,
        strength,
        band,
      });
    }
    after = slice.length < SLICE ? null : (slice.at(-1)?.crmId ?? null);
    await setImmediate();
  }
  return sortBands(byBand);
}

/** Sorts one band after the other, so other work can run between them. */
async function sortBands(bands: RankedIntroduction[][]): Promise<RankedIntroduction[]> {
  const ranked: RankedIntroduction[] = [];
  for (const band of bands) {
    // The contacts are already in the order of their IDs, which decides between equals.
    band.sort((one, other) => other.strength - one.strength);
    for (const each of band) ranked.push(each);
    await setImmediate();
  }
  return ranked;
}

interface Introducers {
  name: string;
  donors: ReadonlySet<string>;
}

/**
 * Returns the current members of each network. The key is the service's ID for the network. Members who may not be
 * shown are left out.
 */
async function findIntroducers(
  deps: RankDeps,
  integrationId: string,
  networks: readonly MirroredNetwork[],
): Promise<ReadonlyMap<string, Introducers>> {
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
 * Returns donors without a visible contact. All their contacts have left, have died or wait for a decision. A member
 * without a contact is not among them.
 */
async function findWithheld(
  { reader }: RankDeps,
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
