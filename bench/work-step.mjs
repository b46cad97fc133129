/** One step of a process that is measured: how long it took and what it took of the machine. */
import { readFileSync, writeFileSync } from 'node:fs';

/** Prints one line of JSON; `found` of `run` is part of it. */
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

/** Linux counts the most memory anew from here on; elsewhere it is not known at all. */
function forgetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Then the peak is that of the whole process.
  }
}

/** The most that was resident since then; null where the system does not tell. */
function readPeak() {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return null;
  }
}
