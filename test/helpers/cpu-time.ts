/** Starts measuring the CPU time of this thread (ms). Other programs on the machine do not affect this time. */
export function startCpuTime(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

/**
 * Measures the CPU time of this thread (ms). Returns the smallest of three measurements, or the first measurement below
 * `enoughMs`. Collecting the garbage of earlier tests can affect one measurement, but not all three.
 */
export async function leastCpuTimeMs(
  enoughMs: number,
  work: () => Promise<unknown>,
): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3 && leastMs >= enoughMs; time += 1) {
    const worked = startCpuTime();
    await work();
    leastMs = Math.min(leastMs, worked());
  }
  return leastMs;
}
