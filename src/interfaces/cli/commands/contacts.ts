import type { Command } from 'commander';
import { findContactsByName, nameContacts, showContact } from '../../../operations/contacts.ts';
import { previewErasure } from '../../../operations/forget-preview.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync contacts show 0035e00000abcde
  donor-sync contacts show 0035e00000abcde --integration riverside
  donor-sync contacts search "mary lop"    by the start of names, at most 20
  donor-sync contacts names riverside/0035e00000abcde riverside/0035e00000abcdf
  donor-sync contacts erasable 0035e00000abcde    what \`forget\` would remove, and what would stay

Reads the name from the CRM and the profile from the database, and spends nothing. The audit records it.`;

const NAMES = { namesPeople: true };

export function contactsCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'contacts', 'Show a contact, find it by name, or name contacts', [
    operationCommand(deps, showContact, { one: 'with --integration' }, NAMES),
    operationCommand(deps, findContactsByName, { one: 'with --integration' }, NAMES),
    operationCommand(deps, nameContacts, undefined, NAMES),
    operationCommand(deps, previewErasure, { one: 'with --integration' }),
  ]).addHelpText('after', EXAMPLES);
}
