import type { Command } from 'commander';
import { showResults } from '../../../operations/results.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync results
  donor-sync results --month 2026-10 --integration riverside
  donor-sync results --json                    for scripts: { "results": { ... } }

Reads only the database, and spends nothing.`;

export function resultsCommand(deps: ProductDeps): Command {
  return operationCommand(deps, showResults).addHelpText('after', EXAMPLES);
}
