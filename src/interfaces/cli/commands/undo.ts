import type { Command } from 'commander';
import { undoRunNow } from '../../../operations/undo.ts';
import { findRun } from '../action/find-run.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync undo 1a2b3c4d
  donor-sync undo RUN --yes --json    for scripts, with the whole ID: { "undo": {...} }

Only fields that still contain the written value are restored. Values that a user changed since then stay. Credits are
not refunded, and the next sync does not write the same profiles again. Exit code 3: the CRM refused some records.
Undo the run again once that is fixed. Also 3: the request waits for a second user (twoPeople.undo in the settings),
and nothing was done yet.`;

export function undoCommand(deps: ProductDeps): Command {
  return operationCommand(deps, undoRunNow, undefined, {
    async findSubject({ application, output }, typed, isYes) {
      const how = { isJson: output.isJson || isYes };
      const { id, integrationId } = await findRun(application.store.reader, typed, how);
      // Throws an error for a client that is no longer in the settings.
      application.select([integrationId]);
      return id;
    },
  }).addHelpText('after', EXAMPLES);
}
