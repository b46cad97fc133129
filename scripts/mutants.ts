/**
 * Adds deliberate defects to the product, one at a time, and checks that the simulation finds each defect. If the
 * simulation does not find a defect, no other test would find it. Each defect is a patch in `test/simulation/mutants`.
 * The script applies the patch to a copy of the sources outside the checkout. The exit code is 0 if enough defects were
 * found.
 *
 * Run `node scripts/mutants.ts [--minutes 10] [--jobs 2] [--only 07,12] [--seed 1] [--erasure]`.
 *
 * `--minutes` is the time for each defect. `--erasure` uses the patches of `test/erasure-simulation`.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withDefect } from './defective-copy.ts';

const CHECKOUT = join(import.meta.dirname, '..');

/** The files that the simulation loads. */
const SOURCES = [
  ...['src', 'connectors', 'migrations', 'people', 'test/simulation', 'package.json'],
  ...['test/erasure-simulation', 'config'],
  // The files that start a real Postgres.
  ...['test/helpers', 'testbed'],
];

/** The maximum number of defects that the simulation may miss. */
const MOST_SURVIVORS = 0;

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

interface Verdict {
  name: string;
  /** The violated promise that the simulation found, or null. */
  violation: string | null;
  nights: string;
  seconds: string;
}

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    jobs: { type: 'string', default: '2' },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    erasure: { type: 'boolean', default: false },
  },
});

/** The simulation that looks for the defects, and the folder with the patches. */
const SIMULATION = flags.erasure ? 'test/erasure-simulation' : 'test/simulation';
const PATCHES = join(CHECKOUT, SIMULATION, 'mutants');

const wanted = flags.only?.split(',');
const patches = (await readdir(PATCHES))
  .filter((name) => wanted === undefined || wanted.some((start) => name.startsWith(start)))
  .sort();
const waiting = [...patches];
const verdicts: Verdict[] = [];
await Promise.all(Array.from({ length: Number(flags.jobs) }, work));

const survivors = verdicts.filter(({ violation }) => violation === null);
say(`${verdicts.length - survivors.length} of ${verdicts.length} defects are caught.`);
for (const { name } of survivors) say(`Not caught: ${name}: ${await wordsOf(name)}`);
process.exitCode = survivors.length > MOST_SURVIVORS ? 1 : 0;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const verdict = await hunt(name);
    verdicts.push(verdict);
    const { nights, seconds, violation } = verdict;
    say(`| ${name.replace('.patch', '')} | ${nights} | ${seconds} | ${violation ?? '—'} |`);
  }
}

/** Simulates nights with one defect until a night fails or the time limit is reached. */
async function hunt(name: string): Promise<Verdict> {
  const output = await withDefect(join(PATCHES, name), SOURCES, simulate);
  const [, nights = '?', seconds = '?'] =
    /(\d+) (?:nights|histories) in ([\d.]+) s/.exec(output) ?? [];
  const violation = /^VIOLATED: (.*)$/m.exec(output)?.[1] ?? null;
  // If the program does not start with a defect, the simulation cannot find the defect.
  if (nights === '?') throw new Error(`${name} does not run:\n${output.slice(-2_000)}`);
  return { name, violation, nights, seconds };
}

function simulate(folder: string): Promise<string> {
  const { minutes, seed } = flags;
  const args = [`${SIMULATION}/main.ts`, '--minutes', minutes, '--seed', seed, '--brief'];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES },
      (_, stdout, stderr) => resolve(stdout + stderr),
    );
  });
}

/** Returns the first line of a patch, which names the broken promise. */
async function wordsOf(name: string): Promise<string> {
  const [words = ''] = (await readFile(join(PATCHES, name), 'utf8')).split('\n');
  return words;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
