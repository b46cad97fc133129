import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { forgetContact } from '../../../operations/forget.ts';
import { forgetNow } from '../../../operations/forget-now.ts';
import { liftBlock } from '../../../privacy/forget/forget.ts';
import { chooseOne } from '../action/integrations.ts';
import { carryOutHere } from '../action/operation-command.ts';
import {
  baseOptions,
  confirmOrStop,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../terminal/output.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync forget 0035e00001 --integration riverside
  donor-sync forget 0035e00001 --integration riverside --also-in-crm --yes
  donor-sync forget 0035e00001 --integration riverside --lift-block

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
    .option('--lift-block', 'take the block of an id back instead: it was a mistake')
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, typed: string) => {
    const { application, options, output } = action;
    requireOnePurpose(options);
    const integration = chooseOne(application, options.integration, 'with --integration');
    const { alsoInCrm, everywhere, blockUnknown, yes } = options;
    if (options.liftBlock) {
      const crmId = await application.contactId(integration, typed);
      return lift(deps, application, output, { integration, crmId, yes });
    }
    const input = {
      integration: integration.id,
      contact: typed,
      alsoInCrm,
      everywhere,
      blockUnknown,
    };
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

async function lift(
  deps: ProductDeps,
  application: Application,
  output: Output,
  { integration, crmId, yes }: { integration: Integration; crmId: string; yes: boolean },
): Promise<ExitCode> {
  await confirmOrStop(
    deps,
    `Let the contact ${crmId} of "${integration.id}" be taken up again? What was erased does not come back; enhancing it costs a credit.`,
    yes,
  );
  const lifted = await liftBlock({ application }, integration, crmId);
  if (lifted.length === 0) throw notBlocked(integration, crmId);
  const document = { integration: integration.id, crmId, lifted };
  output.finish({ forget: document }, () => {
    output.print(
      `${crmId} may be taken up again in ${describeCount(lifted.length, 'integration')}: ${lifted.join(', ')}.`,
    );
    output.print(
      `\`donor-sync sync ${integration.id} --contact ${crmId}\` does it now; other syncs, when it changes.`,
    );
  });
  return EXIT_CODES.done;
}

function notBlocked({ id }: Integration, crmId: string): ConfigurationError {
  return new ConfigurationError(
    `The contact ${crmId} of "${id}" is not blocked: nothing was changed.`,
    { code: 'block_unknown', details: { integration: id, contact: crmId } },
  );
}
