import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { PROGRAM } from './program.ts';

const readySchema = z.object({ ready: z.literal(true), baseUrl: z.string(), apiKey: z.string() });

/** Runs the service's stand-in in a separate process. */
export interface Neighbour {
  baseUrl: string;
  apiKey: string;
  rootUrl: string;
  stop(): Promise<void>;
}

export interface NeighbourOptions {
  donors: number;
  /** The number of requests per second, and the size of a burst. The value 0 means no limit. */
  rate: number;
  burst: number;
  jobTimeMs: number;
  /** The latency of every request, and the additional latency of the paid submission. The default is 0. */
  latencyMs?: number;
  submitLatencyMs?: number;
}

/** Starts `donor-sync sandbox partner` and waits until it is ready. */
export async function startNeighbour(options: NeighbourOptions): Promise<Neighbour> {
  const { donors, rate, burst, jobTimeMs, latencyMs = 0, submitLatencyMs = 0 } = options;
  const flags = [
    ['--port', 0],
    ['--donors', donors],
    ['--rate', rate],
    ['--burst', burst],
    ['--job-time', jobTimeMs],
    ['--credits', 10_000_000],
    ['--latency', latencyMs],
    ['--submit-latency', submitLatencyMs],
  ].flatMap(([flag, value]) => [`${flag}`, `${value}`]);
  const child = spawn(process.execPath, [PROGRAM, 'sandbox', 'partner', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { baseUrl, apiKey } = readySchema.parse(JSON.parse(String(line)));
  return {
    baseUrl,
    apiKey,
    rootUrl: new URL(baseUrl).origin,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
