import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../application.ts';
import type { Integration } from '../core/integration.ts';
import { type LeftNetworks, leaveNetworks } from '../networks/leave-networks.ts';
import { type ForgetReport, forgetContact } from '../sync/forget.ts';
import { pinAccount } from '../sync/run.ts';
import { withLease } from '../sync/with-lease.ts';
import { chooseOne } from './choose-integrations.ts';
import { confirmOrStop } from './confirm.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Output } from './output.ts';
import { neverAborted, type ProductDeps, productCommand, withIntegration } from './product.ts';
import { productOptionsSchema, runProductAction } from './product-action.ts';

const EXAMPLES = `
Examples:
  donor-sync forget 0035e000 --integration riverside
  donor-sync forget 0035e000 --integration riverside --also-in-crm --yes

The contact is erased from the database, leaves the networks, and is never taken up again. With
--also-in-crm the values that are still ours are cleared in the CRM first; what a person typed
stays.`;

const optionsSchema = productOptionsSchema.extend({
  integration: z.string().optional(),
  alsoInCrm: z.boolean().default(false),
  yes: z.boolean().default(false),
});

/** The command `forget`: erases one person. */
export function forgetCommand(deps: ProductDeps): Command {
  const command = productCommand('forget', deps)
    .description('erase one person from the database and, if asked, what we wrote from the CRM')
    .argument('<crm-id>', "the contact's id in the CRM")
    .option('--integration <id>', 'whose contact it is; may be left out if there is only one')
    .option('--also-in-crm', 'clear the values that we wrote into the CRM, too')
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  return command.action((typed: string) =>
    runProductAction(deps, command, optionsSchema, async ({ application, options, output }) => {
      const integration = chooseOne(application, options.integration);
      const crmId = await application.contactId(integration, typed);
      await confirmOrStop(deps, questionFor(crmId, integration, options), options.yes);
      const report = await forget(application, integration, crmId, options);
      output.finish({ forget: report }, () => printReport(output, report));
      return EXIT_CODES.done;
    }),
  );
}

function questionFor(
  crmId: string,
  { id }: Integration,
  { alsoInCrm }: { alsoInCrm: boolean },
): string {
  const crm = alsoInCrm ? ' and clear what we wrote of it in the CRM' : '';
  return `Erase the contact ${crmId} of "${id}" from the database for ever${crm}?`;
}

function forget(
  application: Application,
  integration: Integration,
  crmId: string,
  { alsoInCrm }: { alsoInCrm: boolean },
): Promise<Forgotten> {
  return withIntegration(application, integration, neverAborted(), (open) =>
    withLease(open.deps, integration.id, async (lease) => {
      // Without it nobody needs the CRM, which may be out of reach for good.
      if (alsoInCrm) {
        await pinAccount(open.deps, lease, integration, await open.connector.prepare());
      }
      // Before the database forgets which donor the contact is.
      const networks = await leaveNetworks(open.deps, lease, crmId);
      return { ...(await forgetContact(open.deps, lease, crmId, { alsoInCrm })), networks };
    }),
  );
}

/** What forgetting did, with the networks that the person was in. */
type Forgotten = ForgetReport & { networks: LeftNetworks };

function printReport(output: Output, report: Forgotten): void {
  const { crmId, wasKnown, cleared, editedSince, networks } = report;
  output.print(
    wasKnown
      ? `${crmId} is erased and is not taken up again.`
      : `The database knew nothing of ${crmId}; it is kept away from now on.`,
  );
  if (networks.left.length > 0) output.print(`Left the networks: ${networks.left.join(', ')}.`);
  if (networks.pending.length > 0) {
    output.print(
      `Still in the networks, until the next sync removes them: ${networks.pending.join(', ')}.`,
    );
  }
  if (cleared !== null) output.print(`Cleared in the CRM: ${cleared.join(', ') || 'nothing'}.`);
  if (editedSince.length > 0) {
    output.print(`Left alone, because somebody changed them: ${editedSince.join(', ')}.`);
  }
}
