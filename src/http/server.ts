import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import type { HttpEnv } from './context.ts';

export interface ServerOptions {
  app: Pick<Hono<HttpEnv>, 'fetch'>;
  host: string;
  /** 0 takes any free port. */
  port: number;
  limits?: Partial<ServerLimits>;
}

/** How long slow callers may take, and how many there may be. */
export interface ServerLimits {
  /** Until the headers of a request are there. */
  headersTimeoutMs: number;
  /** Until all of a request is there; 408 after that. */
  requestTimeoutMs: number;
  /** How often that is looked at. */
  checkIntervalMs: number;
  /** Open connections; more are closed at once. */
  maxConnections: number;
}

const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  maxConnections: 1_000,
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
  const server = createAdaptorServer({
    fetch: app.fetch,
    createServer,
    serverOptions: {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
    },
  });
  server.maxConnections = limits.maxConnections;
  server.listen(port, host);
  await once(server, 'listening');
  return { url: urlOf(host, server.address()), close };

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
    if ('closeAllConnections' in server) server.closeAllConnections();
    await closed;
  }
}

function urlOf(host: string, address: string | AddressInfo | null): string {
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
