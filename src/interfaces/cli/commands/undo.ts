import type { Command } from 'commander';
import { listWrites } from '../../../fields/statements/deliveries.ts';
import { type UndoReport, undoneEntry, undoRun } from '../../../fields/undo.ts';
import { undoRun as undoOperation } from '../../../operations/undo.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { openCrm } from '../../../sync/control/crm-account.ts';
import { withLease } from '../../../sync/control/with-lease.ts';
import { type AskingAction, askingCommand, type CommandAbout } from '../action/asking.ts';
import { findRun } from '../action/find-run.ts';
import { type ProductDeps, withIntegration } from '../action/product.ts';
import { waitForSecondPerson } from '../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../terminal/output.ts';
import { describeCount, formatTimestamp, shortId } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync undo 1a2b3c4d
  donor-sync undo RUN --yes --json    for scripts, with the whole ID: { "undo": {...} }

Only values that are still ours are restored: what a person changed since then stays. Credits do not
come back, and the next sync does not write the same profiles again. Exit code 3: some records
refused; undo the run again once that is fixed. Also 3: it waits for a second person (twoPeople.undo of
the settings), and nothing was done yet.`;

const ABOUT = {
  name: 'undo',
  description: undoOperation.summary,
  argument: [
    '<run>',
    'the ID of the run, whole or as `runs` shows it; with --yes or --json the whole ID',
  ],
  examples: EXAMPLES,
} satisfies CommandAbout;

/** The command `undo`: restores what a run wrote over, where the CRM's value is still ours. */
export function undoCommand(deps: ProductDeps): Command {
  return askingCommand(deps, ABOUT, (action, run) => undo(deps, action, run));
}

async function undo(
  deps: ProductDeps,
  { application, confirm, output, options: { yes } }: AskingAction,
  run: string,
): Promise<ExitCode> {
  const { store } = application;
  const row = await findRun(store.reader, run, { isJson: output.isJson || yes });
  const [integration] = application.select([row.integrationId]);
  if (!integration) return EXIT_CODES.usage;
  const writes = await listWrites(store.reader, row.id);
  const contacts = describeCount(new Set(writes.map((write) => write.crmId)).size, 'contact');
  const when = formatTimestamp(row.startedAt);
  if (writes.length > 0) {
    await confirm(
      `Take back what the run ${shortId(row.id)} of ${when} wrote into ${contacts} of "${integration.id}"?`,
    );
  }
  const request = { what: 'undo', run: row.id } as const;
  const about = { request, integrationId: integration.id };
  const waits = await waitForSecondPerson(deps, application, output, about);
  if (waits !== null) return waits;
  const asked = { run: row.id, writes: writes.length };
  await noteEntries(store.act, [
    {
      action: 'undo.asked',
      integrationId: integration.id,
      details: asked,
    },
  ]);
  const report = await withIntegration(application, integration, (open) =>
    withLease(open.deps, integration.id, async (lease) => {
      const undone = await undoRun(await openCrm(open.deps, lease), lease, row.id);
      await noteEntries(store.act, [undoneEntry(integration.id, undone)]);
      return undone;
    }),
  );
  output.finish({ undo: report }, () => printReport(output, report));
  return report.contacts.refused === 0 ? EXIT_CODES.done : EXIT_CODES.stopped;
}

/** What undoing a run did, for a person. */
export function printReport(output: Output, { contacts, fields, refusals }: UndoReport): void {
  const restored = describeCount(fields.restored, 'field');
  output.print(`Restored ${restored} of ${describeCount(contacts.restored, 'contact')}.`);
  if (fields.editedSince > 0) {
    output.print(
      `Left alone, because they were changed since: ${describeCount(fields.editedSince, 'field')}.`,
    );
  }
  if (contacts.gone > 0) {
    output.print(`No longer in the CRM: ${describeCount(contacts.gone, 'contact')}.`);
  }
  for (const { crmId, message } of refusals) output.print(`Not restored: ${crmId}, ${message}`);
}
