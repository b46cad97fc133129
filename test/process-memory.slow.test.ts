import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const MEMORY = pathToFileURL(join(import.meta.dirname, '../src/process-memory.ts')).href;

/** A program that starts like ours, and then prints information about itself. */
const PROGRAM = `
import { text } from 'node:stream/consumers';
import { keepMemoryFlat } from '${MEMORY}';
keepMemoryFlat(process);
const facts = {
  processId: process.pid,
  words: process.argv.slice(2),
  flags: process.execArgv,
  trimThreshold: process.env.MALLOC_TRIM_THRESHOLD_ ?? null,
  topPad: process.env.MALLOC_TOP_PAD_ ?? null,
  arenas: process.env.MALLOC_ARENA_MAX ?? null,
};
if (process.send) process.send(facts, () => process.disconnect());
else process.stdout.write(JSON.stringify({ ...facts, input: await text(process.stdin) }));
`;

const factsSchema = z.object({
  processId: z.number(),
  words: z.array(z.string()),
  flags: z.array(z.string()),
  trimThreshold: z.string().nullable(),
  topPad: z.string().nullable(),
  arenas: z.string().nullable(),
  input: z.string().optional(),
});

describe('a process that keeps its memory flat', () => {
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-memory-'));
    program = join(folder, 'program.mjs');
    await writeFile(program, PROGRAM);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('goes on under the same process id, with the same words and streams', async () => {
    const { processId, facts } = await run({ words: ['two words', '--help', ''], input: 'a line' });
    expect(facts.processId).toBe(processId);
    expect(facts.words).toEqual(['two words', '--help', '']);
    expect(facts.input).toBe('a line');
  });

  it('bounds the young generation, starts the old one at 48 MB, and has freed memory given back', async () => {
    const { facts } = await run({});
    expect(facts.flags).toContain('--max-semi-space-size=8');
    expect(facts.flags).toContain('--initial-old-space-size=48');
    expect(facts.trimThreshold).toBe('1048576');
    expect(facts.topPad).toBe('524288');
    expect(facts.arenas).toBe('1');
  });

  it('says nothing about it', async () => {
    const { complaints } = await run({});
    expect(complaints).toBe('');
  });

  it('leaves the last word to flags and variables that a user has set', async () => {
    const { facts } = await run({
      flags: ['--max-semi-space-size=32'],
      env: {
        MALLOC_TRIM_THRESHOLD_: '65536',
        MALLOC_TOP_PAD_: '65536',
        MALLOC_ARENA_MAX: '4',
      },
    });
    expect(facts.flags.at(-1)).toBe('--max-semi-space-size=32');
    expect(facts.trimThreshold).toBe('65536');
    expect(facts.topPad).toBe('65536');
    expect(facts.arenas).toBe('4');
  });

  it('stays as it is when its parent talks to it over the channel of Node', async () => {
    const child = fork(program, []);
    const [message] = await once(child, 'message');
    const facts = factsSchema.parse(message);
    expect(facts.processId).toBe(child.pid);
    expect(facts.flags).not.toContain('--max-semi-space-size=8');
  });

  interface Start {
    words?: readonly string[];
    flags?: readonly string[];
    env?: Record<string, string>;
    input?: string;
  }

  async function run({ words = [], flags = [], env = {}, input = '' }: Start) {
    const {
      MALLOC_TRIM_THRESHOLD_: _,
      MALLOC_TOP_PAD_: __,
      MALLOC_ARENA_MAX: ___,
      ...rest
    } = process.env;
    const child = spawn(process.execPath, [...flags, program, ...words], {
      env: { ...rest, ...env },
    });
    child.stdin.end(input);
    const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { processId: child.pid, complaints, facts: factsSchema.parse(JSON.parse(output)) };
  }
});
