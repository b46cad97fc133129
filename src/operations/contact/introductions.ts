/**
 * The people who can introduce a contact. The text is composed on request from IDs and the names in the CRM, and is not
 * stored.
 */
import type { RecordLookup } from '../../../connectors/contract.ts';
import type { Reader } from '../../database/reader.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { pathSentence, rankPaths } from '../../networks/network-picture.ts';
import { listMirroredNetworks } from '../../networks/statements/mirrored-networks.ts';
import { findContactsByDonor } from '../../networks/statements/network-members.ts';
import { findPath } from '../../paths/statements/warm-paths.ts';

/** A member who can introduce the contact, by IDs. */
export interface KnownIntroduction {
  donorId: string;
  /** The member's contact ID; null for a member who is not a contact. */
  contact: string | null;
  network: string;
  /** From 0 to 1; null for further members who know the contact, because their strength is not stored. */
  strength: number | null;
}

export interface Introduction extends KnownIntroduction {
  /** The name in the CRM; null if it is unknown or may not be shown. */
  name: string | null;
  sentence: string;
}

/** Nobody reads a longer list. */
const MAX_INTRODUCTIONS = 12;

/** Finds the members who can introduce the contact, the strongest first. */
export async function findIntroductions(
  reader: Reader,
  integrationId: string,
  crmId: string,
): Promise<KnownIntroduction[]> {
  const path = await findPath(reader, integrationId, crmId);
  if (path === null) return [];
  const mirrored = await listMirroredNetworks(reader, integrationId);
  const names = new Map(mirrored.map(({ networkId, name }) => [networkId, name]));
  const networksByMember = new Map<string, string[]>();
  for (const { name, members } of mirrored) {
    for (const donorId of members) {
      networksByMember.set(donorId, [...(networksByMember.get(donorId) ?? []), name]);
    }
  }
  const ranked = rankPaths([path], names, networksByMember).slice(0, MAX_INTRODUCTIONS);
  const donors = ranked.map(({ from }) => from);
  const contacts = await findContactsByDonor(reader, integrationId, donors);
  return ranked.map(({ from: donorId, network, strength }) => ({
    donorId,
    contact: contacts.get(donorId)?.[0] ?? null,
    network,
    strength,
  }));
}

/** Composes the introduction. If a member was not looked up, the sentence names only the network. Pure. */
export function describeIntroductions(
  known: readonly KnownIntroduction[],
  called: string,
  lookups: ReadonlyMap<string, RecordLookup>,
): Introduction[] {
  return known.map((each) => {
    const name = nameOf(each, lookups);
    const { network, strength } = each;
    const path = { from: '', to: '', contact: '', network, strength };
    const member = name ?? 'A member';
    return { ...each, name, sentence: pathSentence(path, 1, member, called) };
  });
}

/** Returns the member's name, unless the member objects or has opted out. */
function nameOf(
  { contact }: KnownIntroduction,
  lookups: ReadonlyMap<string, RecordLookup>,
): string | null {
  const lookup = contact === null ? undefined : lookups.get(contact);
  if (lookup?.state !== 'found') return null;
  const { optedOut, objects = false } = lookup.contact;
  return optedOut || objects ? null : contactName(lookup);
}
