/**
 * Shows who can introduce a contact. The text is composed on request from IDs and the names in the CRM, and is not
 * stored.
 */
import type { RecordLookup } from '../../../connectors/contract.ts';
import type { ContactRecord } from '../../contacts/contacts.ts';
import type { Reader } from '../../database/reader.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { pathSentence, rankPaths } from '../../networks/network-picture.ts';
import { listMirroredNetworks } from '../../networks/statements/mirrored-networks.ts';
import { findContactsByDonor } from '../../networks/statements/network-members.ts';
import { findPath } from '../../paths/statements/warm-paths.ts';
import { findKeptBack } from '../../sync/guards/kept-back.ts';

/** A member who can introduce the contact, by IDs. */
export interface KnownIntroduction {
  donorId: string;
  /** The IDs of the member's contacts. Empty for a member who is not a contact. */
  contacts: readonly string[];
  network: string;
  /** The strength, from 0 to 1. Null for further members who know the contact, because theirs is not stored. */
  strength: number | null;
}

/** What decides which members may be named. */
export interface MemberRecords {
  records: ReadonlyMap<string, ContactRecord>;
  /** The current records in the CRM. Empty if it could not be read. */
  lookups: ReadonlyMap<string, RecordLookup>;
  /** The contacts that the filter does not include now. */
  outside: ReadonlySet<string>;
}

export interface Introduction extends Omit<KnownIntroduction, 'contacts'> {
  /** The member's contact that may be shown, or null if there is none. */
  contact: string | null;
  /** The name in the CRM, or null if it is unknown or may not be shown. */
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
    contacts: contacts.get(donorId) ?? [],
    network,
    strength,
  }));
}

/** Composes the introduction. If a member may not be named, the sentence contains only the network. A pure function. */
export function describeIntroductions(
  known: readonly KnownIntroduction[],
  called: string,
  members: MemberRecords,
): Introduction[] {
  return known.map(({ contacts, ...each }) => {
    const contact = findShownContact(contacts, members);
    const name = contact === null ? null : contactName(members.lookups.get(contact));
    const { network, strength } = each;
    const path = { from: '', to: '', contact: '', network, strength };
    const member = name ?? 'A member';
    return { ...each, contact, name, sentence: pathSentence(path, 1, member, called) };
  });
}

/**
 * Returns the first of a person's contacts that may be shown. A mark on any of them applies to the person. A pure
 * function.
 */
function findShownContact(
  contacts: readonly string[],
  { records, lookups, outside }: MemberRecords,
): string | null {
  if (contacts.some((id) => isMarked(lookups.get(id)))) return null;
  const isShown = (id: string) => {
    const record = records.get(id);
    return record !== undefined && findKeptBack(record, lookups.get(id), outside.has(id)) === null;
  };
  return contacts.find(isShown) ?? null;
}

function isMarked(lookup: RecordLookup | undefined): boolean {
  if (lookup?.state !== 'found') return false;
  const { optedOut, objects = false, excluded } = lookup.contact;
  return optedOut || objects || Boolean(excluded);
}
