import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../application.ts';
import type { RunReport } from '../core/run.ts';
import { reportOf } from '../views/run.ts';
import { parseCount } from './count-option.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { formatMoment } from './moment.ts';
import type { Output } from './output.ts';
import { type ProductDeps, productCommand } from './product.ts';
import { productOptionsSchema, runProductAction } from './product-action.ts';
import { formatCount, formatDuration } from './quantities.ts';
import { describeRun, printRunDetail } from './runs/run-detail.ts';
import { shortId } from './short-id.ts';
import { STATUS_WORDS } from './sync/run-summary.ts';

const EXAMPLES = `
Examples:
  donor-sync runs                              the latest runs
  donor-sync runs --integration riverside --limit 50
  donor-sync runs 1a2b3c4d                     one run, contact by contact
  donor-sync runs --json                       for scripts: { "runs": [...] }`;

const DEFAULT_RUNS = 20;
const DEFAULT_CONTACTS = 100;

const optionsSchema = productOptionsSchema.extend({
  integration: z.string().optional(),
  limit: z.int().positive().optional(),
});

/** The command `runs`: what happened, as a list or for one run in detail. */
export function runsCommand(deps: ProductDeps): Command {
  const command = productCommand('runs', deps)
    .description('list the runs, or show what one of them did to each contact')
    .argument('[run]', 'the id of a run, whole or as the list shows it')
    .option('--integration <id>', 'only the runs of this integration')
    .option(
      '--limit <n>',
      `runs, or contacts of a run, to show (default: ${DEFAULT_RUNS}, or ${DEFAULT_CONTACTS})`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES);
  return command.action((run: string | undefined) =>
    runProductAction(deps, command, optionsSchema, async ({ application, options, output }) => {
      const { integration, limit } = options;
      if (integration !== undefined) application.select([integration]);
      if (run === undefined) {
        await listRuns(application, output, { integration, limit: limit ?? DEFAULT_RUNS });
      } else await showRun(application, output, run, limit ?? DEFAULT_CONTACTS);
      return EXIT_CODES.done;
    }),
  );
}

async function listRuns(
  { store }: Application,
  output: Output,
  { integration, limit }: { integration: string | undefined; limit: number },
): Promise<void> {
  const rows = await store.runs.list({ integrationId: integration, limit });
  const runs: RunReport[] = [];
  for (const row of rows) runs.push(await reportOf(store, row));
  output.finish({ runs }, () => {
    if (runs.length === 0) output.print('No run yet. Begin with: donor-sync plan');
    else printRuns(output, runs);
  });
}

async function showRun(
  { store }: Application,
  output: Output,
  run: string,
  limit: number,
): Promise<void> {
  const detail = await describeRun(store, await findRun(store, run), {
    limit,
    pressingFirst: !output.isJson,
  });
  output.finish({ runs: [detail] }, () => printRunDetail(output, detail));
}

function printRuns(output: Output, runs: readonly RunReport[]): void {
  output.table<RunReport>(
    [
      { header: 'Run', value: ({ id }) => shortId(id) },
      { header: 'Integration', value: ({ integration }) => integration, shrinks: true },
      { header: 'Started', value: ({ startedAt }) => formatMoment(startedAt) },
      { header: 'Took', value: tookText },
      { header: 'By', value: ({ trigger }) => trigger },
      { header: 'Status', value: statusText, shrinks: true },
      ...(['chosen', 'written', 'waiting', 'failed', 'held'] as const).map((word) => ({
        header: `${word[0]?.toUpperCase()}${word.slice(1)}`,
        value: ({ contacts }: RunReport) => formatCount(contacts[word]),
        align: 'right' as const,
      })),
      {
        header: 'Credits',
        value: ({ credits }) => formatCount(credits.enhancements.spent),
        align: 'right',
      },
      {
        header: 'For networks',
        value: ({ credits: { networks } }) =>
          networks.spent === 0 ? '' : formatCount(networks.spent),
        ...{ align: 'right', optional: true },
      },
    ],
    runs,
  );
}

function tookText({ startedAt, finishedAt }: RunReport): string {
  if (finishedAt === null) return '';
  return formatDuration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function statusText({ status, reason }: RunReport): string {
  return reason === null ? STATUS_WORDS[status] : `${STATUS_WORDS[status]}: ${reason.code}`;
}
