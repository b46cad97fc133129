/**
 * Ranks the contacts that a network member can introduce. The largest giving capacity comes first, then the strongest
 * connection. The ranking is computed on request and kept in memory for a minute. The ranking is never stored, because
 * it would show how rich people are.
 */
import { setImmediate } from 'node:timers/promises';
import { CAPACITY_BANDS } from '../core/capacity.ts';
import type { Sealer } from '../database/encryption/sealed.ts';
import { decryptGiving } from '../fields/kept-profile.ts';
import { findIntroducers, type IntroducerDeps } from './introducers.ts';
import { listPathsWithGiving } from './statements/warm-paths.ts';

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

export interface RankDeps extends IntroducerDeps {
  sealer: Pick<Sealer, 'open'>;
}

/**
 * The number of records that are decrypted before other work can run. Decrypting this number of records takes about
 * five milliseconds.
 */
const SLICE = 500;

/**
 * Returns the ranking. Every page that shows or counts introductions uses it. The ranking does not contain contacts
 * that have opted out, object to research, have died or wait for a decision. A member who has left the network or who
 * may not be named is not offered as an introducer. If an undo has taken the values of a profile out of the CRM, the
 * contact's capacity counts as unknown.
 */
export async function rankIntroductions(
  deps: RankDeps,
  integrationId: string,
): Promise<RankedIntroduction[]> {
  const { reader, sealer } = deps;
  const members = await findIntroducers(deps, integrationId);
  const byBand: RankedIntroduction[][] = [...CAPACITY_BANDS, null].map(() => []);
  for (let after: string | null = ''; after !== null; ) {
    const slice = await listPathsWithGiving(reader, integrationId, { after, limit: SLICE });
    for (const { key, isUndone, networkId, ...path } of slice) {
      const network = members.get(networkId);
      if (!network?.donors.has(path.introducerId)) continue;
      const known = key === '' ? null : decryptGiving({ sealer }, integrationId, path.crmId, key);
      if (known?.isDeceased) continue;
      const band = isUndone ? null : (known?.band ?? null);
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
