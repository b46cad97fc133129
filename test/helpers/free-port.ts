import { createServer } from 'node:http';
import { listen } from '../../testbed/serving.ts';

/**
 * The range of ports. Lower ports need an administrator, and the operating system assigns higher ports to other
 * programs.
 */
const [FIRST, LAST] = [12_000, 32_000];
const MAX_TRIES = 100;

/**
 * Returns a port that is free until the test uses it. No other server or connection in the tests takes the port by
 * chance.
 */
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
