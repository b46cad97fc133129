/** Determines which nights are simulated, how long the simulation runs, and what it prints. */
import { parseArgs } from 'node:util';
import { bootStore } from './boot.ts';
import { createCoverage, NO_COVERAGE } from './coverage.ts';
import { startRealPostgres } from './database/real-postgres.ts';
import type { SharedStore } from './database/store.ts';
import { type NightResult, simulateNight } from './night.ts';
import type { Coverage } from './people/people.ts';
import { createRandom } from './random.ts';
import { swarmOf } from './swarm/draw.ts';
import { changeIds, eraseInList, replaceKeys, tellApartInList } from './swarm/list-nights.ts';
import { runAnOrg } from './swarm/org-nights.ts';
import { withPersons } from './swarm/people-nights.ts';
import { onServer } from './swarm/process-nights.ts';
import { restoreBackups } from './swarm/restore-nights.ts';
import { shrink } from './swarm/shrink.ts';
import type { Swarm } from './swarm/swarm.ts';
import { realNowMs } from './takeover.ts';
import { type Progress, type Sum, simulateInWorkers } from './workers.ts';

const OPTIONS = {
  help: { type: 'boolean' },
  seed: { type: 'string' },
  minutes: { type: 'string' },
  nights: { type: 'string' },
  jobs: { type: 'string' },
  coverage: { type: 'boolean' },
  'keep-going': { type: 'boolean' },
  brief: { type: 'boolean' },
  postgres: { type: 'boolean' },
  serve: { type: 'boolean' },
  persons: { type: 'boolean' },
  lists: { type: 'boolean' },
  keys: { type: 'boolean' },
  orgs: { type: 'boolean' },
  restores: { type: 'boolean' },
  traces: { type: 'boolean' },
} as const;

/** The meaning of each command option. A test compares this text with the options that the command accepts. */
const USAGE = `Simulates nights in which hosts sync clients while things go wrong.

node test/simulation/main.ts [options]

  --seed N       the first seed (default: 1); alone, prints this night as a timeline
  --nights N     how many nights to simulate, each with the next seed
  --minutes N    how long to simulate nights
  --jobs N       how many processes share the nights (default: 1)
  --keep-going   does not stop at the first night that fails
  --brief        prints only the first violation, and nothing about progress
  --traces       prints a fingerprint of each night
  --coverage     counts what the nights have reached
  --postgres     uses a real Postgres instead of SQLite
  --serve        makes all nights about hosts that serve
  --persons      makes all nights about the identity of records and about refusals of a CRM
  --lists        makes all nights about lists whose IDs change
  --keys         makes all nights about service keys that are replaced
  --orgs         makes all nights about an organization's settings and the marks in its CRM
  --restores     makes all nights about backups that are restored
  --help         prints this text
`;

export async function runCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const jobs = Number(values.jobs ?? 1);
  if (jobs > 1) {
    const passed = args.filter(
      (_, at) => !['jobs', 'seed', 'nights'].some((name) => isOf(args, at, name)),
    );
    const nights = values.nights === undefined ? null : Number(values.nights);
    const first = Number(values.seed ?? 1);
    const { exitCode, sum, notSimulated } = await simulateInWorkers(jobs, first, nights, passed);
    print(`All: ${inWords(sum)}`);
    for (const { from, to, why } of notSimulated) {
      const seeds = to === null ? `${from} and those after it` : `${from} to ${to}`;
      print(`FAILED: seeds ${seeds} were not simulated: their process has gone (${why})`);
    }
    process.exitCode = exitCode;
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
  const watched = values.coverage ? createCoverage() : null;
  const counts: Coverage = watched ?? NO_COVERAGE;
  if (watched !== null) {
    watched.watchEvents();
    store.watchContacts(watched.moved);
  }
  const swarmAt = (seed: number): Swarm => nightOf(seed, values);
  const first = Number(values.seed ?? 1);
  if (values.minutes === undefined && values.nights === undefined) {
    process.exitCode = (await replay(store, swarmAt(first), counts)) ? 0 : 1;
    return;
  }
  const began = realNowMs();
  const until = began + Number(values.minutes ?? 1e9) * 60_000;
  const last = first + Number(values.nights ?? 1e12);
  const usedBefore = process.cpuUsage();
  const sum: Sum = { nights: 0, runs: 0, credits: 0, failed: 0, seconds: 0 };
  let steps = 0;
  let nextWord = began + WORD_EVERY_MS;
  const failed = new Map<string, number[]>();
  for (let seed = first; seed < last && realNowMs() < until; seed += 1) {
    const night = await simulateNight(store, swarmAt(seed), counts);
    sum.nights += 1;
    sum.runs += night.runs;
    sum.credits += night.credits;
    sum.seconds = (realNowMs() - began) / 1000;
    steps += night.steps;
    if (values.traces) print(`trace of seed ${seed}: ${night.hash}`);
    const [violation] = night.violations;
    if (violation !== undefined) sum.failed += 1;
    tellParent({ ...sum, next: seed + 1, isOver: false });
    if (!values.brief && realNowMs() > nextWord) {
      print(`${inWords(sum)}; seeds ${first} to ${seed} so far`);
      nextWord += WORD_EVERY_MS;
    }
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
    // The seed is printed immediately, because the search for a smaller failing night can take long.
    print(`seed ${seed} fails`);
    tell(night);
  }
  const { user, system } = process.cpuUsage(usedBefore);
  const perSecond = (sum.nights / sum.seconds).toFixed(1);
  const perCore = ((sum.nights * 1e6) / (user + system)).toFixed(1);
  print(
    `${inWords(sum)}; seeds ${first} to ${first + sum.nights - 1}: ${perSecond} a second, ${perCore} a second of one core, ${steps} events`,
  );
  for (const [what, seeds] of failed)
    print(`${seeds.length} × ${what}\n    seeds ${seeds.slice(0, 8).join(', ')}`);
  if (watched !== null) print(watched.report());
  if (failed.size > 0) process.exitCode = 1;
  tellParent({ ...sum, next: first + sum.nights, isOver: true });
}

