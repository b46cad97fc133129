import type { Command } from 'commander';
import { undoRunNow } from '../../../operations/undo.ts';
import { findRun } from '../action/find-run.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync undo 1a2b3c4d
  donor-sync undo RUN --yes --json    for scripts, with the whole ID: { "undo": {...} }

Only values that are still ours are restored: what a user changed since then stays. Credits do not
come back, and the next sync does not write the same profiles again. Exit code 3: some records
refused; undo the run again once that is fixed. Also 3: it waits for a second user (twoPeople.undo of
the settings), and nothing was done yet.`;

/** The command `undo`: restores what a run wrote over, where the CRM's value is still ours. */
export function undoCommand(deps: ProductDeps): Command {
  return operationCommand(deps, undoRunNow, undefined, {
    async findSubject({ application, output }, typed, isYes) {
      const how = { isJson: output.isJson || isYes };
      const { id, integrationId } = await findRun(application.store.reader, typed, how);
      // A client that the settings have no more is named as such.
      application.select([integrationId]);
      return id;
    },
  }).addHelpText('after', EXAMPLES);
}
