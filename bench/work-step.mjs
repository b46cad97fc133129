/** One measured step of a process: its duration and its use of the machine. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Prints one line of JSON, which includes `found` of `run`. */
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

/** Resets the peak that Linux keeps. Other systems do not report a peak since then. */
function forgetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Otherwise the peak is that of the whole process.
  }
}

/** The peak resident memory since then, or null if the system does not report it. */
function readPeak() {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return null;
  }
}
