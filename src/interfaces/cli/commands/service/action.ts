import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type * as Service from '../../../../../service/operation/index.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { createCommand, readOptions, runAction } from '../../action/command.ts';
import type { ProductDeps } from '../../action/product.ts';
import type { ExitCode, Output } from '../../terminal/output.ts';

export type ServiceDeps = Pick<
  ProductDeps,
  'stdout' | 'stderr' | 'env' | 'setExitCode' | 'cwd' | 'clock' | 'stopSignal'
>;

/** The options of every subcommand of `service`. */
export const serviceOptions = z.object({ db: z.string() });

/** Creates a subcommand of `service`. */
export function serviceCommand(name: string, deps: ServiceDeps): Command {
  return createCommand(name, deps).option('--db <file>', "the service's database", 'service.db');
}

/** The dependencies of a subcommand. */
export interface ServiceAction<Options> {
  service: typeof Service;
  /** The absolute path of the database file. */
  file: string;
  options: Options;
  output: Output;
}

/** Sets a subcommand's action. If the service refuses the action, this is a usage error. */
export function serviceAction<Options extends z.infer<typeof serviceOptions>>(
  deps: ServiceDeps,
  command: Command,
  schema: z.ZodType<Options>,
  work: (action: ServiceAction<Options>) => Promise<ExitCode | undefined> | ExitCode | undefined,
): Command {
  return command.action(() =>
    runAction(deps, command, async (output) => {
      const options = readOptions(command, schema);
      // donor-sync itself does not import the service. The command loads it when it needs it.
      const service = await import('../../../../../service/operation/index.ts');
      try {
        const file = resolve(deps.cwd, options.db);
        return await work({ service, file, options, output });
      } catch (error) {
        throw refused(service, error);
      }
    }),
  );
}

/** Opens the database for some work. A running service may use the same database. */
export async function beside<Result>(
  { service, file }: Pick<ServiceAction<unknown>, 'service' | 'file'>,
  work: (db: ReturnType<typeof Service.openBeside>) => Result | Promise<Result>,
): Promise<Result> {
  const db = service.openBeside(file);
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

function refused(service: typeof Service, error: unknown): unknown {
  if (error instanceof service.Refusal) {
    return new ConfigurationError(error.message, { code: 'service_refused', cause: error });
  }
  if (error instanceof service.ImportProblem) {
    return new ConfigurationError(error.message, {
      code: 'import_refused',
      cause: error,
      details: { problems: error.problems },
    });
  }
  const isInUse =
    error instanceof Error && /^The database .* is in use\.|newer version/.test(error.message);
  if (!isInUse) return error;
  return new ConfigurationError(error.message, { code: 'database_unusable', cause: error });
}
