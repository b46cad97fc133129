/** Measures the duration, the processor time and the memory of one step of a process. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Runs a step and prints one line of JSON, which includes `found` from the step's result. */
export async function measured(name, run) {
  forgetPeak();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const found = await run();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  const step = { name, ...found, seconds, cpuMs, userMs: user / 1_000, peakMegabytes: readPeak() };
  process.stdout.write(`${JSON.stringify(step)}\n`);
}

/** Resets the peak memory that Linux records. On other systems, the peak of a single step is unknown. */
function forgetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // If the reset fails, the peak is the peak of the whole process.
  }
}

/** Returns the process's peak memory since the reset. Returns null if the system does not report the peak memory. */
function readPeak() {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return null;
  }
}
