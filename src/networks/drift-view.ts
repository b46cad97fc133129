/**
 * Shows users the differences between the service's networks and donor-sync's stored members. The view shows each donor
 * with the donor's contacts.
 */

import { describeCount } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import type { NetworkDrift } from './drift.ts';
import { findContactsByDonor } from './statements/network-members.ts';

/** The differences of one network, for `networks check --json` and the pages. */
export interface DriftView {
  name: string;
  networkId: string | null;
  state: NetworkDrift['state'];
  renamedTo: string | null;
  removedByHand: DriftDonor[];
  addedByHand: DriftDonor[];
  /** The number of members who are not contacts of the integration. Null if the service reports no numbers. */
  strangers: number | null;
}

/** A donor with its contacts in the CRM. */
export interface DriftDonor {
  donorId: string;
  contacts: string[];
}

/** Converts differences into the form for users, with each donor's contacts. */
export async function viewDrift(
  reader: Reader,
  integrationId: string,
  drifts: readonly NetworkDrift[],
): Promise<DriftView[]> {
  const donors = drifts.flatMap(({ removedByHand, addedByHand }) => [
    ...removedByHand,
    ...addedByHand,
  ]);
  const contacts = await findContactsByDonor(reader, integrationId, donors);
  const named = (donorIds: readonly string[]): DriftDonor[] =>
    donorIds.map((donorId) => ({ donorId, contacts: contacts.get(donorId) ?? [] }));
  return drifts.map(({ row, removedByHand, addedByHand, ...drift }) => ({
    name: row.name,
    networkId: row.networkId,
    ...drift,
    removedByHand: named(removedByHand),
    addedByHand: named(addedByHand),
  }));
}

/** True if the network has no differences that a repair would change. */
export function isTheSame({ state, renamedTo, removedByHand, addedByHand }: DriftView): boolean {
  const isThere = state !== 'deleted' && renamedTo === null;
  return isThere && removedByHand.length === 0 && addedByHand.length === 0;
}

/** Describes the differences of a network. Empty if the network has no differences. */
export function describeDifferences({
  state,
  renamedTo,
  removedByHand,
  addedByHand,
  strangers,
}: DriftView): string[] {
  if (state === 'none') return ['there is no network yet: the next sync creates it'];
  if (state === 'deleted') return ['the service no longer has it'];
  return [
    ...(renamedTo === null ? [] : [`it was renamed to "${renamedTo}" at the service`]),
    ...removedByHand.map((donor) => `removed by hand: ${donorText(donor)}`),
    ...addedByHand.map((donor) => `added by hand: ${donorText(donor)}`),
    ...(strangers === null || strangers === 0
      ? []
      : [`${describeCount(strangers, 'member')} who are not contacts of this client: left alone`]),
  ];
}

function donorText({ donorId, contacts }: DriftDonor): string {
  return contacts.length === 0 ? `donor ${donorId}` : `${contacts.join(', ')} (donor ${donorId})`;
}
