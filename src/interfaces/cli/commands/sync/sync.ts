import type { Command } from 'commander';
import { z } from 'zod';
import type { Application, OpenIntegration } from '../../../../application.ts';
import type { Integration } from '../../../../core/integration-settings.ts';
import { newId } from '../../../../core/new-id.ts';
import { eraseRequested } from '../../../../privacy/forget/requested.ts';
import { nextSteps } from '../../../../sync/views/next-steps.ts';
import { readReasons } from '../../../../sync/views/run-contacts.ts';
import { parseCount, readOptions, runAction } from '../../action/command.ts';
import { contactOptionSchema } from '../../action/contact-option.ts';
import {
  attemptEach,
  chooseIntegrations,
  finishAttempts,
  getWorstCode,
  requireOne,
  requireOneToAccept,
} from '../../action/integrations.ts';
import {
  baseOptions,
  type ProductDeps,
  productCommand,
  withApplication,
} from '../../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../../terminal/output.ts';
import { describeCount } from '../../terminal/words.ts';
import { redeliverChosen } from './redeliver.ts';
import { EXIT_CODE_OF, recordStop } from './run-end.ts';
import { printRun } from './run-summary.ts';
import { syncOnce } from './sync-once.ts';

const EXAMPLES = `
Examples:
  donor-sync sync                                the only client in the settings
  donor-sync sync riverside hillside             one after the other
  donor-sync sync riverside --contact 0035e000   one contact
  donor-sync sync riverside --limit 10           spend at most 10 credits, to see first results
  donor-sync sync --all --json                   for scripts: { "runs": [...] }
  donor-sync sync riverside --redeliver          write paid profiles again, at no cost
  donor-sync sync riverside --redeliver --field Donor_Capacity__c --contact 0035e000 --yes

--redeliver writes the kept profiles again: values that were undone, and fields that were emptied. It first shows
what it would write and asks (unless you add --yes). It buys and reads nothing else, and obeys opt-outs,
decisions and each field's rule (when). With --json: { "redelivery": {...}, "runs": [...] }.

Exit codes: 0 done, 3 a run stopped early (run again to continue), 1 a run failed,
2 the settings are wrong and nothing was changed.`;

const optionsSchema = baseOptions.extend({
  all: z.boolean().default(false),
  contact: contactOptionSchema.optional(),
  full: z.boolean().default(false),
  adopt: z.boolean().default(false),
  limit: z.int().positive().optional(),
  acceptMatchRate: z.boolean().default(false),
  redeliver: z.boolean().default(false),
  field: z.array(z.string().min(1)).default([]),
  yes: z.boolean().default(false),
  acceptMarks: z.boolean().default(false),
});

type SyncOptions = z.infer<typeof optionsSchema>;

export function syncCommand(deps: ProductDeps): Command {
  const command = productCommand('sync', deps)
    .description('read changed contacts, enhance them and write the results into the CRM, now')
    .argument('[ids...]', 'the IDs of the clients; may be left out if there is only one')
    .option('--all', 'all clients, one after the other')
    .option('--contact <crm-id>', 'only the contact with this ID in the CRM')
    .option('--full', 'read all contacts again, not only changed contacts')
    .option('--adopt', 'adopt contacts that carry a donor ID from a lost database, at no cost')
    .option(
      '--limit <n>',
      'spend at most this many credits on enhancements in this run',
      parseCount,
    )
    .option(
      '--accept-match-rate',
      'accept that the service knows few of the contacts; valid until the columns change',
    )
    .option('--redeliver', 'write paid profiles to the CRM again, at no cost')
    .option(
      '--field <name>',
      'with --redeliver: only this field of the CRM; can be given several times',
      (name: string, before: string[] = []) => [...before, name],
    )
    .option('--yes', 'with --redeliver: do not ask')
    .option(
      '--accept-marks',
      'confirm marks that exclude more than half of the contacts; valid for their column and values',
    )
    .addHelpText('after', EXAMPLES);
  return command.action((ids: string[]) =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, optionsSchema);
      requireFitting(options);
      const signal = deps.stopSignal();
      const call = { ids, options, signal, output };
      return withApplication(deps, options.config, (application) =>
        options.redeliver
          ? redeliverChosen(deps, application, call)
          : syncChosen(deps, application, call),
      );
    }),
  );
}

/** Throws an error for options that cannot be combined, because the user has probably made a mistake. */
function requireFitting({ redeliver, field, yes, ...options }: SyncOptions): void {
  if (!redeliver) {
    if (field.length > 0) throw usageError('--field works only with --redeliver. Use both.');
    if (yes) throw usageError('--yes works only with --redeliver, because a sync does not ask.');
    return;
  }
  const others = [
    ...(options.all ? ['--all'] : []),
    ...(options.full ? ['--full'] : []),
    ...(options.adopt ? ['--adopt'] : []),
    ...(options.limit === undefined ? [] : ['--limit']),
    ...(options.acceptMatchRate ? ['--accept-match-rate'] : []),
  ];
  if (others.length === 0) return;
  throw usageError(
    `--redeliver reads and buys nothing, and works for one client. Leave out ${others.join(', ')}.`,
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
  if (options.acceptMatchRate) requireOneToAccept(chosen, '--accept-match-rate');
  if (options.acceptMarks) requireOneToAccept(chosen, '--accept-marks');
  const work = async (open: OpenIntegration) => {
    const { contact: only = null, limit = null, full, adopt } = options;
    const { acceptMatchRate, acceptMarks } = options;
    const chosenOptions = { only, limit, full, adopt, acceptMatchRate, acceptMarks };
    const report = await syncOnce(deps, open, signal, chosenOptions);
    // Prints the result now, because the next integration may take hours.
    printRun(output, report, {
      reasons: await readReasons(open.deps.store.reader, report.id),
      steps: nextSteps(report, { isLimited: limit !== null }),
    });
    return report;
  };
  const attempts = await attemptEach(application, chosen, work, signal);
  for (const integration of chosen) {
    if (!signal.aborted) await eraseAndNote(deps, application, output, integration, signal);
  }
  const left = chosen.slice(attempts.length).map(({ id }) => id);
  if (left.length > 0)
    output.note(`Not started, because a stop was requested: ${left.join(', ')}.`);
  const errorCode = finishAttempts(output, attempts, 'runs', () => {});
  const reports = attempts.flatMap(({ value }) => value ?? []);
  for (const report of reports) recordStop(output, report);
  return getWorstCode([
    ...reports.map(({ status }) => EXIT_CODE_OF[status]),
    ...(attempts.length > reports.length ? [errorCode] : []),
    ...(left.length > 0 ? [EXIT_CODES.stopped] : []),
  ]);
}

/** Carries out due erasures and records what was done. No run of the client is in progress now. */
async function eraseAndNote(
  { clock, log }: ProductDeps,
  application: Application,
  output: Output,
  integration: Integration,
  signal: AbortSignal,
): Promise<void> {
  const forgetDeps = { application, clock, log, newId: () => newId(clock.now()) };
  const { erased, left } = await eraseRequested(forgetDeps, integration, signal);
  if (erased > 0) output.note(`${describeCount(erased, 'contact')} erased, as the CRM requested.`);
  if (left > 0) {
    output.note(
      `${describeCount(left, 'contact')} that the CRM wants erased could not be erased yet. The next sync tries again.`,
    );
  }
}
