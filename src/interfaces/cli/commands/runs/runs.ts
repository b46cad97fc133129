import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../../application.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { OUTCOME_ORDER } from '../../../../core/outcome.ts';
import type { RunReport } from '../../../../core/run.ts';
import { listForeignTexts } from '../../../../database/encryption/foreign-texts.ts';
import { readCrmMessages } from '../../../../decisions/crm-messages.ts';
import { listRunRecords } from '../../../../sync/statements/runs.ts';
import { readReport } from '../../../../sync/views/run.ts';
import {
  pagesOfRunContacts,
  RUN_CONTACTS_HEADER,
  runContactLines,
} from '../../../../sync/views/run-contacts.ts';
import { parseCount, requireTerminal } from '../../action/command.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import { findRun } from '../../action/runs.ts';
import { type Output, usageError } from '../../terminal/output.ts';
import {
  describeRun,
  printContacts,
  printRunDetail,
  printRuns,
  printWords,
  printWordsHint,
} from './run-text.ts';

const EXAMPLES = `
Examples:
  donor-sync runs                              the latest runs
  donor-sync runs --integration riverside --limit 50
  donor-sync runs 1a2b3c4d                     one run, contact by contact
  donor-sync runs 1a2b3c4d --show              with what the CRM said when it refused
  donor-sync runs 1a2b3c4d --outcome held,failed
  donor-sync runs 1a2b3c4d --contact 0035e00000
  donor-sync runs 1a2b3c4d --csv > contacts.csv
  donor-sync runs --json                       for scripts: { "runs": [...] }`;

const DEFAULT_RUNS = 20;
const DEFAULT_CONTACTS = 100;

const optionsSchema = baseOptions.extend({
  integration: z.string().optional(),
  limit: z.int().positive().optional(),
  show: z.boolean().default(false),
  outcome: z.array(z.enum(OUTCOME_ORDER)).optional(),
  reason: z.string().optional(),
  contact: z.string().optional(),
  csv: z.boolean().default(false),
});

type RunsOptions = z.infer<typeof optionsSchema>;

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
    .option('--outcome <list>', `with a run: only these outcomes (${OUTCOMES})`, parseOutcomes)
    .option('--reason <word>', 'with a run: only contacts with this reason')
    .option('--contact <id>', 'with a run: only contacts whose id begins so')
    .option('--csv', 'with a run: all of its contacts as CSV')
    .option('--show', 'with a run: what the CRM said, in its own words; on a terminal only')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, run: string | undefined) => {
    const { application, options, output } = action;
    const { integration, limit, show } = options;
    if (show) requireTerminal(deps.stdout, output);
    if (show && run === undefined) {
      throw usageError(
        '--show needs a run: donor-sync runs RUN --show. `donor-sync runs` lists them.',
      );
    }
    if (run === undefined) requireNoFilter(options);
    if (integration !== undefined) application.select([integration]);
    if (run === undefined) {
      await listRuns(application, output, { integration, limit: limit ?? DEFAULT_RUNS });
    } else if (options.csv) {
      await printCsv(deps, application, run, options);
    } else await showRun(application, output, run, options);
  });
}

async function listRuns(
  { store }: Application,
  output: Output,
  { integration, limit }: { integration: string | undefined; limit: number },
): Promise<void> {
  const rows = await listRunRecords(store.reader, { integrationId: integration, limit });
  const runs: RunReport[] = [];
  for (const row of rows) runs.push(await readReport(store.reader, row));
  output.finish({ runs }, () => {
    if (runs.length === 0) output.print('No run yet. Begin with: donor-sync plan');
    else printRuns(output, runs);
  });
}

async function showRun(
  application: Application,
  output: Output,
  run: string,
  options: RunsOptions,
): Promise<void> {
  const { store } = application;
  const filter = { ...toFilter(options), limit: options.limit ?? DEFAULT_CONTACTS };
  const row = await findRun(store.reader, run);
  const detail = await describeRun(store, row, filter);
  const words = options.show ? await readCrmMessages(application, row.id) : null;
  await recordNamesShown(application, {
    command: 'runs',
    integrationId: row.integrationId,
    run: row.id,
    names: words?.length ?? 0,
  });
  const { length } = await listForeignTexts(store.reader, row.id);
  output.finish({ runs: [detail] }, () => {
    if (isFiltered(options)) printContacts(output, detail.outcomes, filter.limit);
    else printRunDetail(output, detail);
    if (words !== null) printWords(output, words, filter.limit);
    else printWordsHint(output, row.id, length);
  });
}

/** Straight to stdout: a file of a million contacts is written as it is read. */
async function printCsv(
  { stdout }: Pick<ProductDeps, 'stdout'>,
  { store }: Application,
  run: string,
  options: RunsOptions,
): Promise<void> {
  const row = await findRun(store.reader, run);
  stdout.write(RUN_CONTACTS_HEADER);
  for await (const contacts of pagesOfRunContacts(store.reader, row, toFilter(options))) {
    stdout.write(runContactLines(contacts));
  }
}

function toFilter({ outcome, reason, contact }: RunsOptions) {
  return { outcomes: outcome, reason, idPrefix: contact };
}

function isFiltered({ outcome, reason, contact }: RunsOptions): boolean {
  return [outcome, reason, contact].some((one) => one !== undefined);
}

/** Filters look into one run. */
function requireNoFilter(options: RunsOptions): void {
  if (!isFiltered(options) && !options.csv) return;
  throw new ConfigurationError(
    'Say which run: donor-sync runs RUN --outcome held,failed. `donor-sync runs` lists the runs.',
    { code: 'run_missing' },
  );
}

const OUTCOMES = OUTCOME_ORDER.join(', ');

function parseOutcomes(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !OUTCOME_ORDER.some((outcome) => outcome === word));
  if (unknown === undefined) return words;
  throw new InvalidArgumentError(`"${unknown}" is no outcome; there are: ${OUTCOMES}.`);
}
