import type { Command } from 'commander';
import { disconnectClient } from '../../../operations/clients.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside
  donor-sync disconnect riverside --yes --json

The CRM revokes the client's token, and its runs stop. The data about its contacts stays. If you connect the same
account again, donor-sync continues from there.`;

export function disconnectCommand(deps: ProductDeps): Command {
  return operationCommand(deps, disconnectClient).addHelpText('after', EXAMPLES);
}
