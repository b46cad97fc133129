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

The contact is erased from the database of every integration of that CRM account, leaves the networks,
and is never enhanced again. A contact with another id that looks like it waits for a user to decide. With --also-in-crm the
values that are still ours are cleared in the CRM first, and read again; what a user typed stays. A
receipt says what was done.

If the command is cut off, run it again to continue. Exit code 0: erased, now or earlier. 2: no contact has
this id, and nothing was done. 3: the CRM did not let everything be cleared, or a sync is running:
repeat the command; or it waits for a second user (twoPeople.forget and twoPeople.forgetEverywhere of
the settings), and nothing was done yet.`;

const optionsSchema = baseOptions.extend({
  integration: z.string().optional(),
  alsoInCrm: z.boolean().default(false),
  everywhere: z.boolean().default(false),
  blockUnknown: z.boolean().default(false),
  liftBlock: z.boolean().default(false),
  yes: z.boolean().default(false),
});

type ForgetOptions = z.infer<typeof optionsSchema>;

/** The command `forget`: erases one person. */
export function forgetCommand(deps: ProductDeps): Command {
  const command = productCommand('forget', deps)
    .description(forgetContact.summary)
    .argument('<contact>', 'the ID of the contact in the CRM')
    .option('--integration <id>', 'whose contact it is; may be left out if there is only one')
    .option('--also-in-crm', 'clear the values that we wrote into the CRM, too')
    .option('--everywhere', 'in the integrations of other CRM accounts as well')
    .option('--block-unknown', 'block an id that neither the database nor the CRM knows')
    // The former spelling of the command lift-block.
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
  throw usageError(
    '--lift-block takes a block back and erases nothing: leave the other options out.',
  );
}
