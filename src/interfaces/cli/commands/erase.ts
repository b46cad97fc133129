import type { Command } from 'commander';
import { eraseClient } from '../../../operations/erase.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside                         the CRM revokes the token
  donor-sync erase riverside                              all that is known of a nonprofit that leaves
  donor-sync erase riverside --yes --json > receipt.json

Remove the client from the settings file first. What was charged stays on record without contacts, and so do
blocks of erased people and the audit; the receipt says why. To erase one person: donor-sync forget.

If it is cut off at any moment, the same command continues. Exit code 3: a sync is in progress, or the cost of a
request is not settled yet; repeat the command.`;

/** The command `erase`: everything of an integration that leaves. */
export function eraseCommand(deps: ProductDeps): Command {
  return operationCommand(deps, eraseClient).addHelpText('after', EXAMPLES);
}
