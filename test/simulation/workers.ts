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

/** How far a worker has come; it says so after each night. */
export interface Progress extends Sum {
  /** The seed that comes next. */
  next: number;
  /** True once nothing comes any more. */
  isOver: boolean;
}

/** Seeds that no worker has come to the end of: its process has gone before. */
export interface NotSimulated {
  from: number;
  /** Null if the worker would have gone on until its time was over. */
  to: number | null;
  /** A signal, or an exit code. */
  why: string;
}

export interface Worked {
  exitCode: number;
  sum: Sum;
  notSimulated: readonly NotSimulated[];
}

/**
 * Each of them begins at a seed of its own: one after the other where the number of nights is known, far apart
 * otherwise. Resolves with the worst exit code and what all of them did; one that has gone before its end counts as
 * failed.
 */
export async function simulateInWorkers(
  jobs: number,
  firstSeed: number,
  nights: number | null,
  args: readonly string[],
  program = MAIN,
): Promise<Worked> {
  const each = nights === null ? SEEDS_OF_A_WORKER : Math.ceil(nights / jobs);
  const workers = await Promise.all(
    Array.from({ length: jobs }, (_, index) => {
      const from = firstSeed + index * each;
      const share = nights === null ? [] : ['--nights', String(each)];
      const to = nights === null ? null : from + each - 1;
      return simulateInWorker(program, [...args, ...share, '--seed', String(from)], { from, to });
    }),
  );
  return {
    exitCode: Math.max(...workers.map(({ exitCode }) => exitCode)),
    sum: workers.map(({ sum }) => sum).reduce(added),
    notSimulated: workers.flatMap(({ notSimulated }) => notSimulated),
  };
}

/** More than a worker can simulate in a week. */
const SEEDS_OF_A_WORKER = 100_000_000;

function simulateInWorker(
  program: string,
  args: readonly string[],
  { from, to }: Pick<NotSimulated, 'from' | 'to'>,
): Promise<Worked> {
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', 'inherit', 'inherit', 'ipc'] as const;
    // With the memory that this process was given (`npm run simulate`).
    const command = [...process.execArgv, program, ...args];
    const worker = spawn(process.execPath, command, { stdio: [...stdio] });
    let progress: Progress = { ...NOTHING, next: from, isOver: false };
    worker.on('message', (message) => {
      progress = Object.assign(progress, message);
    });
    worker.on('error', reject);
    // All that it has said is here by then.
    worker.on('close', (code, signal) => {
      const { next, isOver, ...sum } = progress;
      const exitCode = code ?? 1;
      if (isOver) {
        resolve({ exitCode, sum, notSimulated: [] });
        return;
      }
      const notSimulated = [{ from: next, to, why: signal ?? `exit code ${exitCode}` }];
      const failed = { ...sum, failed: sum.failed + 1 };
      resolve({ exitCode: Math.max(1, exitCode), sum: failed, notSimulated });
    });
  });
}

const NOTHING: Sum = { nights: 0, runs: 0, credits: 0, failed: 0, seconds: 0 };

/** They work at the same time. */
function added(one: Sum, other: Sum): Sum {
  return {
    nights: one.nights + other.nights,
    runs: one.runs + other.runs,
    credits: one.credits + other.credits,
    failed: one.failed + other.failed,
    seconds: Math.max(one.seconds, other.seconds),
  };
}
