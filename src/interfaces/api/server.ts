import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { HttpEnv } from './request/context.ts';
import {
  type IsTrustedProxy,
  toNetworkPrefix,
  trustedProxies,
  withoutMapping,
} from './request/peer.ts';

export interface ServerOptions {
  app: Pick<Hono<HttpEnv>, 'fetch'>;
  host: string;
  /** The port. 0 uses any free port. */
  port: number;
  limits?: Partial<ServerLimits>;
  /** `server.trustedProxies` in the settings. Defaults to none. */
  trustedProxies?: readonly string[];
}

export interface ServerLimits extends ConnectionLimits {
  /** The maximum time until all headers have arrived. */
  headersTimeoutMs: number;
  /** The maximum time until a whole request has arrived. After that, the response is 408. */
  requestTimeoutMs: number;
  checkIntervalMs: number;
  keepAliveTimeoutMs: number;
  /** The time after which an idle connection is closed. */
  stallTimeoutMs: number;
  /** The maximum size of all headers. If the headers are larger, the response is 431. */
  maxHeaderBytes: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  // Event streams send data every 15 seconds, so they are never idle for this long.
  stallTimeoutMs: 120_000,
  maxHeaderBytes: 16 * 1_024,
  maxConnections: 1_000,
  maxConnectionsPerAddress: 500,
};

/** The time in which responses in progress may finish. After that, remaining streams are closed. */
const CLOSE_GRACE_MS = 1_000;

export interface HttpServer {
  url: string;
  /** Stops accepting requests. Resolves once every connection is closed, which takes about a second. */
  close(): Promise<void>;
}

/** Starts the server. Rejects if the address is in use. */
export async function startHttpServer(options: ServerOptions): Promise<HttpServer> {
  const { app, host, port } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
    },
    // By default, the library replaces the global Request and Response classes. The Salesforce connector would then not
    // recognise the responses of fetch.
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  );
  // Node silently drops headers above a maximum number. Proxies add their headers last, so Node would drop the headers
  // of a proxy. Therefore, only the headers' size is limited.
  server.maxHeadersCount = 0;
  limitConnections(server, limits, trustedProxies(options.trustedProxies ?? []));
  server.setTimeout(limits.stallTimeoutMs);
  server.listen(port, host);
  await once(server, 'listening');
  return { url: buildUrl(host, server.address()), close };

  async function close(): Promise<void> {
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    const waiting = new AbortController();
    const grace = sleep(CLOSE_GRACE_MS, undefined, { signal: waiting.signal }).catch(
      () => undefined,
    );
    await Promise.race([closed, grace]);
    waiting.abort();
    server.closeAllConnections();
    await closed;
  }
}

function buildUrl(host: string, address: string | AddressInfo | null): string {
  if (address === null || typeof address === 'string')
    throw new Error('The server does not listen on a port.');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

export interface ConnectionLimits {
  /** The maximum number of open connections. */
  maxConnections: number;
  /** The maximum number of connections per IP address. For IPv6, it is the number per 64-bit network. */
  maxConnectionsPerAddress: number;
}

/** The state of a connection. */
interface Connection {
  address: string;
  /** The request in progress on this connection. */
  request: IncomingMessage | null;
}

/**
 * Limits the number of connections. Above a limit, a new connection replaces the connection that has been idle for
 * longest. Therefore, idle connections block nobody, and requests in progress continue. If all connections are busy,
 * the new connection is closed. Trusted proxies have no limit per IP address.
 */
function limitConnections(
  server: Pick<Server, 'on'>,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  isTrustedProxy: IsTrustedProxy,
): void {
  /** All connections. The connection that has been idle for longest comes first. */
  const connections = new Map<Socket, Connection>();
  const counts = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const peer = withoutMapping(socket.remoteAddress ?? '');
    const address = toNetworkPrefix(peer);
    if (!isTrustedProxy(peer) && (counts.get(address) ?? 0) >= maxConnectionsPerAddress) {
      if (!closeOneSilent(address)) return void socket.destroy();
    }
    if (connections.size >= maxConnections && !closeOneSilent(null)) return void socket.destroy();
    connections.set(socket, { address, request: null });
    counts.set(address, (counts.get(address) ?? 0) + 1);
    socket.once('close', () => forget(socket));
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.request = request;
    response.once('close', () => {
      connection.request = null;
      // The connection moves to the end of the list, because it has just become idle.
      if (connections.delete(socket)) connections.set(socket, connection);
    });
  });

  function forget(socket: Socket): void {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connections.delete(socket);
    const left = (counts.get(connection.address) ?? 1) - 1;
    if (left === 0) counts.delete(connection.address);
    else counts.set(connection.address, left);
  }

  /** Closes the connection that has been idle for longest. With an address, closes a connection of this address. */
  function closeOneSilent(address: string | null): boolean {
    for (const [socket, connection] of connections) {
      if (address !== null && connection.address !== address) continue;
      if (connection.request?.complete) continue;
      forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
