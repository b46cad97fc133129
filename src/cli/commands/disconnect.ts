import type { Command } from 'commander';
import { z } from 'zod';
import { disconnect } from '../../application/consents.ts';
import {
  baseOptions,
  confirmOrStop,
  neverAborted,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside
  donor-sync disconnect riverside --yes --json

The CRM takes its token back and runs of the integration stop. What is known of its contacts stays:
connecting the same account again goes on from there.`;

const optionsSchema = baseOptions.extend({ yes: z.boolean().default(false) });

/** The command `disconnect`: the end of what `connect` began. */
export function disconnectCommand(deps: ProductDeps): Command {
  const command = productCommand('disconnect', deps)
    .description('have the CRM take back what connecting gave')
    .argument('<id>', 'the integration')
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, id: string) => {
    const { application, options, output } = action;
    for (const integration of application.select([id])) {
      await confirmOrStop(deps, `Disconnect "${id}" from its CRM account?`, options.yes);
      const consents = { application, clock: deps.clock, signal: neverAborted() };
      const { problem } = await disconnect(consents, integration);
      output.finish({ disconnected: id, problem }, () => {
        output.print(`"${id}" is disconnected; what is known of its contacts stays.`);
        if (problem === null) return;
        output.print(`The CRM did not take its token back: ${problem}`);
        output.print('Remove the app from the connected apps of the account by hand.');
      });
    }
  });
}
