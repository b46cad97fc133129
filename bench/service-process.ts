/** The stand-in of the service with very many donors, as a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { watchPeak } from './peak-memory.ts';
import { PROGRAM } from './program.ts';

/** Of the people in it. */
export const SEED = 1;

/** A service that is running. */
export interface Service {
  /** From the start of the process until it serves. */
  seconds: number;
  baseUrl: string;
  apiKey: string;
  /** Sends a request and takes its time until the whole answer is there; another status than 2xx is an error. */
  ask(path: string, body?: unknown): Promise<{ ms: number; body: unknown }>;
  /** Gives the most memory that the process held, in megabytes. */
  stop(): Promise<number | null>;
}

const readySchema = z.object({ baseUrl: z.string(), apiKey: z.string() });

/** Starts it with a database that it makes where there is none. */
export async function startService(file: string, donors: number): Promise<Service> {
  const settings = { donors, seed: SEED, db: file, rate: 0, credits: 10_000_000 };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const begun = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'sandbox', 'partner', ...flags], {
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
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const ms = performance.now() - sent;
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
      return { ms, body: text === '' ? null : JSON.parse(text) };
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      return peak.stop();
    },
  };
}
