import type { Command } from 'commander';
import { z } from 'zod';
import type { Application, OpenIntegration } from '../../../application.ts';
import type { RunReport, RunStatus } from '../../../core/run.ts';
import { readReasons } from '../../../views/run-contacts.ts';
import { parseCount, readOptions, runAction } from '../../action/command.ts';
import { contactOptionSchema } from '../../action/contact-option.ts';
import {
  attemptEach,
  chooseIntegrations,
  finishAttempts,
  requireOne,
  requireOneToAccept,
  worstOf,
} from '../../action/integrations.ts';
import {
  baseOptions,
  type ProductDeps,
  productCommand,
  withApplication,
} from '../../action/product.ts';
import { nextSteps } from '../../action/runs.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { printRun } from './run-summary.ts';
import { syncOnce } from './sync-once.ts';

const EXAMPLES = `
Examples:
  donor-sync sync                                the only integration of the settings
  donor-sync sync riverside hillside             one after the other
  donor-sync sync riverside --contact 0035e000   one contact
  donor-sync sync riverside --limit 10           spend at most 10 credits, to see what comes
  donor-sync sync --all --json                   for scripts: { "runs": [...] }

Exit codes: 0 all is done, 3 a run stopped before its end (run again to go on), 1 a run failed,
2 the settings are wrong and nothing was changed.`;

const optionsSchema = baseOptions.extend({
  all: z.boolean().default(false),
  contact: contactOptionSchema.optional(),
  full: z.boolean().default(false),
  adopt: z.boolean().default(false),
  limit: z.int().positive().optional(),
  acceptMatchRate: z.boolean().default(false),
});

type SyncOptions = z.infer<typeof optionsSchema>;

/** The command `sync`: runs now, from wherever the last run stopped. */
export function syncCommand(deps: ProductDeps): Command {
  const command = productCommand('sync', deps)
    .description('read what changed, enhance it and write it into the CRM, now')
    .argument('[ids...]', 'the integrations; may be left out if there is only one')
    .option('--all', 'every integration, one after the other')
    .option('--contact <crm-id>', 'only the contact with this id in the CRM')
    .option('--full', 'read all contacts again instead of what changed')
    .option(
      '--adopt',
      'take over contacts that carry the donor id of a lost database, for no credit',
    )
    .option('--limit <n>', 'spend at most so many credits on enhancements in this run', parseCount)
    .option(
      '--accept-match-rate',
      'accept that the service knows few of the contacts; remembered until the columns change',
    )
    .addHelpText('after', EXAMPLES);
  return command.action((ids: string[]) =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, optionsSchema);
      const signal = deps.stopSignal();
      return withApplication(deps, options.config, (application) =>
        syncChosen(deps, application, { ids, options, signal, output }),
      );
    }),
  );
}

interface SyncCall {
  ids: string[];
  options: SyncOptions;
  signal: AbortSignal;
  output: Output;
}

async function syncChosen(
  deps: ProductDeps,
  application: Application,
  { ids, options, signal, output }: SyncCall,
): Promise<ExitCode> {
  const chosen = chooseIntegrations(application, ids, options.all);
  if (options.contact !== undefined) requireOne(chosen);
  if (options.acceptMatchRate) requireOneToAccept(chosen);
  const work = async (open: OpenIntegration) => {
    const { contact: only = null, limit = null, full, adopt, acceptMatchRate } = options;
    const chosenOptions = { only, limit, full, adopt, acceptMatchRate };
    const report = await syncOnce(deps, open, signal, chosenOptions);
    // Shown at once: the next integration may take hours.
    printRun(output, report, {
      reasons: await readReasons(open.deps.store, report.id),
      steps: nextSteps(report, { isLimited: limit !== null }),
    });
    return report;
  };
  const attempts = await attemptEach(application, chosen, work, signal);
  const left = chosen.slice(attempts.length).map(({ id }) => id);
  if (left.length > 0) output.note(`Not begun, because a stop was asked for: ${left.join(', ')}.`);
  const errorCode = finishAttempts(output, attempts, 'runs', () => {});
  const reports = attempts.flatMap(({ value }) => value ?? []);
  for (const report of reports) noteStop(output, report);
  return worstOf([
    ...reports.map(({ status }) => EXIT_CODE_OF[status]),
    ...(attempts.length > reports.length ? [errorCode] : []),
    ...(left.length > 0 ? [EXIT_CODES.stopped] : []),
  ]);
}

const EXIT_CODE_OF: Readonly<Record<RunStatus, ExitCode>> = {
  running: EXIT_CODES.stopped,
  succeeded: EXIT_CODES.done,
  incomplete: EXIT_CODES.stopped,
  failed: EXIT_CODES.unexpected,
};

/** Scripts read the document; people read the sentence in the log of cron. */
function noteStop(output: Output, { integration, status, reason }: RunReport): void {
  if (!output.isJson || reason === null) return;
  const how = status === 'failed' ? 'failed' : 'stopped before its end';
  output.note(`The run of ${integration} ${how}: ${reason.message}`);
}
