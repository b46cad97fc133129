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
  /** 0 takes any free port. */
  port: number;
  limits?: Partial<ServerLimits>;
  /** `server.trustedProxies` of the settings; none by default. */
  trustedProxies?: readonly string[];
}

/** How long slow callers may take, how much they may say, and how many there may be. */
export interface ServerLimits extends ConnectionLimits {
  /** Until the headers of a request are there. */
  headersTimeoutMs: number;
  /** Until all of a request is there; 408 after that. */
  requestTimeoutMs: number;
  /** How often that is looked at. */
  checkIntervalMs: number;
  /** Until the next request on the same connection. */
  keepAliveTimeoutMs: number;
  /** Until a connection is cut on which nothing moves, for example since its caller does not read. */
  stallTimeoutMs: number;
  /** Of all headers of a request together; 431 beyond that. */
  maxHeaderBytes: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  keepAliveTimeoutMs: 5_000,
  // Streams of events say something every 15 seconds.
  stallTimeoutMs: 120_000,
  maxHeaderBytes: 16 * 1_024,
  maxConnections: 1_000,
  maxConnectionsPerAddress: 500,
};

/** Answers that are under way when the service stops have this long; streams are cut then. */
const CLOSE_GRACE_MS = 1_000;

export interface HttpServer {
  /** Where it listens, for example `http://127.0.0.1:8787`. */
  url: string;
  /** Takes no more requests, and resolves once every connection is closed: in about a second. */
  close(): Promise<void>;
}

/** Listens; rejects if the address is taken. */
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
    // Otherwise it would put classes of its own in place of the global Request and Response, and
    // Salesforce's connector would not know the answers of fetch any more.
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  );
  // Node leaves out the headers beyond a count without a word, and proxies add theirs at the end. Their
  // bytes are limited.
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
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

export interface ConnectionLimits {
  /** Open connections in all. */
  maxConnections: number;
  /** Open connections from one address (of IPv6, from one network of 64 bits). */
  maxConnectionsPerAddress: number;
}

/** A connection as it is known here. */
interface Connection {
  address: string;
  /** The request that is being answered. */
  request: IncomingMessage | null;
}

/**
 * Keeps to the limits. A new connection that would go beyond one takes the place of the one that has
 * been silent for longest: that has no request, or not the whole of one. So connections that say
 * nothing keep no caller out, and what is being answered is never cut. If all are being answered, the
 * new one is closed. A trusted proxy brings many callers and has no limit of its own.
 */
export function limitConnections(
  server: Pick<Server, 'on'>,
  { maxConnections, maxConnectionsPerAddress }: ConnectionLimits,
  isTrustedProxy: IsTrustedProxy,
): void {
  /** The one that has rested for longest first. */
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
      // From now on it rests, behind all that do so already.
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

  /** Closes the connection that has been silent for longest, of one address or of all. */
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
