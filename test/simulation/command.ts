/** What is simulated, for how long, and what is shown of it. */
import { parseArgs } from 'node:util';
import { bootStore } from './boot.ts';
import { type CoverageCounts, createCoverage } from './coverage.ts';
import { type NightResult, simulateNight } from './night.ts';
import { startRealPostgres } from './real-postgres.ts';
import { shrink } from './shrink.ts';
import type { SharedStore } from './store.ts';
import { type Swarm, swarmOf } from './swarm.ts';
import { realNowMs } from './takeover.ts';
import { simulateInWorkers } from './workers.ts';

const OPTIONS = {
  seed: { type: 'string' },
  minutes: { type: 'string' },
  nights: { type: 'string' },
  jobs: { type: 'string' },
  coverage: { type: 'boolean' },
  'keep-going': { type: 'boolean' },
  brief: { type: 'boolean' },
  postgres: { type: 'boolean' },
} as const;

export async function runCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const jobs = Number(values.jobs ?? 1);
  if (jobs > 1) {
    const passed = args.filter(
      (arg, at) => !isOf(args, at, 'jobs') && !isOf(args, at, 'seed') && arg,
    );
    process.exitCode = await simulateInWorkers(jobs, Number(values.seed ?? 1), passed);
    return;
  }
  const real = values.postgres ? await startRealPostgres() : null;
  try {
    await simulateHere(await bootStore(real), values);
  } finally {
    await real?.stop();
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

async function simulateHere(store: SharedStore, values: Values): Promise<void> {
  const counts = createCoverage();
  if (values.coverage) {
    counts.watchEvents();
    store.watchContacts(counts.moved);
  }
  const swarmAt = (seed: number): Swarm =>
    values.postgres ? { ...swarmOf(seed), store: 'server' } : swarmOf(seed);
  const first = Number(values.seed ?? 1);
  if (values.minutes === undefined && values.nights === undefined) {
    process.exitCode = (await replay(store, swarmAt(first), counts)) ? 0 : 1;
    return;
  }
  const until = realNowMs() + Number(values.minutes ?? 1e9) * 60_000;
  const last = first + Number(values.nights ?? 1e12);
  const began = realNowMs();
  const usedBefore = process.cpuUsage();
  let nights = 0;
  let [runs, credits, steps] = [0, 0, 0];
  const failed = new Map<string, number[]>();
  for (let seed = first; seed < last && realNowMs() < until; seed += 1) {
    const night = await simulateNight(store, swarmAt(seed), counts);
    nights += 1;
    runs += night.runs;
    credits += night.credits;
    steps += night.steps;
    const [violation] = night.violations;
    if (violation === undefined) continue;
    const key = `${violation.invariant}: ${violation.what.replace(/[a-z]+-\d{3}/g, 'ID').slice(0, 160)}`;
    failed.set(key, [...(failed.get(key) ?? []), seed]);
    if (values.brief) {
      print(`VIOLATED: ${violation.invariant}: ${violation.what.split('\n')[0]} (seed ${seed})`);
      break;
    }
    if (!values['keep-going']) {
      await replay(store, swarmAt(seed), counts);
      process.exitCode = 1;
      break;
    }
  }
  const seconds = (realNowMs() - began) / 1000;
  const { user, system } = process.cpuUsage(usedBefore);
  const perCore = (nights * 1e6) / (user + system);
  print(
    `${nights} nights in ${seconds.toFixed(1)} s: ${(nights / seconds).toFixed(1)} a second, ${perCore.toFixed(1)} a second of one core; ${runs} runs, ${credits} credits, ${steps} events`,
  );
  for (const [what, seeds] of failed)
    print(`${seeds.length} × ${what}\n    seeds ${seeds.slice(0, 8).join(', ')}`);
  if (values.coverage) print(counts.report());
  if (failed.size > 0) process.exitCode = 1;
}

/** True of an option with this name, and of the value after it. */
function isOf(args: readonly string[], at: number, name: string): boolean {
  const [arg = '', before] = [args[at], args[at - 1]];
  return arg === `--${name}` || arg.startsWith(`--${name}=`) || before === `--${name}`;
}

/** Tells the story of a night; of a failing one, that of the smallest that fails in the same way. */
async function replay(store: SharedStore, swarm: Swarm, counts: CoverageCounts): Promise<boolean> {
  const night = await simulateNight(store, swarm, counts);
  const smallest =
    night.violations.length === 0
      ? night
      : await shrink(night, (smaller) => simulateNight(store, smaller, counts));
  tell(smallest);
  return smallest.violations.length === 0;
}

function tell({ swarm, story, violations, hash }: NightResult): void {
  print(JSON.stringify(swarm));
  for (const line of story) print(line);
  for (const { invariant, what } of violations) print(`VIOLATED: ${invariant}: ${what}`);
  print(`trace ${hash}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
