import type { Command } from 'commander';
import { aboutContact } from '../../../operations/about.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync about 0035e00000abcde
  donor-sync about 0035e00000abcde --integration riverside --json   for scripts: { "about": {...} }

Shows the data held about a contact in every client of its CRM account, where it is, and for how long. The database
contains no name, address or amount in clear text, so none is shown. The values are in the CRM and at the service.`;

export function aboutCommand(deps: ProductDeps): Command {
  return operationCommand(deps, aboutContact, { one: 'with --integration' }).addHelpText(
    'after',
    EXAMPLES,
  );
}
