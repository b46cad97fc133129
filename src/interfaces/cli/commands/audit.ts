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
  donor-sync audit verify                               checks that nothing was changed or removed
  donor-sync audit verify --known 1204:Jb3…             also checks against an end that you saved

Who (a user of this machine, an access token, a schedule, a webhook) did what, to what, when and from
where: runs, decisions, undo, forget, settings, tokens, sign-ins, connections, views of names. Entries
contain the IDs of contacts, except of erased contacts.

--csv and --json work like \`audit export\`: they write all entries, and the audit records the export.`;

const VERIFY_HELP =
  '\nExit code 0: no change was found. 1: a change was found, and the message describes it. Only with --known can the\nverdict be "intact". Without it, the verdict is "cannot_tell", because missing entries at the end cannot be detected.';

export function auditCommand(deps: ProductDeps): Command {
  return operationCommand(deps, listAudit, undefined, { whole: exportAudit })
    .addCommand(operationCommand(deps, exportAudit))
    .addCommand(
      operationCommand(deps, verifyAudit, undefined, {
        // Checking the audit must not add entries to it.
        opening: { recordsSettings: false },
      }).addHelpText('after', VERIFY_HELP),
    )
    .addHelpText('after', EXAMPLES);
}
