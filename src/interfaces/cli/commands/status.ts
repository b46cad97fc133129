import type { Command } from 'commander';
import type { Application } from '../../../application.ts';
import { type IntegrationStatus, readStatus } from '../../../clients/views/status.ts';
import { countContactWork } from '../../../contacts/contacts.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { ownerWords } from '../../../core/owner.ts';
import type { RunReport } from '../../../core/run.ts';
import type { ValuesWaiting } from '../../../core/waiting-values.ts';
import { listOpenQuestions } from '../../../decisions/statements/questions.ts';
import { readValuesWaiting, waitingSentences } from '../../../fields/waiting-values-view.ts';
import { findRunning, type Running } from '../../../sync/views/run.ts';
import { namedOrAll } from '../action/integrations.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { nextSteps } from '../action/runs.ts';
import { hangLines } from '../terminal/display-width.ts';
import type { Output } from '../terminal/output.ts';
import { describeCount, formatAgo } from '../terminal/words.ts';
import { describeCounts, STATUS_WORDS } from './sync/run-summary.ts';

const EXAMPLES = `
Examples:
  donor-sync status
  donor-sync status riverside --json    for scripts: { "integrations": [...] }`;

/** One integration as `status --json` shows it. */
interface WorkStatus extends IntegrationStatus {
  running: Running | null;
  /** Contacts with work left, by where they stand. */
  contacts: { due: number; submitted: number; ready: number; held: number };
  /** Decisions that wait for a person: about contacts, and about networks. */
  holds: number;
  networkHolds: number;
  /** Values that were paid for and wait to be written. */
  valuesWaiting: ValuesWaiting;
  next: string[];
}

/** The command `status`: what is going on, what happened last, and what to do next. */
export function statusCommand(deps: ProductDeps): Command {
  const command = productCommand('status', deps)
    .description('show what is running, how the last run ended and what waits')
    .argument('[ids...]', 'the integrations (default: all)')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, baseOptions, async (action, ids: string[]) => {
    const { application, output } = action;
    const integrations: WorkStatus[] = [];
    for (const integration of namedOrAll(application, ids)) {
      integrations.push(await readWorkStatus(deps, application, integration));
    }
    output.finish({ integrations }, () => {
      for (const status of integrations) printStatus(output, status, deps.clock.now());
    });
  });
}

async function readWorkStatus(
  deps: ProductDeps,
  { store }: Pick<Application, 'store'>,
  integration: Integration,
): Promise<WorkStatus> {
  const { id } = integration;
  const running = await findRunning(deps, store, id);
  const status = await readStatus(store.reader, integration);
  const holds = (await listOpenQuestions(store.reader, id, 'contact')).length;
  const networkHolds = (await listOpenQuestions(store.reader, id, 'network')).length;
  return {
    ...status,
    running,
    contacts: await countContactWork(store.reader, id),
    holds,
    networkHolds,
    valuesWaiting: await readValuesWaiting(store.reader, id, integration.fields),
    next: running ? [] : stepsFor(id, status.lastRun, holds + networkHolds),
  };
}

function stepsFor(id: string, lastRun: RunReport | null, holds: number): string[] {
  if (lastRun === null) return [`See what a first sync would do: donor-sync plan ${id}`];
  // What is held now counts, and not what was held when that run ended.
  return nextSteps({ ...lastRun, contacts: { ...lastRun.contacts, held: holds } });
}

function printStatus(output: Output, status: WorkStatus, now: number): void {
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
  output.print();
}

function scheduleText({ schedule }: WorkStatus): string {
  if (schedule === null) return 'by hand';
  const { cron, timezone, paused } = schedule;
  return `at ${cron} ${timezone}${paused ? ', paused' : ''}`;
}

function nowText({ running }: WorkStatus, now: number): string {
  if (running === null) return 'nothing is running';
  const since = running.since === null ? '' : `, begun ${formatAgo(running.since, now)}`;
  return `${ownerWords(running.owner)} is at work${since}`;
}

function lastRunText({ lastRun, running }: WorkStatus, now: number): string {
  if (lastRun === null) return 'none yet';
  const isCutOff = lastRun.status === 'running' && running === null;
  const status = isCutOff ? 'was cut off; the next run goes on' : STATUS_WORDS[lastRun.status];
  return `${status}, begun ${formatAgo(lastRun.startedAt, now)}`;
}

function successText({ lastSuccessAt }: WorkStatus, now: number): string {
  return lastSuccessAt === null ? 'no run has succeeded yet' : formatAgo(lastSuccessAt, now);
}

function waitingText({ contacts, holds, networkHolds }: WorkStatus): string {
  const waiting = contacts.due + contacts.submitted + contacts.ready;
  const held = [
    describeCount(holds, 'contact'),
    ...(networkHolds === 0 ? [] : [describeCount(networkHolds, 'network')]),
  ];
  return `${describeCount(waiting, 'contact')} for the next run, ${held.join(' and ')} for a person`;
}
