import type { Command } from 'commander';
import { z } from 'zod';
import { ConfigurationError } from '../../core/errors.ts';
import {
  baseOptions,
  confirmOrStop,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync remove riverside
  donor-sync remove riverside --yes --json

Processes that serve or work stop with it within seconds; a run that is under way comes to its end. What
is known of its contacts stays: applied again, it goes on from there.`;

const optionsSchema = baseOptions.extend({ yes: z.boolean().default(false) });

/** The command `remove`: the way back from `apply`. */
export function removeCommand(deps: ProductDeps): Command {
  const command = productCommand('remove', deps)
    .description('take the settings of an integration out of the database')
    .argument('<id>', 'the integration')
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, id: string) => {
    const { application, settings, options, output } = action;
    application.select([id]);
    await confirmOrStop(deps, `Take "${id}" out of the database?`, options.yes);
    if (!(await application.store.integrations.removeSettings(id))) {
      throw new ConfigurationError(
        `"${id}" is not in the database: take it out of the settings file ${settings.path}.`,
        { code: 'not_applied', details: { integration: id } },
      );
    }
    output.finish({ removed: id }, () => output.print(`"${id}" is out of the database.`));
    return undefined;
  });
}
