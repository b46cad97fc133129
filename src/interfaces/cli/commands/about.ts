import type { Command } from 'commander';
import { aboutContact } from '../../../operations/about.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync about 0035e00000abcde
  donor-sync about 0035e00000abcde --integration riverside --json   for scripts: { "about": {...} }

What is held of a contact in every client of its CRM account, where, and for how long. The database
holds no name, address or figure in clear, so none is shown; the values are in the CRM and at the service.`;

/** The command `about`: all stored data about one contact. */
export function aboutCommand(deps: ProductDeps): Command {
  return operationCommand(deps, aboutContact, { one: 'with --integration' }).addHelpText(
    'after',
    EXAMPLES,
  );
}
