import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { serve } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { findFreePort } from '../helpers/free-port.ts';

/** A request that a test service received. */
export interface Received {
  method: string;
  /** The path below the base URL. */
  path: string;
  /** The query without the question mark. */
  query: string;
  apiKey: string | null;
  /** Parsed JSON, or undefined without a body. */
  body: unknown;
}

export interface TestService {
  baseUrl: string;
  received: Received[];
}

type Answer = (received: Received) => Response | Promise<Response>;

const BASE_PATH = '/v1/partners';

/** Starts a service that returns the responses of `answer`. It stops at the end of the test. */
export async function startTestService(answer: Answer): Promise<TestService> {
  const received: Received[] = [];
  const port = Promise.withResolvers<number>();
  const server = serve(
    { fetch: take, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false },
    (info) => port.resolve(info.port),
  );
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  );
  return { baseUrl: `http://127.0.0.1:${await port.promise}${BASE_PATH}`, received };

  async function take(request: Request): Promise<Response> {
    const text = await request.text();
    const url = new URL(request.url);
    const one = {
      method: request.method,
      path: url.pathname.slice(BASE_PATH.length),
      query: url.search.slice(1),
      apiKey: request.headers.get('x-api-key'),
      body: text === '' ? undefined : JSON.parse(text),
    };
    received.push(one);
    return answer(one);
  }
}

/** Starts a service that returns these responses in turn, and then repeats the last one. */
export function startService(...answers: (() => Response)[]): Promise<TestService> {
  let next = 0;
  return startTestService(() => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    return answer?.() ?? new Response(null, { status: 599 });
  });
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}) {
  return () => Response.json(body, { status, headers });
}

export interface RawService {
  baseUrl: string;
  connections(): number;
  /** Returns the number of complete requests. */
  requests(): number;
}

/**
 * Starts a service that sends bytes. Calls `answer` for each complete request, with the socket and the number of the
 * request (from 1).
 */
export async function startRawService(
  answer: (socket: Socket, request: number) => void,
): Promise<RawService> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let requests = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('utf8');
      if (!isWhole(text)) return;
      text = '';
      requests += 1;
      answer(socket, requests);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${portOf(server)}${BASE_PATH}`;
  return { baseUrl, connections: () => connections, requests: () => requests };
}

/** Returns the bytes of an HTTP response. If `length` differs from the body's length, the response is incomplete. */
export function rawAnswer(
  body: string,
  length = Buffer.byteLength(body),
  status = '200 OK',
): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

/** Returns the base URL of a port where no server listens. */
export async function deadBaseUrl(): Promise<string> {
  return `http://127.0.0.1:${await findFreePort()}${BASE_PATH}`;
}

function isWhole(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n');
  if (body === undefined) return false;
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return Buffer.byteLength(body) >= length;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
