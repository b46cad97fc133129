import type { Command } from 'commander';
import { z } from 'zod';
import type { PersonDetails } from '../../../../core/person.ts';
import { type Plan, planClient, planNow } from '../../../../operations/plan.ts';
import { parseCount } from '../../action/command.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import { operationCommand } from '../../action/operation-command.ts';
import type { ProductDeps } from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { printNetworks, printPaths, printPreview } from './text.ts';

const EXAMPLES = `
Examples:
  donor-sync plan riverside
  donor-sync plan riverside --list 50            name the first 50 contacts and changes
  donor-sync plan riverside --contact 0035e000
  donor-sync plan --all --json                   for scripts: { "plans": [...] }

Nothing is written, except an audit entry recording that names were shown, and only free requests are sent.`;

/** The number of contacts and changes that the plan lists by default. */
const DEFAULT_LISTED = 10;

const listSchema = z.object({ list: z.int().positive().default(DEFAULT_LISTED) });

/** Creates the command. A plan costs no credits. */
export function planCommand(deps: ProductDeps): Command {
  const made = new Map<string, { plan: Plan; persons: readonly PersonDetails[] }>();
  const here = {
    ...planClient,
    async run(...[world, input]: Parameters<typeof planClient.run>) {
      // Names are shown only on a terminal. In other output, the plan shows only which kinds of data exist.
      let persons: readonly PersonDetails[] = [];
      const plan = await planNow(world, input, (sample) => {
        persons = sample;
      });
      const { integration: integrationId } = plan;
      made.set(integrationId, { plan, persons });
      if (deps.stdout.isTTY === true && command.optsWithGlobals()['json'] !== true) {
        const shown = { command: 'plan', integrationId, names: persons.length };
        await recordNamesShown(world, shown);
      }
      return plan;
    },
  };
  const choice = { each: 'plans', byDefault: 'the only one' } as const;
  const command = operationCommand(deps, here, choice, {
    draw(output, { integration }) {
      const found = made.get(integration);
      if (found === undefined) return;
      const { list } = listSchema.parse(command.opts());
      printPlan(output, found.plan, list, found.persons);
    },
  });
  return command
    .option(
      '--list <n>',
      `number of contacts and changes to list (default: ${DEFAULT_LISTED})`,
      parseCount,
    )
    .addHelpText('after', EXAMPLES);
}

/** Prints the plan, with at most this many contacts and changes. */
export function printPlan(
  output: Output,
  plan: Plan,
  listed = DEFAULT_LISTED,
  persons: readonly PersonDetails[] = [],
): void {
  printPreview(output, plan, { listed, persons }, () => {
    printNetworks(output, plan);
    printPaths(output, plan);
  });
}
