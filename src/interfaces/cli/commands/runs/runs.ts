import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { ConfigurationError } from '../../../../core/errors.ts';
import { OUTCOME_ORDER } from '../../../../core/outcome.ts';
import { listForeignTexts } from '../../../../database/encryption/foreign-texts.ts';
import { readCrmMessages } from '../../../../decisions/crm-messages.ts';
import { previewRedelivery, redeliver } from '../../../../operations/redeliver.ts';
import {
  listRunContacts,
  listRuns,
  type RunContactsInput,
  showRun,
  streamRunContacts,
} from '../../../../operations/runs.ts';
import { retryRun, startRun } from '../../../../operations/start-run.ts';
import { previewUndoOfRun } from '../../../../operations/undo-preview.ts';
import { requireTerminal } from '../../action/command.ts';
import { findRunId } from '../../action/find-run.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import { toCaller } from '../../action/operation-asking.ts';
import { operationCommand } from '../../action/operation-command.ts';
import { addOptions, performHere } from '../../action/perform-here.ts';
import { printStream } from '../../action/print-stream.ts';
import {
  baseOptions,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import { usageError } from '../../terminal/output.ts';
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
  donor-sync runs --integration riverside --status failed
  donor-sync runs 1a2b3c4d                     one run, contact by contact
  donor-sync runs 1a2b3c4d --show              also the CRM's own messages
  donor-sync runs 1a2b3c4d --outcome held,failed
  donor-sync runs 1a2b3c4d --contact 0035e00000
  donor-sync runs 1a2b3c4d --csv > contacts.csv
  donor-sync runs --json                       for scripts: { "runs": [...], "next": null }
  donor-sync runs RUN --json                   with the whole ID: { "runs": [...] }
  donor-sync runs start riverside --full       request a run from serve or a worker, without waiting for it
  donor-sync runs retry 1a2b3c4d               the same, to retry what failed in this run
  donor-sync runs restorable 1a2b3c4d          what undoing it would restore
  donor-sync runs show RUN --json              what the API returns: { "run": {...} }
  donor-sync runs contacts RUN --json          the same: { "contacts": [...], "next": null }`;

const DEFAULT_CONTACTS = 100;

const optionsSchema = baseOptions.loose().extend({
  limit: z.coerce.number().optional(),
  show: z.boolean().default(false),
  outcome: z.array(z.enum(OUTCOME_ORDER)).optional(),
  reason: z.string().optional(),
  contact: z.string().optional(),
  csv: z.boolean().default(false),
});

type RunsOptions = z.infer<typeof optionsSchema>;

export function runsCommand(deps: ProductDeps): Command {
  const command = productCommand('runs', deps)
    .description(listRuns.summary)
    .usage('[options] [show|contacts|start|retry|restorable|redeliver|redelivery] [run]')
    .argument(
      '[run]',
      'the ID of a run, whole or shortened as in the list; with --json the whole ID',
    );
  addOptions(command, listRuns);
  command
    .option('--outcome <list>', `with a run: only these outcomes (${OUTCOMES})`, parseOutcomes)
    .option('--reason <word>', 'with a run: only contacts with this reason')
    .option('--contact <id>', 'with a run: only contacts whose ID starts with this text')
    .option('--csv', 'with a run: all of its contacts as CSV')
    .option('--show', "with a run: also the CRM's own messages; only on a terminal")
    .addCommand(
      operationCommand(deps, showRun, undefined, {
        findSubject: ({ application, output }, typed) =>
          findRunId(application.store.reader, typed, output),
      }),
    )
    .addCommand(
      operationCommand(deps, listRunContacts, undefined, {
        findSubject: ({ application, output }, typed) =>
          findRunId(application.store.reader, typed, output),
      }),
    )
    .addCommand(operationCommand(deps, startRun, { one: 'after the command' }))
    .addCommand(operationCommand(deps, redeliver, { one: 'after the command' }))
    .addCommand(operationCommand(deps, previewRedelivery, { one: 'after the command' }))
    .addCommand(
      operationCommand(deps, previewUndoOfRun, undefined, {
        findSubject: ({ application, output }, typed) =>
          findRunId(application.store.reader, typed, output),
      }),
    )
    .addCommand(
      operationCommand(deps, retryRun, undefined, {
        findSubject: ({ application, output }, typed) =>
          findRunId(application.store.reader, typed, output),
      }),
    )
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, (action, run: string | undefined) => {
    requireFitting(deps, action, run);
    if (run === undefined) return list(deps, action);
    return action.options.csv ? printCsv(deps, action, run) : show(deps, action, run);
  });
}

/** Throws a ConfigurationError if the options cannot be combined. */
function requireFitting(
  { stdout }: Pick<ProductDeps, 'stdout'>,
  { options, output }: Pick<ProductAction<RunsOptions>, 'options' | 'output'>,
  run: string | undefined,
): void {
  if (options.csv && output.isJson) throw usageError('Use --csv or --json, not both.');
  if (options.show) requireTerminal(stdout, output);
  if (run === undefined && options.show) {
    throw usageError(
      '--show needs a run: donor-sync runs RUN --show. `donor-sync runs` lists them.',
    );
  }
  if (run === undefined && (isFiltered(options) || options.csv)) {
    throw new ConfigurationError(
      'Enter a run: donor-sync runs RUN --outcome held,failed. `donor-sync runs` lists the runs.',
      { code: 'run_missing' },
    );
  }
  const ofList = LIST_OPTIONS.filter((name) => options[name] !== undefined);
  if (run !== undefined && ofList.length > 0) {
    throw usageError(
      `${ofList.map((name) => `--${name}`).join(' and ')}: only for the list of runs. Leave out the run or the option.`,
    );
  }
}

/** The options that filter the list of runs. */
const LIST_OPTIONS = ['status', 'trigger', 'from', 'until', 'cursor'];

async function list(deps: ProductDeps, action: ProductAction<RunsOptions>): Promise<undefined> {
  const { output } = action;
  const result = await performHere(deps, action, listRuns);
  output.finish(result, () => {
    if (result.runs.length === 0)
      output.print('There are no runs yet. Start with: donor-sync plan');
    else printRuns(output, result.runs);
  });
  for (const remark of listRuns.remarks?.(result) ?? []) output.note(remark);
}

async function show(
  deps: ProductDeps,
  action: ProductAction<RunsOptions>,
  typed: string,
): Promise<undefined> {
  const { application, options, output } = action;
  const { store } = application;
  const run = await findRunId(store.reader, typed, output);
  const { limit = DEFAULT_CONTACTS, outcome, reason, contact } = options;
  const about = { run, limit, outcome, reason, contact };
  const given = { ...about, cursor: undefined };
  const { contacts } = await performHere(deps, action, listRunContacts, given);
  const { run: report } = await performHere(deps, action, showRun, { run });
  const detail = await describeRun(store, report, { contacts, limit });
  const words = options.show ? await readCrmMessages(application, report.id) : null;
  await recordNamesShown(application, {
    command: 'runs',
    integrationId: report.integration,
    run: report.id,
    names: words?.length ?? 0,
  });
  const { length } = await listForeignTexts(store.reader, report.id);
  output.finish({ runs: [detail] }, () => {
    if (isFiltered(options)) printContacts(output, detail.outcomes, limit);
    else printRunDetail(output, detail);
    if (words !== null) printWords(output, words, limit);
    else printWordsHint(output, report.id, length);
  });
}

/** Prints the contacts as CSV while they are read, because there may be a million contacts. */
async function printCsv(
  deps: ProductDeps,
  { application, options, output }: ProductAction<RunsOptions>,
  typed: string,
): Promise<undefined> {
  const { reader } = application.store;
  const run = await findRunId(reader, typed, output);
  const { outcome, reason, contact } = options;
  const which: RunContactsInput = { run, outcome, reason, contact };
  const parts = streamRunContacts({ reader, caller: toCaller(deps) }, which, 'csv');
  await printStream(deps, output, parts);
}

function isFiltered({ outcome, reason, contact }: RunsOptions): boolean {
  return [outcome, reason, contact].some((one) => one !== undefined);
}

const OUTCOMES = OUTCOME_ORDER.join(', ');

function parseOutcomes(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !OUTCOME_ORDER.some((outcome) => outcome === word));
  if (unknown === undefined) return words;
  throw new InvalidArgumentError(`"${unknown}" is not an outcome. Possible outcomes: ${OUTCOMES}.`);
}
