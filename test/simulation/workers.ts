/** Several processes that simulate different seeds at the same time. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** What was simulated. */
export interface Sum {
  nights: number;
  runs: number;
  credits: number;
  failed: number;
  seconds: number;
}

/**
 * Each of them begins at a seed of its own: one after the other where the number of nights is known, far apart
 * otherwise. Resolves with the worst exit code and what all of them did.
 */
export async function simulateInWorkers(
  jobs: number,
  firstSeed: number,
  nights: number | null,
  args: readonly string[],
): Promise<{ exitCode: number; sum: Sum }> {
  const each = nights === null ? SEEDS_OF_A_WORKER : Math.ceil(nights / jobs);
  const sum: Sum = { nights: 0, runs: 0, credits: 0, failed: 0, seconds: 0 };
  const codes = await Promise.all(
    Array.from({ length: jobs }, (_, index) => {
      const seed = String(firstSeed + index * each);
      const share = nights === null ? [] : ['--nights', String(each)];
      return simulateInWorker([...args, ...share, '--seed', seed], sum);
    }),
  );
  return { exitCode: Math.max(...codes), sum };
}

/** More than a worker can simulate in a week. */
const SEEDS_OF_A_WORKER = 100_000_000;

function simulateInWorker(args: readonly string[], sum: Sum): Promise<number> {
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', 'inherit', 'inherit', 'ipc'] as const;
    // With the memory that this process was given (`npm run simulate`).
    const command = [...process.execArgv, MAIN, ...args];
    const worker = spawn(process.execPath, command, { stdio: [...stdio] });
    worker.on('message', (message) => {
      sum.seconds = Math.max(sum.seconds, Number(Reflect.get(Object(message), 'seconds')));
      for (const name of ['nights', 'runs', 'credits', 'failed'] as const) {
        sum[name] += Number(Reflect.get(Object(message), name));
      }
    });
    worker.on('error', reject);
    worker.on('exit', (code) => resolve(code ?? 1));
  });
}
