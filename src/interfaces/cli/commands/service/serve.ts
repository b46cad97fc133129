import type { Command } from 'commander';
import { z } from 'zod';
import type { ConfigurationError } from '../../../../core/errors.ts';
import { isPortTaken, portInUse } from '../../action/command.ts';
import { EXIT_CODES } from '../../terminal/output.ts';
import { untilStopped } from '../../terminal/stop-signal.ts';
import { wholeNumber } from '../sandbox/stand-in.ts';
import { type ServiceDeps, serviceAction, serviceCommand, serviceOptions } from './action.ts';

const MAX_PORT = 65_535;
const MAX_RATE = 100_000;

const schema = serviceOptions.extend({
  host: z.string(),
  port: z.number(),
  operatorPort: z.number().optional(),
  publicUrl: z
    .url({
      protocol: /^https?$/,
      error: 'Enter --public-url as an address: https://donors.example.org.',
    })
    .optional(),
  rate: z.number(),
  burst: z.number(),
  chargeQueries: z.boolean().default(false),
  chargeSingleAdd: z.boolean().default(false),
});

export function serveCommand(deps: ServiceDeps): Command {
  const rate = wholeNumber(0, MAX_RATE);
  const command = serviceCommand('serve', deps)
    .description('serve until stopped; requests in flight are finished first')
    .option('--host <address>', 'where to listen; put a TLS proxy in front', '127.0.0.1')
    .option('--port <n>', 'the port; 0 uses a free one', wholeNumber(0, MAX_PORT), 4100)
    .option(
      '--public-url <url>',
      'the address at which clients reach the service, used in profiles (default: its own)',
    )
    .option(
      '--operator-port <n>',
      'a port that serves /metrics and /healthz without a key (default: none)',
      wholeNumber(0, MAX_PORT),
    )
    .option('--rate <n>', 'requests per second for each key, 0 for no limit', rate, 10)
    .option('--burst <n>', 'requests at once for each key', wholeNumber(1, MAX_RATE), 10)
    .option('--charge-queries', 'discover, compare, connections and lookup cost a search credit')
    .option('--charge-single-add', 'adding one member costs a network credit');
  return serviceAction(deps, command, schema, async ({ service, file, options }) => {
    const stopped = deps.stopSignal();
    const { operatorPort, db: _, ...rest } = options;
    const running = await service
      .startService({
        ...rest,
        db: file,
        operatorPort: operatorPort ?? null,
        clock: deps.clock.now,
        report: (error) => deps.stderr.write(`${error.stack ?? error.message}\n`),
      })
      .catch((error: unknown) => {
        throw isPortTaken(error) ? portTaken(options.port, error) : error;
      });
    const { close, ...line } = running;
    // The output is one line, so that a parent process can read it and continue.
    deps.stdout.write(`${JSON.stringify({ ready: true, kind: 'service', ...line })}\n`);
    await untilStopped(stopped);
    await close();
    return EXIT_CODES.done;
  });
}

function portTaken(port: number, cause: unknown): ConfigurationError {
  return portInUse(port, "It might be the operator's port. Choose another port.", { cause });
}
