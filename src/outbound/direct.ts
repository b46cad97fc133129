/**
 * Sends requests with `node:http` if there is no proxy. Node's fetch takes three times as long and needs 16 MB more
 * memory.
 */
import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { Socket } from 'node:net';
import { type Duplex, pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { Answer, AnswerHeaders, RequestOptions } from './exchange.ts';

// Importing all of `node:http` would also load undici.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/** The time limit for connecting, including DNS and the TLS handshake. Node's fetch has the same limit. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The time for which an idle connection is kept. Many servers close an idle connection after five seconds. A request
 * must not be sent at that moment.
 */
const IDLE_MS = 4_000;

/** Default headers. The request's own headers have precedence. */
const DEFAULT_HEADERS = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'donor-sync',
};

/**
 * Sends a request once. Resolves with the headers, whatever the status is. Like fetch, rejects with an error whose
 * cause is the system's error.
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
    // This call also ends a request that has no connection yet.
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
      // A server may respond before it has read the whole request.
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

/** Passes on a connection only when it is established. Therefore, a failed connection has sent nothing. */
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

/** The error if connecting took too long. Nothing was sent. */
class ConnectTimeout extends Error {
  override name = 'ConnectTimeout';
  /** The same property as in system errors, so that `exchange.ts` knows that nothing was sent. */
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

/** Options that accept an incomplete last block. The length of the body shows whether a response is incomplete. */
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

/** Returns the body without compression. If the encoding is unknown, returns the body unchanged. */
function decoded(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding]?.() : undefined;
  // The reader of the body gets the errors of the decompression.
  return decoder === undefined ? response : pipeline(response, decoder, () => {});
}
