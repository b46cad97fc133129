import type { Command } from 'commander';
import { CRM_STAND_INS } from '../../../../../sandbox/stand-ins.ts';
import { ConfigurationError, isConfigurationError, messageOf } from '../../../../core/errors.ts';
import {
  type CommandDeps,
  createCommand,
  isPortTaken,
  portInUse,
  runAction,
} from '../../action/command.ts';
import type { ProductDeps } from '../../action/product.ts';
import { EXIT_CODES, type ExitCode } from '../../terminal/output.ts';
import { untilStopped } from '../../terminal/stop-signal.ts';
import { crmStandIn } from './crms.ts';
import { PARTNER } from './partner.ts';
import type { Serving, StandIn } from './stand-in.ts';

/** The dependencies of `sandbox` in addition to those of every command. */
export type SandboxDeps = CommandDeps & Pick<ProductDeps, 'cwd' | 'stopSignal'>;

export function sandboxCommand(deps: SandboxDeps): Command {
  const command = createCommand('sandbox', deps)
    .description('serve a local stand-in for the Partner Data Service or a CRM')
    .addCommand(standInCommand(deps, PARTNER));
  for (const standIn of CRM_STAND_INS) {
    command.addCommand(standInCommand(deps, crmStandIn(standIn)));
  }
  return command;
}

function standInCommand<Flags extends { port: number }>(
  deps: SandboxDeps,
  { kind, description, examples, addOptions, flagsSchema, start }: StandIn<Flags>,
): Command {
  const command = addOptions(
    createCommand(kind, deps).description(description).addHelpText('after', examples),
  );
  return command.action(() =>
    runAction(deps, command, () => {
      const flags = flagsSchema.parse(command.opts());
      return serve(deps, kind, flags.port, () => start(flags, deps.cwd));
    }),
  );
}

async function serve(
  deps: SandboxDeps,
  kind: string,
  port: number,
  start: () => Promise<Serving>,
): Promise<ExitCode> {
  const stopped = deps.stopSignal();
  const sandbox = await startOrExplain(start, port);
  // The output is one line, so that a parent process can read it and continue (design, section 4.4).
  deps.stdout.write(`${JSON.stringify({ ready: true, kind, ...sandbox.line })}\n`);
  await untilStopped(stopped);
  await sandbox.close();
  return EXIT_CODES.done;
}

async function startOrExplain(start: () => Promise<Serving>, port: number): Promise<Serving> {
  try {
    return await start();
  } catch (error) {
    if (isConfigurationError(error)) throw error;
    throw startError(error, port);
  }
}

/** Creates the error for a sandbox that cannot start. The cause is always a wrong option. */
function startError(error: unknown, port: number): ConfigurationError {
  if (isPortTaken(error)) {
    const next = 'Choose another port with --port, or --port 0 for any free port.';
    return portInUse(port, next, { cause: error });
  }
  return new ConfigurationError(`The sandbox cannot start: ${messageOf(error)}`, {
    code: 'sandbox_not_started',
    cause: error,
  });
}
