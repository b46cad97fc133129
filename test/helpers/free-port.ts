import { createServer } from 'node:http';
import { listen } from '../../testbed/serving.ts';

/** Above the ports that only administrators can open, and below the ports that the system assigns automatically. */
const [FIRST, LAST] = [12_000, 32_000];
const MAX_TRIES = 100;

/** Returns a port that stays free until it is used. No other server or connection in the tests takes it by chance. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer();
    const isFree = await listen(server, '127.0.0.1', port).then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error('No port is free.');
}
