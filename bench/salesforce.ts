/** The Salesforce connector alone, against the org's stand-in over loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { watchPeak } from './peak-memory.ts';
import { PROGRAM } from './program.ts';

const readySchema = z.object({ ready: z.literal(true), baseUrl: z.string(), token: z.string() });

const stepSchema = z.object({
  name: z.enum(['read', 'write']),
  contacts: z.number(),
  seconds: z.number(),
  calls: z.number(),
});

export type SalesforceStep = z.infer<typeof stepSchema>;

/** What one process of the connector did, and the most memory it held, in megabytes. */
export interface SalesforceMeasurement {
  steps: SalesforceStep[];
  peakMegabytes: number | null;
}

/** An org that serves. */
export interface Org {
  baseUrl: string;
  token: string;
  /** Measures the connector alone. */
  measure(what: 'read' | 'write'): Promise<SalesforceMeasurement>;
}

/** An org with so many contacts, each request of which takes so long. */
export async function withOrg<T>(
  contacts: number,
  latencyMs: number,
  work: (org: Org) => Promise<T>,
): Promise<T> {
  const flags = [
    '--port',
    '0',
    '--contacts',
    contacts,
    '--donors',
    contacts,
    '--latency',
    latencyMs,
  ];
  const org = spawn(process.execPath, [PROGRAM, 'sandbox', 'salesforce', ...flags.map(String)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(createInterface(org.stdout), 'line');
    const { baseUrl, token } = readySchema.parse(JSON.parse(String(line)));
    return await work({
      baseUrl,
      token,
      measure: (what) => measureConnector(baseUrl, token, what),
    });
  } finally {
    const exited = once(org, 'exit');
    org.kill('SIGTERM');
    await exited;
  }
}

const CONNECTOR_PROCESS = join(import.meta.dirname, 'salesforce-work.mjs');

async function measureConnector(
  baseUrl: string,
  token: string,
  what: 'read' | 'write',
): Promise<SalesforceMeasurement> {
  const child = spawn(process.execPath, [CONNECTOR_PROCESS, baseUrl, token, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const peak = watchPeak(child.pid);
  const exited = once(child, 'exit');
  const lines = (await text(child.stdout)).trim().split('\n');
  await exited;
  return {
    steps: lines.map((line) => stepSchema.parse(JSON.parse(line))),
    peakMegabytes: peak.stop(),
  };
}
