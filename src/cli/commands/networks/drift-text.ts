import type { RunReason } from '../../../core/run.ts';
import type { NetworkDrift } from '../../../networks/drift.ts';
import type { NetworkCounts } from '../../../store/networks/network-counts.ts';
import type { Store } from '../../../store/store.ts';
import type { Output } from '../../terminal/output.ts';
import { countOf } from '../../terminal/quantities.ts';

/** How one network differs from its mirror, as `networks check --json` shows it. */
export interface DriftView {
  name: string;
  networkId: string | null;
  state: NetworkDrift['state'];
  renamedTo: string | null;
  removedByHand: DriftDonor[];
  addedByHand: DriftDonor[];
  /** Members who are no contact of the integration; null if the service tells no numbers. */
  strangers: number | null;
}

/** A donor with the contacts that it is in the CRM. */
export interface DriftDonor {
  donorId: string;
  contacts: string[];
}

/** What a check found in the networks of one integration. */
export interface IntegrationDrift {
  integration: string;
  networks: DriftView[];
}

/** What a repair found, and what it did then. */
export interface IntegrationRepair {
  integration: string;
  found: DriftView[];
  done: NetworkCounts[];
  /** Why it ended before everything was done; null if it did not. */
  stopped: RunReason | null;
}

/** Differences as they are shown: each donor with the contacts that it is. */
export async function viewDrift(
  { networks }: Pick<Store, 'networks'>,
  integrationId: string,
  drifts: readonly NetworkDrift[],
): Promise<DriftView[]> {
  const donors = drifts.flatMap(({ removedByHand, addedByHand }) => [
    ...removedByHand,
    ...addedByHand,
  ]);
  const contacts = await networks.findContacts(integrationId, donors);
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

/** True if a repair has nothing to do. */
export function isTheSame({ state, renamedTo, removedByHand, addedByHand }: DriftView): boolean {
  const isThere = state !== 'deleted' && renamedTo === null;
  return isThere && removedByHand.length === 0 && addedByHand.length === 0;
}

/** What differs, network by network, for a person. */
export function printDrift(output: Output, { integration, networks }: IntegrationDrift): void {
  output.print(output.style.strong(integration));
  if (networks.length === 0) output.print('  No group has been mirrored yet.');
  for (const network of networks) {
    const lines = differencesOf(network);
    output.print(`  ${network.name}: ${lines.length === 0 ? 'as mirrored' : ''}`);
    for (const line of lines) output.print(`    - ${line}`);
  }
  if (networks.some((network) => !isTheSame(network))) {
    output.print(`  To fix it: donor-sync networks repair ${integration}`);
  }
  output.print();
}

function differencesOf({
  state,
  renamedTo,
  removedByHand,
  addedByHand,
  strangers,
}: DriftView): string[] {
  if (state === 'none') return ['there is no network yet: the next sync makes it'];
  if (state === 'deleted') return ['the service does not have it any more'];
  return [
    ...(renamedTo === null ? [] : [`it was renamed to "${renamedTo}" at the service`]),
    ...removedByHand.map((donor) => `removed by hand: ${donorText(donor)}`),
    ...addedByHand.map((donor) => `added by hand: ${donorText(donor)}`),
    ...(strangers === null || strangers === 0
      ? []
      : [`${countOf(strangers, 'member')} who are no contacts of this integration: left alone`]),
  ];
}

function donorText({ donorId, contacts }: DriftDonor): string {
  return contacts.length === 0 ? `donor ${donorId}` : `${contacts.join(', ')} (donor ${donorId})`;
}

/** What a repair did, network by network, for a person. */
export function printRepair(
  output: Output,
  { integration, done, stopped }: IntegrationRepair,
): void {
  output.print(output.style.strong(integration));
  for (const { name, added, removed, kept, failed } of done) {
    output.print(`  ${name}: ${added} added, ${removed} removed, ${kept} kept, ${failed} failed`);
  }
  if (stopped !== null) output.print(output.style.warn(`  ${stopped.message}`));
  output.print();
}
