import type { Command } from 'commander';
import { removeClient } from '../../../operations/clients.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync remove riverside
  donor-sync remove riverside --yes --json

A CSV file that was uploaded in its set-up is deleted with its results; any other file stays. Processes that serve
or work stop running the client within seconds; a run in progress finishes first. What is known of its
contacts stays: if you apply the client again, it continues from there.`;

/** The command `remove`: the way back from `apply`. */
export function removeCommand(deps: ProductDeps): Command {
  return operationCommand(deps, removeClient).addHelpText('after', EXAMPLES);
}
