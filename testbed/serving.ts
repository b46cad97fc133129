/** Starts and stops the HTTP server of a sandbox. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';

const KEEP_ALIVE_MS = 75_000;

/** A sandbox that accepts requests. */
export interface Serving {
  /** The address, for example `http://127.0.0.1:4100`. */
  rootUrl: string;
  /** Stops immediately. Open connections are cut, and the database is closed. */
  close(): Promise<void>;
}

/** Starts the server. The promise resolves when the server accepts requests. */
export async function serve(
  app: Pick<Parameters<typeof createAdaptorServer>[0], 'fetch'>,
  db: { close(): unknown },
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number },
): Promise<Serving> {
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  return { rootUrl: await listen(server, host, port), close: () => shutDown(server, db) };
}

/** Starts listening. The promise resolves with the address, for example `http://127.0.0.1:4100`. */
export async function listen(server: ServerType, host: string, port: number): Promise<string> {
  // An idle connection is kept open for a long time. Therefore, the server does not close a connection at the moment
  // when a client uses it again. Load balancers of real services do the same.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  await once(server, 'listening');
  return `http://${host}:${portOf(server.address())}`;
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') {
    throw new Error('The sandbox listens on no port.');
  }
  return address.port;
}

async function shutDown(server: ServerType, db: { close(): unknown }): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve);
  });
  if ('closeAllConnections' in server) {
    server.closeAllConnections();
  }
  await closed;
  db.close();
}

/** Prints unexpected errors if the options contain no `report`. */
export function reportToStandardError(error: Error): void {
  process.stderr.write(`${error.stack ?? error.message}\n`);
}