/** Reports a worker's progress to its parent. */
function tellParent(progress: Progress): void {
  process.send?.(progress);
}

/** The interval at which a long simulation prints its progress. */
const WORD_EVERY_MS = 5 * 60_000;

function inWords({ nights, runs, credits, failed, seconds }: Sum): string {
  return `${nights} nights in ${seconds.toFixed(1)} s, ${runs} runs, ${credits} credits, ${failed} failed`;
}

/** Returns true for an option with this name, and for the value after it. */
function isOf(args: readonly string[], at: number, name: string): boolean {
  const [arg = '', before] = [args[at], args[at - 1]];
  return arg === `--${name}` || arg.startsWith(`--${name}=`) || before === `--${name}`;
}

/**
 * Prints a simulated night as a timeline. If the night fails, prints the smallest simulated night that fails in the
 * same way.
 */
async function replay(store: SharedStore, swarm: Swarm, counts: Coverage): Promise<boolean> {
  const night = await simulateNight(store, swarm, counts);
  const smallest =
    night.violations.length === 0
      ? night
      : await shrink(night, (smaller) => simulateNight(store, smaller, counts));
  tell(smallest);
  return smallest.violations.length === 0;
}

function tell({ swarm, story, violations, hash }: NightResult): void {
  const violated = violations.map(({ invariant, what }) => `VIOLATED: ${invariant}: ${what}`);
  // All lines are printed in one write, because other processes may print at the same time.
  print([JSON.stringify(swarm), ...story, ...violated, `trace ${hash}`].join('\n'));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function nightOf(
  seed: number,
  {
    postgres = false,
    serve = false,
    persons = false,
    lists = false,
    keys = false,
    orgs = false,
    restores = false,
  }: Values,
): Swarm {
  if (orgs) return runAnOrg(swarmOf(seed), createRandom(`swarm ${seed} with orgs`));
  if (restores) {
    const swarm = swarmOf(seed);
    restoreBackups(swarm, createRandom(`swarm ${seed} with restores`));
    return postgres ? onServer(swarm) : swarm;
  }
  const drawn = swarmOf(seed, serve);
  const swarm = persons ? withPersons(drawn) : drawn;
  const isPossible = swarm.beside.serve === 0;
  if (lists && isPossible) {
    changeIds(swarm, createRandom(`swarm ${seed} with lists`));
    const erasures = createRandom(`swarm ${seed} with erasures in lists`);
    if (erasures.chance(0.2)) eraseInList(swarm, erasures);
    const suspects = createRandom(`swarm ${seed} with suspects in lists`);
    if (suspects.chance(0.2)) tellApartInList(swarm, suspects);
  }
  if (keys && isPossible) replaceKeys(swarm, createRandom(`swarm ${seed} with keys`));
  return postgres ? onServer(swarm) : swarm;
}
