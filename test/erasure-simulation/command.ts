/** Determines which histories are simulated and what the command prints. */
import { parseArgs } from 'node:util';
import { bootStore } from '../simulation/boot.ts';
import { startRealPostgres } from '../simulation/database/real-postgres.ts';
import type { SharedStore } from '../simulation/database/store.ts';
import { realNowMs } from '../simulation/takeover.ts';
import { type HistoryResult, playHistory } from './history.ts';
import { historyOf } from './plan.ts';
import { shrink } from './shrink.ts';

const OPTIONS = {
  seed: { type: 'string' },
  histories: { type: 'string' },
  minutes: { type: 'string' },
  'keep-going': { type: 'boolean' },
  brief: { type: 'boolean' },
  postgres: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

export async function runCommand(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const real = values.postgres ? await startRealPostgres() : null;
  try {
    await simulate(await bootStore(real), values);
  } finally {
    await real?.stop();
  }
}

async function simulate(store: SharedStore, values: Values): Promise<void> {
  const first = Number(values.seed ?? 1);
  if (values.histories === undefined && values.minutes === undefined) {
    process.exitCode = (await replay(store, first)) ? 0 : 1;
    return;
  }
  const began = realNowMs();
  const usedBefore = process.cpuUsage();
  const until = began + Number(values.minutes ?? 1e9) * 60_000;
  const last = first + Number(values.histories ?? 1e12);
  const failed = new Map<string, number[]>();
  const events = new Map<string, number>();
  let [histories, erased] = [0, 0];
  for (let seed = first; seed < last && realNowMs() < until; seed += 1) {
    const played = await playHistory(store, historyOf(seed));
    histories += 1;
    if (values['keep-going'] && histories % 500 === 0) print(`${histories} histories`);
    erased += played.erased;
    for (const [what, times] of played.events) events.set(what, (events.get(what) ?? 0) + times);
    const [violation] = played.violations;
    if (violation === undefined) continue;
    const key =
      violation
        .split('\n')[0]
        ?.replace(/(contact|double)-\d+/g, 'ID')
        .slice(0, 120) ?? '';
    failed.set(key, [...(failed.get(key) ?? []), seed]);
    if (values['keep-going']) print(`seed ${seed}: ${violation.split('\n')[0]}`);
    if (values.brief) {
      print(`VIOLATED: ${violation.split('\n')[0]} (seed ${seed})`);
      break;
    }
    if (values['keep-going']) continue;
    await replay(store, seed);
    break;
  }
  const seconds = (realNowMs() - began) / 1000;
  const { user, system } = process.cpuUsage(usedBefore);
  const perCore = ((histories * 1e6) / (user + system)).toFixed(1);
  const count = [...failed.values()].flat().length;
  print(
    `${histories} histories in ${seconds.toFixed(1)} s, ${erased} erasures, ${count} failed; seeds ${first} to ${first + histories - 1}, ${perCore} a second of one core`,
  );
  if (values['keep-going']) {
    const counted = [...events].toSorted(([one], [other]) => one.localeCompare(other));
    print(counted.map(([what, times]) => `${what} ${times}`).join(', '));
  }
  for (const [what, seeds] of failed) {
    print(`${seeds.length} × ${what}\n    seeds ${seeds.slice(0, 8).join(', ')}`);
  }
  if (failed.size > 0) process.exitCode = 1;
}

/**
 * Prints a simulated history as a timeline. If the history fails, prints the smallest history that fails in the same
 * way.
 */
async function replay(store: SharedStore, seed: number): Promise<boolean> {
  const played = await playHistory(store, historyOf(seed));
  const smallest = played.violations.length === 0 ? played : await shrink(store, played);
  tell(smallest);
  return smallest.violations.length === 0;
}

function tell({ history, story }: HistoryResult): void {
  const { steps: _, ...rest } = history;
  print([JSON.stringify(rest), ...story].join('\n'));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
