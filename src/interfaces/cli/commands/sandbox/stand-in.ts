import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { ConfigurationError, messageOf } from '../../../../core/errors.ts';

/** A subcommand of `sandbox`. */
export interface StandIn<Flags> {
  kind: string;
  description: string;
  /** The text below the help. */
  examples: string;
  addOptions(command: Command): Command;
  flagsSchema: z.ZodType<Flags>;
  /** Starts the sandbox. Relative paths start at the folder `cwd`. */
  start(flags: Flags, cwd: string): Promise<Serving>;
}

/** A running sandbox, and the data for its line on stdout. */
export interface Serving {
  line: Readonly<Record<string, string | number>>;
  close(): Promise<void>;
}

/** The maximum number of donors or contacts in a world. */
const MAX_PEOPLE = 1_000_000_000;

const MAX_PORT = 65_535;

/** The maximum delay. No request has to wait longer than ten minutes. */
const MAX_LATENCY_MS = 600_000;

/** One day. */
const MAX_JOB_TIME_MS = 86_400_000;

export const readCount = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** Reads a delay in milliseconds. */
export const readLatency = wholeNumber(0, MAX_LATENCY_MS);

function readTail(text: string): { probability: number; delayMs: number } {
  const [, part, ms] = /^([\d.]+):([^:]+)$/.exec(text) ?? [];
  const probability = Number(part);
  if (part === undefined || ms === undefined || !(probability >= 0 && probability <= 1)) {
    throw new InvalidArgumentError(
      'Expected a share from 0 to 1, a colon and milliseconds, for example 0.01:3000.',
    );
  }
  return { probability, delayMs: readLatency(ms) };
}

export const readJobTime = wholeNumber(0, MAX_JOB_TIME_MS);

const readPeople = wholeNumber(0, MAX_PEOPLE);

/**
 * The options that all sandboxes share. `faults` is the path of a file. The other options are passed to the sandbox.
 */
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

/** Converts the options into the names that the sandboxes use. */
export function toSandboxOptions<Flags extends LatencyFlags>({ latency, jitter, ...flags }: Flags) {
  return {
    ...flags,
    ...(latency === undefined ? {} : { latencyMs: latency }),
    ...(jitter === undefined ? {} : { jitterMs: jitter }),
  };
}

/** Adds the shared options. `addNetworkOptions` comes last (design, section 4.4). */
export function addCommonOptions(command: Command, contactsDefault: string): Command {
  const anyNumber = wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return command
    .option('--port <n>', 'the port on 127.0.0.1; 0 uses a free one', wholeNumber(0, MAX_PORT), 0)
    .option('--seed <n>', 'the seed; another seed creates other people (default: 1)', anyNumber)
    .option('--donors <n>', 'how many people the service knows (default: 10000)', readPeople)
    .option(
      '--contacts <n>',
      `how many people the contact list has (default: ${contactsDefault})`,
      readPeople,
    )
    .option('--db <file>', 'store the state in this file (default: nothing is stored)');
}

/** Adds the options for network delays, and `--faults`. */
export function addNetworkOptions(command: Command): Command {
  return command
    .option(
      '--latency <ms>',
      'the round-trip time of every request, in milliseconds (default: 0)',
      readLatency,
    )
    .option('--jitter <ms>', 'the highest random addition to the delay (default: 0)', readLatency)
    .option(
      '--latency-tail <p:ms>',
      'a share of requests, from 0 to 1, that takes this much longer, as in 0.01:3000',
      readTail,
    )
    .option('--faults <file>', 'a JSON file with rules for faults');
}

/** Reads a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    const isWhole = /^-?\d+$/.test(text) && number >= least && number <= most;
    if (isWhole) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/**
 * Reads a JSON file with fault rules, which the sandbox checks. If no file is named, the sandbox has no fault rules.
 * Throws a ConfigurationError with the file's name.
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
