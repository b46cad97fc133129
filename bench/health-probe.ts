/**
 * Requests `/healthz` again and again in a separate thread. Work in the main thread therefore does not affect the
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
    // If a request is interrupted, its duration up to this moment counts.
  }
  waits.push(performance.now() - askedAt);
  await sleep(everyMs);
}
parentPort?.postMessage(waits);
