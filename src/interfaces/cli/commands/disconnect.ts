import type { Command } from 'commander';
import { disconnectClient } from '../../../operations/clients.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside
  donor-sync disconnect riverside --yes --json

The CRM revokes its token, and runs of the client stop. What is known of its contacts stays: if you connect the same
account again, it continues from there.`;

/** The command `disconnect`: the end of what `connect` started. */
export function disconnectCommand(deps: ProductDeps): Command {
  return operationCommand(deps, disconnectClient).addHelpText('after', EXAMPLES);
}
