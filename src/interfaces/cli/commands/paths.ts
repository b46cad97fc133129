import type { Command } from 'commander';
import { z } from 'zod';
import { type ContactPaths, readContactPaths } from '../../../paths/contact-paths.ts';
import { toContactId } from '../../../sync/control/contact-id.ts';
import { openCrm } from '../../../sync/control/crm-account.ts';
import { chooseOne, percentText, recordQueryCost } from '../action/integrations.ts';
import { recordNamesShown } from '../action/names-shown.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
  withIntegration,
} from '../action/product.ts';
import type { Output } from '../terminal/output.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync paths 0035e00000abcde
  donor-sync paths 0035e00000abcde --integration riverside --json   for scripts: { "paths": {...} }

Asks the service once, which may cost a credit if it charges for queries. Writes nothing.`;

const optionsSchema = baseOptions.extend({ integration: z.string().optional() });

/** The command `paths`: everybody in the networks who knows one contact. */
export function pathsCommand(deps: ProductDeps): Command {
  const command = productCommand('paths', deps)
    .description('show everybody in the networks who knows a contact, and from where')
    .argument('<contact>', 'the id of the contact in the CRM')
    .option('--integration <id>', 'may be left out if there is only one')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, contact: string) => {
    const { application, options, output } = action;
    const integration = chooseOne(application, options.integration, 'with --integration');
    await withIntegration(application, integration, async (open) => {
      const crmId = toContactId(open.deps.canonicalId, integration.id, contact);
      const paths = await readContactPaths(await openCrm(open.deps, null), integration.id, crmId);
      await recordNamesShown(application, {
        command: 'paths',
        integrationId: integration.id,
        crmId,
        names: listNames(paths).size,
      });
      output.finish({ paths }, () => printPaths(output, paths));
      recordQueryCost(output, open.partner);
    });
  });
}

/** Each name once: that of the contact and those of who knows it. */
function listNames({ name, connections }: ContactPaths): Set<string> {
  const introducers = connections.map(({ introducer }) => introducer.name);
  return new Set([name, ...introducers].filter((each) => each !== null));
}

function printPaths(output: Output, { contact, name, memberOf, connections }: ContactPaths): void {
  const people = new Set(connections.map(({ introducer }) => introducer.donorId)).size;
  const who = output.style.strong(name ?? contact);
  if (memberOf.length > 0) output.print(`${who} is in ${memberOf.join(', ')}.`);
  if (people === 0) {
    output.print(`No member of the networks is known to know ${who}.`);
    return;
  }
  const verb = people === 1 ? 'knows' : 'know';
  output.print(`${describeCount(people, 'person', 'people')} in the networks ${verb} ${who}:`);
  output.print();
  output.table(
    [
      { header: 'Strength', value: ({ strength }) => percentText(strength), align: 'right' },
      { header: 'Who', value: ({ introducer }) => introducer.name ?? introducer.donorId },
      { header: 'Network', value: ({ networks }) => networks.join(', ') },
      { header: 'How', value: ({ sentence }) => sentence, shrinks: true },
    ],
    connections,
  );
}
