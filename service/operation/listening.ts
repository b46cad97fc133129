/** Listens for HTTP requests. When the service stops, all requests in progress still get a response. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/**
 * The time (ms) for which an idle connection stays open, which is longer than the idle time of load balancers. The
 * service therefore does not close a connection at the moment when the load balancer uses it again.
 */
const KEEP_ALIVE_MS = 75_000;

/** The maximum time (ms) for which the service waits for requests in progress when it stops. */
const GRACE_MS = 10_000;

/** A running HTTP server. */
export interface Listening {
  /** The server's address, for example `http://127.0.0.1:4100`. */
  url: string;
  /** Stops accepting requests, and waits for the requests in progress. */
  close(): Promise<void>;
}

/**
 * Starts listening. The promise resolves when the server accepts requests. If the port is 0, the server uses any free
 * port.
 */
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
