/** Shows who can introduce a contact. The sentences are composed from IDs and the CRM's names, and are not stored. */
import type { RecordLookup } from '../../../connectors/contract.ts';
import type { ContactRecord } from '../../contacts/contacts.ts';
import type { Reader } from '../../database/reader.ts';
import { contactName } from '../../decisions/contact-name.ts';
import { type PicturePath, pathSentence, rankPaths } from '../../networks/network-picture.ts';
import {
  listMirroredNetworks,
  type MirroredNetwork,
} from '../../networks/statements/mirrored-networks.ts';
import { findContactsByDonor } from '../../networks/statements/network-members.ts';
import { findPaths, type KnownPath } from '../../paths/statements/warm-paths.ts';
import { findKeptBack } from '../../sync/guards/kept-back.ts';

export interface KnownIntroduction {
  donorId: string;
  /** The member's contacts in the CRM. Empty if the member is not a contact. */
  contacts: readonly string[];
  network: string;
  /** The strength of the connection. Null for further members, because donor-sync does not store their strength. */
  strength: number | null;
}

export interface MemberRecords {
  records: ReadonlyMap<string, ContactRecord>;
  /** The CRM records of the contacts. Empty if the CRM could not be read. */
  lookups: ReadonlyMap<string, RecordLookup>;
  /** The contacts that the filter currently excludes. */
  outside: ReadonlySet<string>;
}

export interface Introduction extends Omit<KnownIntroduction, 'contacts'> {
  /** The contact to show for the member. Null if a page may not show any of the member's contacts. */
  contact: string | null;
  name: string | null;
  sentence: string;
}

/** The maximum number of introductions in a list. Users do not read a longer list. */
const MAX_INTRODUCTIONS = 12;

/** Finds the members who can introduce the contact, strongest connection first. */
export async function findIntroductions(
  reader: Reader,
  integrationId: string,
  crmId: string,
): Promise<KnownIntroduction[]> {
  const [path] = await findPaths(reader, integrationId, [crmId]);
  if (path === undefined) return [];
  const ranked = rankMembers(path, await listMirroredNetworks(reader, integrationId));
  const donors = ranked.map(({ from }) => from);
  const contacts = await findContactsByDonor(reader, integrationId, donors);
  return ranked.map(({ from: donorId, network, strength }) => ({
    donorId,
    contacts: contacts.get(donorId) ?? [],
    network,
    strength,
  }));
}

/** Returns the number of members whom `findIntroductions` finds, for each contact with an introduction. */
export async function countIntroductions(
  reader: Reader,
  integrationId: string,
  crmIds: readonly string[],
): Promise<Map<string, number>> {
  if (crmIds.length === 0) return new Map();
  const mirrored = await listMirroredNetworks(reader, integrationId);
  const paths = await findPaths(reader, integrationId, crmIds);
  return new Map(paths.map((path) => [path.crmId, rankMembers(path, mirrored).length]));
}

/** Returns the members who can introduce the contact, strongest connection first. A pure function. */
function rankMembers(path: KnownPath, mirrored: readonly MirroredNetwork[]): PicturePath[] {
  const names = new Map(mirrored.map(({ networkId, name }) => [networkId, name]));
  const networksByMember = new Map<string, string[]>();
  for (const { name, members } of mirrored) {
    for (const donorId of members) {
      networksByMember.set(donorId, [...(networksByMember.get(donorId) ?? []), name]);
    }
  }
  return rankPaths([path], names, networksByMember).slice(0, MAX_INTRODUCTIONS);
}

/**
 * Composes the sentence of each introduction. If the member's name is missing, the sentence names only the network. A
 * pure function.
 */
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
 * Returns the member's contact that a page may show. A mark on one contact applies to all contacts of the person. A
 * pure function.
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
