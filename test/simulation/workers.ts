/** Several processes that simulate different seeds at the same time. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Each of them begins at a seed of its own, far from the others'; resolves with the worst exit code. */
export async function simulateInWorkers(
  jobs: number,
  firstSeed: number,
  args: readonly string[],
): Promise<number> {
  const codes = await Promise.all(
    Array.from({ length: jobs }, (_, index) => {
      const seed = String(firstSeed + index * SEEDS_OF_A_WORKER);
      return simulateInWorker([...args, '--seed', seed]);
    }),
  );
  return Math.max(...codes);
}

/** More than a worker can simulate in a week. */
const SEEDS_OF_A_WORKER = 100_000_000;

function simulateInWorker(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [MAIN, ...args], { stdio: 'inherit' });
    worker.on('error', reject);
    worker.on('exit', (code) => resolve(code ?? 1));
  });
}
