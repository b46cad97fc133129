import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../application.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import type { Output } from '../terminal/output.ts';
import { readOptions, runAction } from './command.ts';
import { type ProductDeps, withApplication } from './product.ts';

/** The option that every command with the product has; most have more. */
export const productOptionsSchema = z.object({ config: z.string().optional() });

/** What the action of a command works with once the product is open. */
export interface ProductAction<Options> {
  application: Application;
  options: Options;
  output: Output;
}

/** Runs the work of a command that opens the product, as `runAction` runs that of any command. */
export function runProductAction<Options extends z.infer<typeof productOptionsSchema>>(
  deps: ProductDeps,
  command: Command,
  schema: z.ZodType<Options>,
  work: (action: ProductAction<Options>) => Promise<ExitCode>,
): Promise<void> {
  return runAction(deps, command, (output) => {
    const options = readOptions(command, schema);
    return withApplication(deps, options.config, (application) =>
      work({ application, options, output }),
    );
  });
}
