import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { ConfigurationError, messageOf } from '../../../../core/errors.ts';

/** One of the commands below `sandbox`. */
export interface StandIn<Flags> {
  kind: 'partner' | 'salesforce' | 'hubspot';
  description: string;
  /** Printed below the help. */
  examples: string;
  addOptions(command: Command): Command;
  /** Reads the options. */
  flagsSchema: z.ZodType<Flags>;
  /** Starts the sandbox; files are named from the folder `cwd`. */
  start(flags: Flags, cwd: string): Promise<Serving>;
}

/** A sandbox that is serving, and what its one line on stdout says. */
export interface Serving {
  line: Readonly<Record<string, string | number>>;
  close(): Promise<void>;
}

/** The most donors or contacts a world can have. */
const MAX_PEOPLE = 1_000_000_000;

const MAX_PORT = 65_535;

/** Longer than anybody lets one request wait: ten minutes. */
const MAX_LATENCY_MS = 600_000;

/** Longer than anybody waits for a job in a sandbox: one day. */
const MAX_JOB_TIME_MS = 86_400_000;

/** Reads any number of things, none included. */
export const readCount = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** Reads for how long something waits, in milliseconds. */
export const readLatency = wholeNumber(0, MAX_LATENCY_MS);

/** Reads which part of the requests takes how much longer. */
function readTail(text: string): { probability: number; delayMs: number } {
  const [, part, ms] = /^([\d.]+):([^:]+)$/.exec(text) ?? [];
  const probability = Number(part);
  if (part === undefined || ms === undefined || !(probability >= 0 && probability <= 1)) {
    throw new InvalidArgumentError(
      'Expected a part from 0 to 1, a colon and milliseconds, for example 0.01:3000.',
    );
  }
  return { probability, delayMs: readLatency(ms) };
}

/** Reads how long a job takes, in milliseconds. */
export const readJobTime = wholeNumber(0, MAX_JOB_TIME_MS);

const readPeople = wholeNumber(0, MAX_PEOPLE);

/** The parsed options that all sandboxes share. `faults` is a file path; the others are passed to the sandbox. */
export const commonFlags = {
  port: z.number(),
  seed: z.number().exactOptional(),
  donors: z.number().exactOptional(),
  contacts: z.number().exactOptional(),
  db: z.string().exactOptional(),
  faults: z.string().exactOptional(),
  latency: z.number().exactOptional(),
  jitter: z.number().exactOptional(),
  latencyTail: z.object({ probability: z.number(), delayMs: z.number() }).exactOptional(),
};

interface LatencyFlags {
  latency?: number;
  jitter?: number;
}

/** The flags with the times of `addLatencyOptions` named as the sandboxes name them. */
export function toSandboxOptions<Flags extends LatencyFlags>({ latency, jitter, ...flags }: Flags) {
  return {
    ...flags,
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(jitter === undefined ? {} : { jitterMs: jitter }),
  };
}

/** Adds the options of every sandbox but those of `addNetworkOptions`, which come at the end (design, section 4.4). */
export function addCommonOptions(command: Command, contactsDefault: string): Command {
  const anyNumber = wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return command
    .option('--port <n>', 'the port on 127.0.0.1; 0 takes a free one', wholeNumber(0, MAX_PORT), 0)
    .option('--seed <n>', 'another seed, other people (default: 1)', anyNumber)
    .option('--donors <n>', 'how many people the service knows (default: 10000)', readPeople)
    .option(
      '--contacts <n>',
      `how many people the contact list has (default: ${contactsDefault})`,
      readPeople,
    )
    .option('--db <file>', 'keep the state in this file (default: nothing is kept)');
}

/** Adds how far away the sandbox seems, and `--faults`. */
export function addNetworkOptions(command: Command): Command {
  return command
    .option(
      '--latency <ms>',
      'every request takes so long on its way and back, in milliseconds (default: 0)',
      readLatency,
    )
    .option('--jitter <ms>', 'at most so much is added to it by chance (default: 0)', readLatency)
    .option(
      '--latency-tail <p:ms>',
      'such a part of the requests, from 0 to 1, takes so much longer, as in 0.01:3000',
      readTail,
    )
    .option('--faults <file>', 'a JSON file with rules for what shall go wrong');
}

/** Reads a whole number between the two, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    const isWhole = /^-?\d+$/.test(text) && number >= least && number <= most;
    if (isWhole) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/**
 * The content of a JSON file with fault rules, not checked yet: the sandbox knows its rules. Without
 * a file there are none. A ConfigurationError that names the file if it cannot be read.
 */
export async function readFaultFile(path: string | undefined, cwd: string): Promise<unknown> {
  if (path === undefined) return [];
  try {
    return JSON.parse(await readFile(resolve(cwd, path), 'utf8'));
  } catch (error) {
    throw new ConfigurationError(`The fault file ${path} cannot be read: ${messageOf(error)}`, {
      code: 'faults_unreadable',
      cause: error,
      details: { path },
    });
  }
}
