import type { Command } from 'commander';
import { ownerWords } from '../../../core/owner.ts';
import { waitingSentences } from '../../../fields/waiting-values-view.ts';
import { type ClientStatus, showStatus } from '../../../operations/status.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';
import { hangLines } from '../terminal/display-width.ts';
import type { Output } from '../terminal/output.ts';
import { describeCount, formatAgo } from '../terminal/words.ts';
import { describeCounts, getStatusWord } from './sync/run-summary.ts';

const EXAMPLES = `
Examples:
  donor-sync status
  donor-sync status riverside --json    for scripts: { "integrations": [...] }`;

export function statusCommand(deps: ProductDeps): Command {
  const choice = { each: 'integrations', byDefault: 'all' } as const;
  return operationCommand(deps, showStatus, choice, { draw: printStatus }).addHelpText(
    'after',
    EXAMPLES,
  );
}

function printStatus(output: Output, status: ClientStatus, now: number): void {
  const { style } = output;
  const name = status.name === null ? '' : ` (${status.name})`;
  output.print(`${style.strong(status.id)}${name}: ${status.crm}, ${scheduleText(status)}`);
  output.print(`  Now:      ${nowText(status, now)}`);
  output.print(`  Last run: ${lastRunText(status, now)}`);
  if (status.lastRun !== null) output.print(`            ${describeCounts(status.lastRun)}`);
  if (status.lastRun?.reason) {
    output.print(`            ${hangLines(status.lastRun.reason.message, 12)}`);
  }
  output.print(`  Success:  ${successText(status, now)}`);
  output.print(`  Waiting:  ${waitingText(status)}`);
  for (const sentence of waitingSentences(status.valuesWaiting)) {
    output.print(`  Values:   ${hangLines(sentence, 12)}`);
  }
  for (const step of status.next) output.print(`  Next:     ${step}`);
}

function scheduleText({ schedule }: ClientStatus): string {
  if (schedule === null) return 'by hand';
  const { cron, timezone, paused } = schedule;
  return `at ${cron} ${timezone}${paused ? ', paused' : ''}`;
}

function nowText({ running }: ClientStatus, now: number): string {
  if (running === null) return 'nothing is running';
  const since = running.since === null ? '' : `, started ${formatAgo(running.since, now)}`;
  return `${ownerWords(running.owner)} is running${since}`;
}

function lastRunText({ lastRun, running }: ClientStatus, now: number): string {
  if (lastRun === null) return 'none yet';
  const isCutOff = lastRun.status === 'running' && running === null;
  const status = isCutOff ? 'was cut off; the next run continues' : getStatusWord(lastRun);
  return `${status}, started ${formatAgo(lastRun.startedAt, now)}`;
}

function successText({ lastSuccessAt }: ClientStatus, now: number): string {
  return lastSuccessAt === null ? 'no run has succeeded yet' : formatAgo(lastSuccessAt, now);
}

function waitingText({ contacts, holds, networkHolds }: ClientStatus): string {
  const waiting = contacts.due + contacts.submitted + contacts.ready;
  const held = [
    describeCount(holds, 'contact'),
    ...(networkHolds === 0 ? [] : [describeCount(networkHolds, 'network')]),
  ];
  return `${describeCount(waiting, 'contact')} for the next run, ${held.join(' and ')} held for a decision`;
}
