import { z } from 'zod';
import type { CliProcess, CliWorld } from '../helpers/cli.ts';

/** `donor-sync serve` in a process of its own, ready. */
export interface ServingCli extends CliProcess {
  url: string;
}

const readySchema = z.object({ ready: z.literal(true), url: z.string() });

/** Starts to serve at a free port and resolves once it is ready. */
export async function startServing(
  world: CliWorld,
  options: readonly string[] = [],
): Promise<ServingCli> {
  const started = world.start(['serve', '--port', '0', '--json', ...options]);
  const line = new Promise<string>((resolve) => started.child.stdout.once('data', resolve));
  const first = await Promise.race([line, started.ended]);
  if (typeof first !== 'string') throw new Error(`it does not serve: ${first.stderr}`);
  const { url } = readySchema.parse(JSON.parse(first));
  return { ...started, url };
}
