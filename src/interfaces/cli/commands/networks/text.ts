import type { RunReason } from '../../../../core/run.ts';
import { type DriftView, describeDifferences, isTheSame } from '../../../../networks/drift-view.ts';
import type { NetworkOverview } from '../../../../networks/overview.ts';
import type { NetworkCounts } from '../../../../networks/statements/network-counts.ts';
import type { Output } from '../../terminal/output.ts';
import { formatAgo, formatCount } from '../../terminal/words.ts';

/** Why a donor is not in a network although the group wants it, in words. */
const FAILURES = new Map([
  ['donor_unknown', 'the service knows no such donor'],
  ['member_failed', 'the service could not add the donor'],
  ['job_failed', 'the job of the bulk add failed'],
  ['job_vanished', 'the service lost the job of the bulk add'],
  ['job_too_old', 'the job of the bulk add never ended'],
  ['answer_lost', 'the answer was lost, the credit is gone, and the donor never appeared'],
]);

/** The networks of one integration as `networks --json` shows them. */
export interface IntegrationNetworks {
  integration: string;
  networks: NetworkOverview[];
}

/** The networks of one integration for a person, with the donors that could not be added. */
export function printOverview(
  output: Output,
  { integration, networks }: IntegrationNetworks,
  now: number,
): void {
  output.print(output.style.strong(integration));
  if (networks.length === 0) {
    output.print('  The settings name no networks.');
    return;
  }
  output.table(
    [
      { header: 'Network', value: ({ name }) => name, shrinks: true },
      { header: 'Group', value: groupText, shrinks: true },
      { header: 'Members', value: ({ members }) => formatCount(members), align: 'right' },
      { header: 'To join', value: ({ joiners }) => formatCount(joiners), align: 'right' },
      { header: 'To enhance', value: ({ toEnhance }) => formatCount(toEnhance), align: 'right' },
      { header: 'Failed', value: ({ failed }) => formatCount(failed.length), align: 'right' },
      { header: 'Group read', value: ({ readAt }) => readText(readAt, now) },
    ],
    networks,
  );
  for (const { name, failed } of networks) {
    for (const { donorId, reason } of failed) {
      output.print(`  ${name}: ${donorId} is missing: ${FAILURES.get(reason) ?? reason}`);
    }
  }
  output.print();
}

function groupText({ group }: NetworkOverview): string {
  return group === null ? '(no longer in the settings: left alone)' : describePart(group);
}

/** `campaign "Board of Directors"` or `column "Role" equals "board"`: the settings' own words. */
function describePart(part: unknown): string {
  if (!isObject(part)) return JSON.stringify(part);
  return Object.entries(part)
    .map(([word, value]) => `${word} ${describePart(value)}`)
    .join(' ');
}

function isObject(part: unknown): part is object {
  return typeof part === 'object' && part !== null;
}

function readText(readAt: number | null, now: number): string {
  return readAt === null ? 'not yet' : formatAgo(readAt, now);
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

/** What differs, network by network, for a person. */
export function printDrift(output: Output, { integration, networks }: IntegrationDrift): void {
  output.print(output.style.strong(integration));
  if (networks.length === 0) output.print('  No group has been mirrored yet.');
  for (const network of networks) {
    const lines = describeDifferences(network);
    output.print(`  ${network.name}: ${lines.length === 0 ? 'as mirrored' : ''}`);
    for (const line of lines) output.print(`    - ${line}`);
  }
  if (networks.some((network) => !isTheSame(network))) {
    output.print(`  To fix it: donor-sync networks repair ${integration}`);
  }
  output.print();
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
