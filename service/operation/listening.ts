/** Listens for requests. When it stops, no response is lost. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/**
 * This is longer than other services' load balancers wait. An idle connection is therefore not closed just when it is
 * used again.
 */
const KEEP_ALIVE_MS = 75_000;

/** The maximum time for requests in progress when the service stops. */
const GRACE_MS = 10_000;

/** A server that responds to requests. */
export interface Listening {
  /** For example `http://127.0.0.1:4100`. */
  url: string;
  /** Accepts no further requests and lets requests in progress finish. */
  close(): Promise<void>;
}

/** Resolves when it is listening. Port 0 uses any free port. */
export async function listen(
  app: Pick<Parameters<typeof createAdaptorServer>[0], 'fetch'>,
  host: string,
  port: number,
): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${portOf(server.address())}`,
    close(): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      if ('closeIdleConnections' in server) server.closeIdleConnections();
      const cut = setTimeout(() => {
        if ('closeAllConnections' in server) server.closeAllConnections();
      }, GRACE_MS);
      return promise.finally(() => clearTimeout(cut));
    },
  };
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') {
    throw new Error('The service listens on no port.');
  }
  return address.port;
}
