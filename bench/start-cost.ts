import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Measures the time and the memory that one process needs from its start to its end. */
export interface StartCost {
  ms: number;
  /** The peak memory of the process in megabytes. */
  megabytes: number;
}

/**
 * Code that makes a process print its peak memory (KB) when it ends. The figure comes from Linux, because
 * `resourceUsage` never returns less than the peak of the parent process. With `resourceUsage`, all processes would
 * appear to be as large as the benchmark.
 */
const SAY_PEAK = `data:text/javascript,${encodeURIComponent(`
import { existsSync, readFileSync } from 'node:fs';
process.on('exit', () => {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /^VmHWM:\\s+(\\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  process.stderr.write('\\npeak ' + peak);
});`)}`;

/**
 * Returns the median start time and the median memory of Node processes with the given arguments. In turn with them,
 * also measures Node processes without a program for comparison.
 */
export async function compareStarts(
  words: readonly string[],
  { rounds }: { rounds: number },
): Promise<{ empty: StartCost; started: StartCost }> {
  const empty: StartCost[] = [];
  const started: StartCost[] = [];
  for (let round = 0; round < rounds; round += 1) {
    empty.push(await costOf(['--eval', '']));
    started.push(await costOf(words));
  }
  return { empty: medianOf(empty), started: medianOf(started) };
}

async function costOf(words: readonly string[]): Promise<StartCost> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', SAY_PEAK, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = await text(child.stderr);
  const kilobytes = /\npeak (\d+)$/.exec(said)?.[1];
  if (kilobytes === undefined) throw new Error(`${words.join(' ')} ended otherwise: ${said}`);
  return { ms: performance.now() - begun, megabytes: Number(kilobytes) / 1_024 };
}

function medianOf(costs: readonly StartCost[]): StartCost {
  const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  return {
    ms: middle(costs.map(({ ms }) => ms)),
    megabytes: middle(costs.map(({ megabytes }) => megabytes)),
  };
}
