/**
 * Requests `/healthz` repeatedly in a separate thread, so that other work in the main thread does not affect the
 * figures.
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
    // A request that was cut off is measured until that moment.
  }
  waits.push(performance.now() - askedAt);
  await sleep(everyMs);
}
parentPort?.postMessage(waits);
