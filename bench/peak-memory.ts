import { readFile } from 'node:fs/promises';

const LOOK_EVERY_MS = 50;

export function watchPeak(processId: number | undefined): { stop(): number | null } {
  let peakMegabytes: number | null = null;
  const watch = setInterval(async () => {
    const now = await readPeak(processId);
    // A process may reset its peak between two steps, so the largest value so far is kept.
    if (now !== null) peakMegabytes = Math.max(now, peakMegabytes ?? 0);
  }, LOOK_EVERY_MS);
  return {
    stop() {
      clearInterval(watch);
      return peakMegabytes;
    },
  };
}

/** Returns the peak of a process's memory as recorded by Linux. Returns null on other systems. */
async function readPeak(processId: number | undefined): Promise<number | null> {
  try {
    const status = await readFile(`/proc/${processId}/status`, 'utf8');
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return null;
  }
}
