import type { Command } from 'commander';
import { eraseClient } from '../../../operations/erase.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside                         the CRM revokes the token
  donor-sync erase riverside                              all data about a nonprofit that leaves
  donor-sync erase riverside --yes --json > receipt.json

Remove the client from the settings file first. donor-sync keeps the charges without the contacts. It also keeps the audit and the blocks of erased people. The receipt gives the reasons. To erase one person: donor-sync forget.

If the command is interrupted, repeat it to continue. Exit code 3: a sync is in progress, or the cost of a
request is not settled yet; repeat the command.`;

export function eraseCommand(deps: ProductDeps): Command {
  return operationCommand(deps, eraseClient).addHelpText('after', EXAMPLES);
}
