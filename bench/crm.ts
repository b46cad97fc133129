/** The connector of a CRM alone, against the CRM's stand-in over loopback. */
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
  /** Of changes: whose, in the order in which they came. */
  ids: z.array(z.string()).default([]),
  seconds: z.number(),
  calls: z.number().default(0),
  throttled: z.number().default(0),
  /** Of the processor, user and system. */
  cpuMs: z.number(),
  /** Of the processor, user alone. */
  userMs: z.number(),
  /** The most that was resident while it went on. */
  peakMegabytes: z.number().nullable(),
});

export type ConnectorStep = z.infer<typeof stepSchema>;

/** What one process of the connector did, and the most memory it held, in megabytes. */
export interface ConnectorMeasurement {
  steps: ConnectorStep[];
  peakMegabytes: number | null;
}

/** The kinds of CRM that have a stand-in. */
export type CrmKind = 'salesforce' | 'hubspot';

/** A stand-in that serves. */
export interface Crm {
  baseUrl: string;
  token: string;
  /**
   * Measures the connector alone; `settings` are more of those of `crm`, `folder` is the one of another version of
   * the program.
   */
  measure(
    what: 'read' | 'write',
    settings?: CrmSettings,
    folder?: string,
  ): Promise<ConnectorMeasurement>;
  /** The vendor's own client (or the one that everybody takes) does the same writing; `way` as it names its ways. */
  measureOfficial(way: 'rows' | 'bulk'): Promise<ConnectorMeasurement>;
  /** Has the connector read everything; resolves when it could read what has changed since. */
  startReader(settings: CrmSettings): Promise<ChangesReader>;
}

/** A connector that has read everything. */
export interface ChangesReader {
  /** To be called once: then the connector ends. */
  readChanges(): Promise<ConnectorStep>;
}

/** Settings of `crm` besides its kind, its address and how to sign in. */
export type CrmSettings = Readonly<Record<string, number | string>>;

/** Only the connector is measured: its neighbour may take the memory that makes it quick. */
const ROOMY = ['--min-semi-space-size=16'];

/** A CRM with so many contacts; `flags` are those of `donor-sync sandbox`. */
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
