import type { Command } from 'commander';
import { removeClient } from '../../../operations/clients.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync remove riverside
  donor-sync remove riverside --yes --json

A CSV file that was uploaded in its set-up is deleted with its results. Any other file stays. The processes of serve
and worker stop running the client within seconds, but a run in progress finishes first. The data about its contacts
stays. If you apply the client again, donor-sync continues from there.`;

export function removeCommand(deps: ProductDeps): Command {
  return operationCommand(deps, removeClient).addHelpText('after', EXAMPLES);
}
