import type { Command } from 'commander';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { type CommandDeps, createCommand, runAction } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { ProductDeps } from './product.ts';
import {
  addPartnerSandboxOptions,
  type PartnerSandboxFlags,
  partnerSandboxFlagsSchema,
} from './sandbox/flags.ts';
import { readFaultFile } from './sandbox/read-fault-file.ts';
import { untilStopped } from './sandbox/until-stopped.ts';

/** What `sandbox` needs besides what every command has. */
export type SandboxDeps = CommandDeps & Pick<ProductDeps, 'cwd' | 'stopSignal'>;

const EXAMPLES = `
Examples:
  donor-sync sandbox partner --port 4100
  donor-sync sandbox partner --port 4100 --job-time 1000 --credits 50 --faults faults.json

The line on stdout has the base URL and the API key for the settings. Beside the service, at the
root of the same address: GET /_sandbox/people, /_sandbox/ledger, /_sandbox/requests,
PUT /_sandbox/faults, POST /_sandbox/keys.`;

/** The command `sandbox`: local stand-ins, to try things without an account and without costs. */
export function sandboxCommand(deps: SandboxDeps): Command {
  return createCommand('sandbox', deps)
    .description('serve a local stand-in for the Partner Data Service')
    .addCommand(partnerCommand(deps));
}

function partnerCommand(deps: SandboxDeps): Command {
  const command = addPartnerSandboxOptions(
    createCommand('partner', deps)
      .description('serve the Partner Data Service with invented people until stopped')
      .addHelpText('after', EXAMPLES),
  );
  return command.action(() =>
    runAction(deps, command, async () => {
      await servePartner(deps, partnerSandboxFlagsSchema.parse(command.opts()));
      return EXIT_CODES.done;
    }),
  );
}

async function servePartner(deps: SandboxDeps, flags: PartnerSandboxFlags): Promise<void> {
  const stopped = deps.stopSignal();
  const sandbox = await startPartner(deps, flags);
  const { baseUrl, apiKey } = sandbox;
  // One line, so that a program that started us can read it and go on (design, section 4.4).
  deps.stdout.write(`${JSON.stringify({ ready: true, kind: 'partner', baseUrl, apiKey })}\n`);
  await untilStopped(stopped);
  await sandbox.close();
}

async function startPartner(
  { cwd }: SandboxDeps,
  { faults, forms, ...flags }: PartnerSandboxFlags,
) {
  const rules = faults === undefined ? [] : await readFaultFile(faults, cwd);
  // The product does not know the sandboxes: they are loaded by whoever asks for one.
  const { startPartnerSandbox } = await import('../../sandbox/partner/index.ts');
  try {
    return await startPartnerSandbox({
      ...flags,
      faults: rules,
      forms: { a: forms !== 'b', b: forms !== 'a' },
    });
  } catch (error) {
    throw startError(error, flags.port ?? 0);
  }
}

/** Starting depends on nothing but the options, so one of them is to blame. */
function startError(error: unknown, port: number): ConfigurationError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new ConfigurationError(
      `The port ${port} is in use. Choose another with --port, or --port 0 for any free one.`,
      { code: 'port_in_use', cause: error, details: { port } },
    );
  }
  return new ConfigurationError(`The sandbox cannot start: ${messageOf(error)}`, {
    code: 'sandbox_not_started',
    cause: error,
  });
}
