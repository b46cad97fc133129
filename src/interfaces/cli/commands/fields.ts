import type { Command } from 'commander';
import { checkFields, createMissingFields } from '../../../operations/fields.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';
import { fieldSourceCommand } from './field-source.ts';

const EXAMPLES = `
Examples:
  donor-sync fields check                 what each mapped field lacks, and the fix
  donor-sync fields create riverside      create the missing ones and grant access to them
  donor-sync fields create riverside --assign-viewers "System Administrator"
                                          let the users of a profile see them (Salesforce)
  donor-sync fields source riverside-fields
                                          write them as source for \`sf project deploy\` (Salesforce)
  donor-sync fields create riverside --with-lists --capacity-above 250000
                                          make lists of the contacts to work with (HubSpot)

Nothing is created twice; \`create\` may be run again at any time.`;

/** The command `fields`: whether the CRM can take what the field map wants to write. */
export function fieldsCommand(deps: ProductDeps): Command {
  const choice = { each: 'fields', byDefault: 'all' } as const;
  return topicCommand(
    deps,
    'fields',
    'check the mapped fields of the CRM, create them, or write them as source',
    [
      operationCommand(deps, checkFields, choice),
      operationCommand(deps, createMissingFields, choice),
      fieldSourceCommand(deps),
    ],
  ).addHelpText('after', EXAMPLES);
}
