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

/** A command's description in the help. */
export interface CommandAbout {
  name: string;
  description: string;
  /** Its name and what it means. */
  argument: [string, string];
  examples: string;
}

/** The additional input of such a command's work: the question, which `--yes` answers in advance. */
export interface AskingAction extends ProductAction<z.infer<typeof askingOptions>> {
  /** Throws a ConfigurationError (nothing was changed) unless the answer is yes. */
  confirm(question: string): Promise<void>;
}

/** A command about one object, named by its argument, that is not easily undone. It asks first. */
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
