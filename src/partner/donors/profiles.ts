import type { Profile } from '../../core/profile.ts';
import { distinctDonors, type LeftOut, leftOut } from '../donor-batch.ts';
import { profileSchema, toProfile } from '../profile.ts';
import { parseReply } from '../reply.ts';
import { type Operation, withSlashes } from '../routes.ts';
import type { Send } from '../send.ts';
import { bareOrUnder, listUnder } from '../wire.ts';

/** Profiles by donor id, for a credit of the donors bucket each (service document, section 4.4). */

/** The profiles of those who were found, by donor id. */
export interface ProfileBatch extends LeftOut {
  profiles: ReadonlyMap<string, Profile>;
}

export const DONOR: Operation = {
  name: 'profile of a donor',
  lane: 'queries',
  charges: 'donors',
  reads: 'json',
  namesThings: true,
  routes: withSlashes([{ method: 'GET', path: '/donors/{id}' }]),
};

export const DONORS: Operation = {
  name: 'profiles of donors',
  lane: 'queries',
  charges: 'donors',
  reads: 'json',
  namesThings: true,
  routes: withSlashes([{ method: 'POST', path: '/donors/batch', listName: 'donor_ids' }]),
};

/** One profile. */
export async function readDonor(
  send: Send,
  donorId: string,
  signal?: AbortSignal,
): Promise<Profile> {
  const reply = await send(DONOR, { id: donorId }, signal);
  return toProfile(parseReply(bareOrUnder('donor', profileSchema), reply));
}

/** The profiles of 1 to 100 donors. */
export async function readDonors(
  send: Send,
  donorIds: readonly string[],
  signal?: AbortSignal,
): Promise<ProfileBatch> {
  const list = distinctDonors(donorIds);
  const reply = await send(DONORS, { list }, signal);
  const found = parseReply(listUnder('donors', profileSchema), reply).map(toProfile);
  const profiles = new Map(found.map((profile) => [profile.donorId, profile]));
  return { profiles, ...leftOut(reply, list, profiles.keys()) };
}
