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
  name: z.enum(['read', 'again', 'write', 'changes']),
  contacts: z.number(),
  /** The IDs of the changed contacts, in order of arrival. */
  ids: z.array(z.string()).default([]),
  seconds: z.number(),
  calls: z.number().default(0),
  throttled: z.number().default(0),
  /** The processor time of the step (ms), in user mode and in system mode. */
  cpuMs: z.number(),
  /** The processor time in user mode (ms). */
  userMs: z.number(),
  /** The process's peak resident memory during the step. */
  peakMegabytes: z.number().nullable(),
});

export type ConnectorStep = z.infer<typeof stepSchema>;

/** The measurements of one connector process, with its peak memory in megabytes. */
export interface ConnectorMeasurement {
  steps: ConnectorStep[];
  peakMegabytes: number | null;
}

export type CrmKind = 'salesforce' | 'hubspot';

/** A running stand-in. */
export interface Crm {
  baseUrl: string;
  token: string;
  /**
   * Measures the connector alone. `settings` are additional `crm` settings. `folder` contains another version of the
   * program.
   */
  measure(
    what: 'read' | 'write',
    settings?: CrmSettings,
    folder?: string,
  ): Promise<ConnectorMeasurement>;
  /**
   * Measures the same writes with the CRM vendor's client or with a widely used client. `way` is the client's name for
   * the kind of request.
   */
  measureOfficial(way: 'rows' | 'bulk'): Promise<ConnectorMeasurement>;
  /** Makes the connector read all contacts. The promise resolves when the connector is ready to read later changes. */
  startReader(settings: CrmSettings): Promise<ChangesReader>;
}

export interface ChangesReader {
  /** Reads the changes. Call the function only once, because the connector ends after it. */
  readChanges(): Promise<ConnectorStep>;
}

/** The `crm` settings, except the kind, the address and the sign-in. */
export type CrmSettings = Readonly<Record<string, number | string>>;

/**
 * Flags that give the CRM's stand-in more memory. The stand-in must be fast, because the benchmark measures only the
 * connector.
 */
const ROOMY = ['--min-semi-space-size=16'];

/** Starts a CRM with this number of contacts. `flags` are options of `donor-sync sandbox`. */
export async function withCrm<T>(
  kind: CrmKind,
  flags: { contacts: number } & Readonly<Record<string, number>>,
  work: (crm: Crm) => Promise<T>,
): Promise<T> {
  const all = { port: 0, donors: flags.contacts, ...flags };
  const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const crm = spawn(process.execPath, [...ROOMY, PROGRAM, 'sandbox', kind, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(createInterface(crm.stdout), 'line');
    const { baseUrl, token } = readySchema.parse(JSON.parse(String(line)));
    const wordsFor = (what: string, settings: CrmSettings, folder = HERE) => [
      CONNECTOR_PROCESS,
      folder,
      kind,
      baseUrl,
      token,
      what,
      JSON.stringify(settings),
    ];
    return await work({
      baseUrl,
      token,
      measure: (what, settings = {}, folder) => measureConnector(wordsFor(what, settings, folder)),
      measureOfficial: (way) => measureConnector([OFFICIAL_PROCESS, kind, baseUrl, token, way]),
      startReader: (settings) => startReader(wordsFor('changes', settings)),
    });
  } finally {
    const exited = once(crm, 'exit');
    crm.kill('SIGTERM');
    await exited;
  }
}

const HERE = join(import.meta.dirname, '..');

const CONNECTOR_PROCESS = join(import.meta.dirname, 'connector-work.mjs');
const OFFICIAL_PROCESS = join(import.meta.dirname, 'official-work.mjs');

async function measureConnector(words: string[]): Promise<ConnectorMeasurement> {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const peak = watchPeak(child.pid);
  const exited = once(child, 'exit');
  const lines = (await text(child.stdout)).trim().split('\n');
  await exited;
  return {
    steps: lines.map((line) => stepSchema.parse(JSON.parse(line))),
    peakMegabytes: peak.stop(),
  };
}

async function startReader(words: string[]): Promise<ChangesReader> {
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  return {
    async readChanges() {
      const answer = once(lines, 'line');
      child.stdin.write('\n');
      const [line] = await answer;
      await exited;
      return stepSchema.parse(JSON.parse(String(line)));
    },
  };
}
