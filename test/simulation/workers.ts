/** Simulates different seeds in several processes at the same time. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** The totals of all simulated nights. */
export interface Sum {
  nights: number;
  runs: number;
  credits: number;
  failed: number;
  seconds: number;
}

/** The progress of a worker, reported after each night. */
export interface Progress extends Sum {
  /** The seed that is simulated next. */
  next: number;
  /** True if the worker has finished its work. */
  isOver: boolean;
}

/** Seeds that no worker finished, because its process ended too early. */
export interface NotSimulated {
  from: number;
  /** The last seed. Null if the worker continues until its time has passed. */
  to: number | null;
  /** The signal or the exit code with which the process ended. */
  why: string;
}

export interface Worked {
  exitCode: number;
  sum: Sum;
  notSimulated: readonly NotSimulated[];
}

/**
 * Starts several workers with different seeds. The ranges of seeds are adjacent if the number of nights is known, and
 * far apart otherwise. Returns the worst exit code and the totals of all workers. A worker that ended early counts as
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

/** A worker cannot simulate this number of seeds in a week. */
const SEEDS_OF_A_WORKER = 100_000_000;

function simulateInWorker(
  program: string,
  args: readonly string[],
  { from, to }: Pick<NotSimulated, 'from' | 'to'>,
): Promise<Worked> {
  return new Promise((resolve, reject) => {
    const stdio = ['inherit', 'inherit', 'inherit', 'ipc'] as const;
    // Gives each worker the memory limit of the parent process (`npm run simulate`).
    const command = [...process.execArgv, program, ...args];
    const worker = spawn(process.execPath, command, { stdio: [...stdio] });
    let progress: Progress = { ...NOTHING, next: from, isOver: false };
    worker.on('message', (message) => {
      progress = Object.assign(progress, message);
    });
    worker.on('error', reject);
    // When this event is emitted, all output of the worker has been received.
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

/** Adds the totals of two workers. The result keeps one duration, because workers run at the same time. */
function added(one: Sum, other: Sum): Sum {
  return {
    nights: one.nights + other.nights,
    runs: one.runs + other.runs,
    credits: one.credits + other.credits,
    failed: one.failed + other.failed,
    seconds: Math.max(one.seconds, other.seconds),
  };
}
