/** A thread that keeps several requests with one key in flight until it is stopped (service-speed.ts). */

import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

const { url, apiKey, bodies, atOnce } = z
  .object({ url: z.string(), apiKey: z.string(), bodies: z.array(z.string()), atOnce: z.number() })
  .parse(workerData);

let isStopped = false;
let sent = 0;
let failed = 0;
parentPort?.once('message', () => {
  isStopped = true;
});

const contents = bodies.map((body) => Buffer.from(body));
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (!isStopped) {
      const body = contents[sent % contents.length];
      sent += 1;
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      }).catch(() => null);
      // If the service refuses a body while the body is still being sent, the connection can be lost. The scenario does
      // not count this as a failure.
      await response?.arrayBuffer().catch(() => null);
      if ((response?.status ?? 0) >= 500) failed += 1;
    }
  }),
);
parentPort?.postMessage({ sent, failed });
