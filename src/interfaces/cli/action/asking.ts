import type { Command } from 'commander';
import { z } from 'zod';
import type { ExitCode } from '../terminal/output.ts';
import {
  baseOptions,
  confirmOrStop,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from './product.ts';

const askingOptions = baseOptions.extend({ yes: z.boolean().default(false) });

/** What the help says of a command. */
export interface CommandAbout {
  name: string;
  description: string;
  /** Its name and what it means. */
  argument: [string, string];
  examples: string;
}

/** What the work of such a command has besides: the question, which `--yes` answers beforehand. */
export interface AskingAction extends ProductAction<z.infer<typeof askingOptions>> {
  /** Throws a ConfigurationError (nothing was changed) unless the answer is yes. */
  confirm(question: string): Promise<void>;
}

/** A command about one thing, named by its argument, that is not undone easily: it asks first. */
export function askingCommand(
  deps: ProductDeps,
  about: CommandAbout,
  work: (action: AskingAction, argument: string) => Promise<ExitCode | undefined>,
): Command {
  const command = productCommand(about.name, deps)
    .description(about.description)
    .argument(...about.argument)
    .option('--yes', 'do not ask')
    .addHelpText('after', about.examples);
  return productAction(deps, command, askingOptions, (action, argument: string) => {
    const confirm = (question: string) => confirmOrStop(deps, question, action.options.yes);
    return work({ ...action, confirm }, argument);
  });
}
