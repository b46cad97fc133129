import type { Command } from 'commander';
import {
  addListed,
  rankedIntroductions,
  removeListed,
} from '../../../operations/introductions/introductions.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync introductions --integration riverside
  donor-sync introductions --integration riverside --capacity 100k --network Board
  donor-sync introductions --integration riverside --csv --limit 500 > introductions.csv
  donor-sync introductions add 0035e00000abcde      on your own list; --mine shows it

Reads the names from the CRM, and spends nothing. The audit records it.`;

const ONE = { one: 'with --integration' } as const;

export function introductionsCommand(deps: ProductDeps): Command {
  return operationCommand(deps, rankedIntroductions, ONE, { namesPeople: true })
    .usage('[options] [add|remove]')
    .addCommand(operationCommand(deps, addListed, ONE))
    .addCommand(operationCommand(deps, removeListed, ONE))
    .addHelpText('after', EXAMPLES);
}
