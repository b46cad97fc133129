import type { Command } from 'commander';
import { exportAudit, listAudit, verifyAudit } from '../../../operations/audit.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync audit                                      the last entries
  donor-sync audit --integration riverside --since 2026-11-01
  donor-sync audit --person anna --until 2026-11-15     what one user did, before a day
  donor-sync audit --action hold.decided --csv > decisions.csv
  donor-sync audit --json                               for scripts: { "entries": [...] }
  donor-sync audit verify                               whether nothing was changed or taken away
  donor-sync audit verify --known 1204:Jb3…             also against an end that was noted down

Who (a user of this machine, an access token, a schedule, a webhook) did what, on what, when and from
where: runs, decisions, undo, forget, settings, tokens, sign-ins, connections, views of names. Entries
name contacts by their IDs; of contacts that were erased, not even that.

--csv and --json do what \`audit export\` does: they write all entries, and the audit records it.`;

const VERIFY_HELP =
  '\nExit code 0: no change was found. 1: one was found, and the message says which. Only with --known is the verdict\n"intact": without it, "cannot_tell" whether the end is gone.';

/** The command `audit`: who did what. */
export function auditCommand(deps: ProductDeps): Command {
  return operationCommand(deps, listAudit, undefined, { whole: exportAudit })
    .addCommand(operationCommand(deps, exportAudit))
    .addCommand(
      operationCommand(deps, verifyAudit, undefined, {
        // The check adds nothing to what it checks.
        opening: { recordsSettings: false },
      }).addHelpText('after', VERIFY_HELP),
    )
    .addHelpText('after', EXAMPLES);
}
