import type { Command } from 'commander';
import {
  reconcileCredits,
  showBill,
  showCredits,
  showSpending,
} from '../../../operations/credits.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync credits
  donor-sync credits riverside --json              for scripts: { "keys": [...] }
  donor-sync credits spent --month 2026-11         by client, and how long the credits last
  donor-sync credits bill --month 2026-11 --csv    spending and written contacts of each client
  donor-sync credits reconcile 2026-11             compares charges with the balances

Reading the balances is free.`;

const RECONCILE_EXAMPLES = `
Examples:
  donor-sync credits reconcile 2026-11
  donor-sync credits reconcile 2026-11 --json    for scripts: { "month": "2026-11", "keys": [...] }

Compares the charges for enhancements in the month (UTC), by reason, with the credits that the balance of each
service key lost from its first submission in the month to its first submission after it (or to the last known
balance). The difference was spent or bought elsewhere. Does not call the service.`;

export function creditsCommand(deps: ProductDeps): Command {
  return operationCommand(deps, showCredits)
    .usage('[options] [spent|bill|reconcile] [integrations...]')
    .addCommand(operationCommand(deps, showSpending))
    .addCommand(operationCommand(deps, showBill))
    .addCommand(operationCommand(deps, reconcileCredits).addHelpText('after', RECONCILE_EXAMPLES))
    .addHelpText('after', EXAMPLES);
}
