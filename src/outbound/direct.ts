/** Without a proxy, `node:http` sends the requests. Node's fetch takes three times as long and 16 MB more memory. */
import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import { type Duplex, pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { Answer, AnswerHeaders, RequestOptions } from './exchange.ts';

// Importing all of `node:http` would load undici.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** Includes DNS and the TLS handshake. The same as for fetch. */
const CONNECT_TIMEOUT_MS = 10_000;

/** An idle connection is kept this long. Many servers close it after five seconds, and a request must not meet that. */
const IDLE_MS = 4_000;

/** Overridden by the request's own headers. */
const DEFAULT_HEADERS = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'donor-sync',
};

/**
 * Sends once. Resolves with the headers, whatever the status. Rejects with the system's error as the cause, like fetch.
 */
export function sendDirectly(
  url: URL,
  { method, headers, body, signal }: RequestOptions,
): Promise<Answer> {
  requirePlain(url);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const [{ request: open }, agent] =
      url.protocol === 'https:' ? [https, secure] : ([http, plain] as const);
    const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
    const request = open(url, {
      method,
      headers: { ...DEFAULT_HEADERS, ...headers, ...length },
      agent,
    });
    let response: IncomingMessage | null = null;
    // Also ends a request without a connection.
    const abort = () => {
      reject(signal.reason);
      request.destroy();
      response?.destroy(new Error('The request was stopped.'));
    };
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    const fail = (cause: Error) => reject(new Error('The request failed.', { cause }));
    request.on('error', fail);
    request.once('response', (received) => {
      response = received;
      resolve(toAnswer(received, method));
    });
    if (body === undefined || typeof body === 'string') {
      request.end(body);
      return;
    }
    pipeline(Readable.from(body, { objectMode: false }), request, (error) => {
      // A server may respond before it has read everything.
      if (error && response === null) fail(error);
    });
  });
}

function requirePlain({ protocol, username, password }: URL): void {
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError('Only http and https addresses can be reached.');
  }
  if (username + password !== '') throw new TypeError('The address has a password in it.');
}

/** A connection is passed on after it is established, so a failed one has sent nothing. */
function whenConnected(
  socket: Duplex | null | undefined,
  event: 'connect' | 'secureConnect',
  pass: ((error: Error | null, socket: Duplex) => void) | undefined,
): null {
  if (!(socket instanceof Socket)) throw new TypeError('An agent did not create a socket.');
  const timer = setTimeout(() => socket.destroy(new ConnectTimeout()), CONNECT_TIMEOUT_MS);
  const fail = (error: Error) => {
    clearTimeout(timer);
    pass?.(error, socket);
  };
  socket.once('error', fail);
  socket.once(event, () => {
    clearTimeout(timer);
    socket.removeListener('error', fail);
    pass?.(null, socket);
  });
  return null;
}

/** Nothing was sent. Connecting took too long. */
class ConnectTimeout extends Error {
  override name = 'ConnectTimeout';
  /** As in system errors, so nothing counts as sent (`exchange.ts`). */
  readonly syscall = 'connect';

  constructor() {
    super('The connection was not established in time.');
  }
}

const LASTING = { keepAlive: true, timeout: IDLE_MS };

class PlainConnections extends http.Agent {
  override createConnection(...[options, pass]: Parameters<HttpAgent['createConnection']>) {
    return whenConnected(super.createConnection(options), 'connect', pass);
  }
}

class SecureConnections extends https.Agent {
  override createConnection(...[options, pass]: Parameters<HttpsAgent['createConnection']>) {
    return whenConnected(super.createConnection(options), 'secureConnect', pass);
  }
}

const plain = new PlainConnections(LASTING);
const secure = new SecureConnections(LASTING);

function toAnswer(response: IncomingMessage, method: string): Answer {
  const { statusCode: status = 0 } = response;
  return {
    status,
    ok: status >= 200 && status < 300,
    headers: toHeaders(response),
    body: method === 'HEAD' ? response : decoded(response),
  };
}

function toHeaders({ headers }: IncomingMessage): AnswerHeaders {
  const find = (name: string) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? null : String(value);
  };
  return { get: find, has: (name) => find(name) !== null };
}

/** The length shows a cut-off response, so an incomplete last block is accepted. */
const LENIENT = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };

const BROTLI = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(LENIENT),
  'x-gzip': () => zlib.createGunzip(LENIENT),
  deflate: () => zlib.createInflate(LENIENT),
  br: () => zlib.createBrotliDecompress(BROTLI),
};

/** Returns the body without its compression. A body in an unknown encoding is returned unchanged. */
function decoded(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  // The reader of the body receives its errors.
  return decoder === undefined ? response : pipeline(response, decoder, () => {});
}
