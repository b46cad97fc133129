/**
 * Requests `/healthz` again and again in a separate thread, so other work of its process does not affect the figures.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

const { url, everyMs } = z.object({ url: z.string(), everyMs: z.number() }).parse(workerData);
const waits: number[] = [];
let isOver = false;
parentPort?.once('message', () => {
  isOver = true;
});
while (!isOver) {
  const askedAt = performance.now();
  try {
    await (await fetch(url)).text();
  } catch {
    // A request that was cut off counts with the time until it was cut off.
  }
  waits.push(performance.now() - askedAt);
  await sleep(everyMs);
}
parentPort?.postMessage(waits);
