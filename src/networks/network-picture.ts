/**
 * Shows the introductions that the last run computed, with the members who can introduce each contact. The data comes
 * only from the database. The picture contains IDs but no names.
 */

import { describeCount } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { findPath, type KnownPath, listStrongestPaths } from '../paths/statements/warm-paths.ts';
import { listMirroredNetworks } from './statements/mirrored-networks.ts';
import { findContactsByDonor } from './statements/network-members.ts';

export interface PicturePerson {
  donorId: string;
  /** The person's contacts in the CRM. Empty for a member who is not a contact. */
  contacts: string[];
  /** The names of the networks that contain the person. */
  networks: string[];
}

/** A connection between a network member and a contact. */
export interface PicturePath {
  /** Donor ID of the member. */
  from: string;
  /** The contact's donor ID, and the contact's ID in the CRM. */
  to: string;
  contact: string;
  /**
   * The strength in hundredths. Null for further members who know the contact, because donor-sync stores no strength
   * for them.
   */
  strength: number | null;
  /** The network of the member. */
  network: string;
}

export interface NetworkPicture {
  networks: { name: string; members: number }[];
  people: PicturePerson[];
  /** The paths, strongest first. */
  paths: PicturePath[];
}

/** The maximum number of people in a picture. A picture with more people would be unreadable. */
export const MAX_PEOPLE = 2_000;
export const MAX_PATHS = 6_000;

/** The strength of the weakest connection that the service stores for networks, in hundredths. */
export const WEAKEST = 45;

/** Returns the strongest paths. If `who` is given, returns all paths to this contact, including weak paths. */
export async function readPicture(
  reader: Reader,
  integrationId: string,
  who: string | null = null,
): Promise<NetworkPicture> {
  const mirrored = await listMirroredNetworks(reader, integrationId);
  const strongest = await listStrongestPaths(reader, integrationId, MAX_PEOPLE);
  const asked = who === null ? null : await findPath(reader, integrationId, who);
  const isListed = strongest.some(({ crmId }) => crmId === asked?.crmId);
  const known = asked === null || isListed ? strongest : [asked, ...strongest];
  const named = new Map(mirrored.map(({ networkId, name }) => [networkId, name]));
  const networksByMember = new Map<string, string[]>();
  for (const { name, members } of mirrored) {
    for (const donorId of members)
      networksByMember.set(donorId, [...(networksByMember.get(donorId) ?? []), name]);
  }
  const paths = rankPaths(known, named, networksByMember);
  const donors = [...new Set(paths.flatMap(({ from, to }) => [from, to]))];
  const contacts = await findContactsByDonor(reader, integrationId, donors);
  return {
    networks: mirrored.map(({ name, members }) => ({ name, members: members.length })),
    people: donors.map((donorId) => ({
      donorId,
      contacts: contacts.get(donorId) ?? [],
      networks: networksByMember.get(donorId) ?? [],
    })),
    paths,
  };
}

/**
 * Sorts paths for the picture. The best path to each contact comes first. If there is space, other members who know the
 * contact follow. If a member has left a network since the paths were computed, the member is not shown as an
 * introducer in this network. A pure function.
 */
export function rankPaths(
  known: readonly KnownPath[],
  named: ReadonlyMap<string, string>,
  networksByMember: ReadonlyMap<string, readonly string[]>,
): PicturePath[] {
  const people = new Set<string>();
  const best: PicturePath[] = [];
  const others: PicturePath[] = [];
  for (const { crmId, donorId, strength, introducerId, networkId, connecting } of known) {
    const network = named.get(networkId) ?? '';
    const isMember = networksByMember.get(introducerId)?.includes(network) ?? false;
    const of = { to: donorId, contact: crmId };
    if (isMember) {
      const more = [introducerId, donorId].filter((id) => !people.has(id));
      if (people.size + more.length > MAX_PEOPLE || best.length >= MAX_PATHS) break;
      for (const id of more) people.add(id);
      best.push({ ...of, from: introducerId, strength: Math.round(strength * 100) / 100, network });
    }
    for (const from of connecting) {
      const [first] = networksByMember.get(from) ?? [];
      const isBest = isMember && from === introducerId;
      if (first === undefined || isBest || from === donorId) continue;
      others.push({ ...of, from, strength: null, network: first });
    }
  }
  const room: PicturePath[] = [];
  for (const path of others) {
    if (best.length + room.length >= MAX_PATHS) break;
    const more = [path.from, path.to].filter((id) => !people.has(id));
    if (people.size + more.length > MAX_PEOPLE) continue;
    for (const id of more) people.add(id);
    room.push(path);
  }
  return [...best, ...room];
}

/** The part of a picture to show. */
export interface PictureFilter {
  /**
   * The minimum strength in hundredths. Weaker connections are omitted. Connections without a stored strength are shown
   * only with the lowest minimum.
   */
  weakest: number;
  /** The name of a network, or null for all networks. */
  network: string | null;
  /**
   * A contact's ID in the CRM, or a donor's ID. The picture shows only paths to or from this person. If null, all paths
   * are shown.
   */
  who: string | null;
}

export const SORTS = ['strength', 'contact', 'introducer', 'network'] as const;
export type PictureSort = (typeof SORTS)[number];

/** Returns the paths to show, sorted by the column. A pure function. */
export function choosePaths(
  { paths, people }: NetworkPicture,
  { weakest, network, who }: PictureFilter,
  sort: PictureSort = 'strength',
): PicturePath[] {
  const asked = new Set(
    people.flatMap(({ donorId, contacts }) =>
      who !== null && (donorId === who || contacts.includes(who)) ? [donorId] : [],
    ),
  );
  const chosen = paths.filter(
    (path) =>
      (path.strength === null ? weakest <= WEAKEST : path.strength * 100 >= weakest - EPSILON) &&
      (network === null || path.network === network) &&
      (who === null || path.contact === who || asked.has(path.from) || asked.has(path.to)),
  );
  return sort === 'strength' ? chosen : chosen.toSorted((a, b) => compare(a, b, sort));
}

/** Tolerance for comparisons, because hundredths are not exact in floating point. */
const EPSILON = 1e-6;

function compare(one: PicturePath, other: PicturePath, sort: Exclude<PictureSort, 'strength'>) {
  const key = ({ contact, from, network }: PicturePath) =>
    ({ contact, introducer: from, network })[sort];
  if (key(one) === key(other)) return 0;
  return key(one) < key(other) ? -1 : 1;
}

/** Describes a path in words, with these names. */
export function pathSentence(path: PicturePath, people: number, from: string, to: string): string {
  const of = path.network === '' ? '' : ` of ${path.network}`;
  if (path.strength === null) return `${from}${of} knows ${to} as well.`;
  const strength = `${Math.round(path.strength * 100)} %`;
  const others = people - 1;
  const also =
    others > 0
      ? ` ${describeCount(others, 'other person', 'other people')} in the networks ${others === 1 ? 'knows' : 'know'} ${to}, too.`
      : '';
  return `${from}${of} can introduce ${to}: ${strength} sure that they know each other.${also}`;
}
