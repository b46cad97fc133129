/** Runs the service's stand-in with a very large number of donors in a separate process. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { watchPeak } from './peak-memory.ts';
import { PROGRAM } from './program.ts';

/** The seed from which the service creates its people. */
export const SEED = 1;

export interface Service {
  /** The time (seconds) until the process accepts requests. */
  seconds: number;
  baseUrl: string;
  apiKey: string;
  /**
   * Sends a request and measures the time until the complete response has been received. The body may already be JSON.
   * Throws an error for a status other than 2xx.
   */
  ask(path: string, body?: unknown): Promise<{ ms: number; body: unknown }>;
  /** Returns the processor time (seconds) that the process has used. */
  readProcessorTime(): Promise<number>;
  /** Stops the process and returns its peak memory in megabytes. */
  stop(): Promise<number | null>;
}

const readySchema = z.object({ baseUrl: z.string(), apiKey: z.string() });

/** Starts the service. By default, it is this version of the service. Creates its database if it does not exist. */
export async function startService(
  file: string,
  donors: number,
  program = PROGRAM,
): Promise<Service> {
  const settings = { donors, seed: SEED, db: file, rate: 0, credits: 10_000_000 };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const begun = performance.now();
  const child = spawn(process.execPath, [program, 'sandbox', 'partner', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const peak = watchPeak(child.pid);
  const [line] = await once(createInterface(child.stdout), 'line');
  const { baseUrl, apiKey } = readySchema.parse(JSON.parse(String(line)));
  return {
    seconds: (performance.now() - begun) / 1_000,
    baseUrl,
    apiKey,
    async ask(path, body) {
      const sent = performance.now();
      const response = await fetch(baseUrl + path, {
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(body === undefined
          ? {}
          : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const ms = performance.now() - sent;
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
      return { ms, body: text === '' ? null : JSON.parse(text) };
    },
    readProcessorTime: () => readProcessorTime(child.pid),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return peak.stop();
    },
  };
}

/** The number of units per second in which Linux counts processor time. */
const TICKS_A_SECOND = 100;

async function readProcessorTime(processId: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
  // The name of the program may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}
