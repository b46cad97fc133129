import { type Command, Option } from 'commander';
import { z } from 'zod';
import { forgetContact } from '../../../operations/forget.ts';
import { forgetNow } from '../../../operations/forget-now.ts';
import { liftContactBlock } from '../../../operations/lift-block.ts';
import { chooseOne } from '../action/integrations.ts';
import { carryOutHere, operationCommand } from '../action/operation-command.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { usageError } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync forget 0035e00001 --integration riverside
  donor-sync forget 0035e00001 --integration riverside --also-in-crm --yes
  donor-sync forget lift-block 0035e00001 --integration riverside

The contact is erased from the database in every client of its CRM account, leaves the networks, and is never
enhanced again. A contact with another ID that may be the same person waits for a user's decision. With
--also-in-crm, values that are still from donor-sync are first cleared in the CRM, and then checked by reading
them again. Values that a user typed stay. A receipt lists what was done.

If the command is interrupted, repeat it to continue. Exit code 0: erased, now or earlier. 2: no contact has
this ID, and nothing was done. 3: the CRM did not allow everything to be cleared, or a sync is running. Repeat the
command. Also 3: the request waits for a second user (twoPeople.forget and twoPeople.forgetEverywhere in the
settings), and nothing was done yet.`;

const optionsSchema = baseOptions.extend({
  integration: z.string().optional(),
  alsoInCrm: z.boolean().default(false),
  everywhere: z.boolean().default(false),
  blockUnknown: z.boolean().default(false),
  liftBlock: z.boolean().default(false),
  yes: z.boolean().default(false),
});

type ForgetOptions = z.infer<typeof optionsSchema>;

export function forgetCommand(deps: ProductDeps): Command {
  const command = productCommand('forget', deps)
    .description(forgetContact.summary)
    .argument('<contact>', 'the ID of the contact in the CRM')
    .option('--integration <id>', 'the ID of the client; may be left out if there is only one')
    .option('--also-in-crm', 'also clear the values that donor-sync wrote to the CRM')
    .option('--everywhere', 'also erase the contact in clients of other CRM accounts')
    .option('--block-unknown', 'block the ID even if neither the database nor the CRM knows it')
    // The name of this option in earlier versions.
    .addOption(new Option('--lift-block').hideHelp())
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  command.addCommand(operationCommand(deps, liftContactBlock, { one: 'with --integration' }));
  return productAction(deps, command, optionsSchema, async (action, typed: string) => {
    const { application, options } = action;
    requireOnePurpose(options);
    const integration = chooseOne(application, options.integration, 'with --integration');
    const { alsoInCrm, everywhere, blockUnknown, yes } = options;
    const contact = { integration: integration.id, contact: typed };
    if (options.liftBlock) {
      return carryOutHere(deps, action, liftContactBlock, contact, { isYes: yes });
    }
    const input = { ...contact, alsoInCrm, everywhere, blockUnknown };
    return carryOutHere(deps, action, forgetNow(deps.log), input, { isYes: yes });
  });
}

function requireOnePurpose({
  liftBlock: lifts,
  alsoInCrm,
  everywhere,
  blockUnknown,
}: ForgetOptions) {
  if (!lifts || !(alsoInCrm || everywhere || blockUnknown)) return;
  throw usageError('--lift-block lifts a block and erases nothing. Leave the other options out.');
}
