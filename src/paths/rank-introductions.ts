/**
 * Ranks the contacts that a network member can introduce. The largest giving capacity comes first, then the strongest
 * connection. The ranking is computed on request and kept in memory for a minute. It is never stored, because it would
 * show how rich people are.
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
  /** The position in `CAPACITY_BANDS`, or null if the capacity is unknown. */
  band: number | null;
}

export interface RankDeps {
  reader: Store['reader'];
  fingerprint: Store['fingerprint'];
  sealer: Pick<Sealer, 'open'>;
}

/**
 * The number of records that are decrypted before other work can run. Decrypting them takes about five milliseconds.
 */
const SLICE = 500;

/**
 * Returns the ranking. Leaves out contacts that have opted out, object to research, have died or wait for a decision. A
 * member who has left the network is not an introducer. A member whom a page may not name is not an introducer either.
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

/** Sorts one band after the other, so that other work can run in between. */
async function sortBands(bands: RankedIntroduction[][]): Promise<RankedIntroduction[]> {
  const ranked: RankedIntroduction[] = [];
  for (const band of bands) {
    // The contacts are already sorted by ID, so equally strong contacts remain in this order.
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
 * Returns the current members of each network, by the network's ID at the service. Leaves out members whom a page may
 * not show.
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
 * Returns donors whose contacts have all left the CRM, have died or wait for a decision. Does not return a member
 * without any contact.
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
