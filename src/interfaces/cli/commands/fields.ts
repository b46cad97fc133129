import type { Command } from 'commander';
import { namesOffering } from '../../../../connectors/index.ts';
import { checkFields, createMissingFields } from '../../../operations/fields.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';
import { fieldSourceCommand } from './field-source.ts';

const EXAMPLES = `
Examples:
  donor-sync fields check                 problems with mapped fields, and how to fix them
  donor-sync fields create riverside      create missing fields and grant access to them
  donor-sync fields create riverside --assign-viewers "System Administrator"
                                          let the users of a profile see the fields (${namesOffering('viewers')})
  donor-sync fields source riverside-fields
                                          write the fields as source for \`sf project deploy\` (${namesOffering('source')})
  donor-sync fields create riverside --with-lists --capacity-above 250000
                                          create lists of contacts to work with (${namesOffering('lists')})

Nothing is created twice, so you can repeat \`create\` at any time.`;

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
