/** Serves and ends every sandbox. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';

const KEEP_ALIVE_MS = 75_000;

/** A sandbox that is serving. */
export interface Serving {
  /** For example `http://127.0.0.1:4100`. */
  rootUrl: string;
  /** Ends at once: open connections are cut, the database is closed. */
  close(): Promise<void>;
}

/** Serves an app. Resolves when it is listening. */
export async function serve(
  app: Pick<Parameters<typeof createAdaptorServer>[0], 'fetch'>,
  db: { close(): unknown },
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number },
): Promise<Serving> {
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  return { rootUrl: await listen(server, host, port), close: () => shutDown(server, db) };
}

/** Listens and resolves with the address, for example `http://127.0.0.1:4100`. */
export async function listen(server: ServerType, host: string, port: number): Promise<string> {
  // As with real services' load balancers, an idle connection is not closed just as it is used again.
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

/** The destination of unexpected errors if there is no `report`. */
export function reportToStandardError(error: Error): void {
  process.stderr.write(`${error.stack ?? error.message}\n`);
}
