import type { Command } from 'commander';
import { disconnect } from '../../../clients/consents.ts';
import { askingCommand, type CommandAbout } from '../action/asking.ts';
import { neverAborted, type ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync disconnect riverside
  donor-sync disconnect riverside --yes --json

The CRM takes its token back and runs of the integration stop. What is known of its contacts stays:
connecting the same account again goes on from there.`;

const ABOUT = {
  name: 'disconnect',
  description: 'have the CRM take back what connecting gave',
  argument: ['<id>', 'the integration'],
  examples: EXAMPLES,
} satisfies CommandAbout;

/** The command `disconnect`: the end of what `connect` began. */
export function disconnectCommand(deps: ProductDeps): Command {
  return askingCommand(deps, ABOUT, async ({ application, confirm, output }, id) => {
    for (const integration of application.select([id])) {
      await confirm(`Disconnect "${id}" from its CRM account?`);
      const consents = { application, clock: deps.clock, signal: neverAborted() };
      const { problem } = await disconnect(consents, integration);
      output.finish({ disconnected: id, problem }, () => {
        output.print(`"${id}" is disconnected; what is known of its contacts stays.`);
        if (problem === null) return;
        output.print(`The CRM did not take its token back: ${problem}`);
        output.print('Remove the app from the connected apps of the account by hand.');
      });
    }
    return undefined;
  });
}
