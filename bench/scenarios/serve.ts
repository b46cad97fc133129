import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { atMost, type Figure, plain, round, type Scenario } from '../figure.ts';
import { PROGRAM } from '../program.ts';
import { UNLIMITED, withWorkplace } from '../with-workplace.ts';

const CONTACTS = 2_000;
const WEBHOOKS = 1_000;
const BURST_SECONDS = 10;
const HEALTH_EVERY_MS = 20;

/** The time (ms) in which the run after the burst must end. */
const AFTERWARDS_MS = 30_000;

export const serve: Scenario = {
  name: 'serve',
  title: `${WEBHOOKS} webhooks in ${BURST_SECONDS} s for an integration of ${CONTACTS} contacts`,
  measure: () => withWorkplace(CONTACTS, UNLIMITED, async ({ settings }) => measureBurst(settings)),
};

/**
 * Measures the figures of `serve` while two cores are busy. A process with the server's priority keeps each core busy
 * all the time.
 */
export const serveBusy: Scenario = {
  name: 'serve-busy',
  title: `${serve.title}, on two cores that are busy with other work`,
  measure: () =>
    withWorkplace(CONTACTS, UNLIMITED, async ({ settings }) => {
      const busy = BUSY_CORES.map((core) =>
        spawn('taskset', ['-c', core, process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
      );
      try {
        return await measureBurst(settings, ['taskset', '-c', BUSY_CORES.join()]);
      } finally {
        for (const each of busy) each.kill('SIGKILL');
      }
    }),
};

const BUSY_CORES = ['0', '1'];

const readySchema = z.object({ ready: z.literal(true), url: z.string() });
const addressSchema = z.looseObject({ url: z.string() });
const runsSchema = z.looseObject({ runs: z.array(z.looseObject({ status: z.string() })) });

/** Measures many webhooks in a short time. `bound` is a prefix for the command that starts the server. */
async function measureBurst(settings: string, bound: readonly string[] = []): Promise<Figure[]> {
  const { url: address } = addressSchema.parse(await ask(['hooks', 'create', 'bench'], settings));
  const [program = process.execPath, ...words] = [...bound, process.execPath, PROGRAM, 'serve'];
  const serving = spawn(program, [...words, '--port', '0', '--json', '--config', settings], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(serving, 'exit');
  try {
    const [line] = await once(createInterface(serving.stdout), 'line');
    const { url } = readySchema.parse(JSON.parse(String(line)));
    const burst = new AbortController();
    const health = watchHealth(`${url}/healthz`, burst.signal);
    const refused = await sendBurst(new URL(new URL(address).pathname, url));
    burst.abort();
    const waits = (await health).sort((a, b) => a - b);
    await sleep(AFTERWARDS_MS);
    const { runs } = runsSchema.parse(await ask(['runs'], settings));
    const done = runs.filter(({ status }) => status === 'succeeded');
    return [
      atMost('runs', runs.length, '', 2),
      atMost('runs that did not succeed', runs.length - done.length, '', 0),
      atMost('webhooks refused', refused, '', 0),
      plain('healthz, 50th percentile', round(waits[Math.floor(waits.length * 0.5)] ?? 0), 'ms'),
      atMost(
        'healthz, 99th percentile',
        round(waits[Math.floor(waits.length * 0.99)] ?? 0),
        'ms',
        50,
      ),
    ];
  } finally {
    serving.kill('SIGTERM');
    await exited;
  }
}

/** Sends the webhooks at regular intervals. Returns the number of webhooks that were not accepted. */
async function sendBurst(url: URL): Promise<number> {
  const startedAt = performance.now();
  const answers = Array.from({ length: WEBHOOKS }, async (_, at) => {
    const dueMs = (at * BURST_SECONDS * 1_000) / WEBHOOKS - (performance.now() - startedAt);
    await sleep(Math.max(0, dueMs));
    const { status } = await fetch(url, { method: 'POST' });
    return status;
  });
  return (await Promise.all(answers)).filter((status) => status !== 202).length;
}

async function watchHealth(url: string, until: AbortSignal): Promise<number[]> {
  const waits: number[] = [];
  while (!until.aborted) {
    const askedAt = performance.now();
    await (await fetch(url)).text();
    waits.push(performance.now() - askedAt);
    await sleep(HEALTH_EVERY_MS);
  }
  return waits;
}

/** Runs a command with `--json`, and returns the parsed output. */
async function ask(words: string[], settings: string): Promise<unknown> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--json', '--config', settings], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}
