import type { Clock } from '../core/clock.ts';
import type { Lane } from './pacer.ts';
import { retryAfterMs } from './retry.ts';

/** One request as it goes out. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  /** Below the base URL, ids filled in; empty for the base URL itself. */
  path: string;
  /** Method and path without ids, as errors, logs and reports show it. */
  endpoint: string;
  lane: Lane;
  /** Sent as JSON; a call without one has no body. */
  body?: unknown;
  /** True if it costs credits, so that it must not be repeated blindly. */
  charging: boolean;
  /** False if only the status matters, and whatever the body holds will do. */
  readsBody: boolean;
}

/** What became of one request. */
export type Exchange =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; body: Body }
  /** It certainly never reached the service. */
  | { kind: 'unsent'; cause: unknown }
  /** It may have arrived and been carried out. */
  | { kind: 'broken'; problem: string; cause: unknown };

/** The body of an answer; a problem says what is wrong with it, and quotes nothing from it. */
export type Body = { readable: true; json: unknown } | { readable: false; problem: string };

export interface Line {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  /** The most that a free request may take, from connecting to the last byte of its answer. */
  requestTimeoutMs: number;
  /** The same for one that costs credits. */
  submitTimeoutMs: number;
}

/** The largest body that is read; ten profiles or a thousand states are a fraction of it. */
const MAX_REPLY_BYTES = 32 * 1024 * 1024;

/**
 * Sends one request once and tells what became of it. Rejects only with the signal's reason, and
 * only for calls that cost nothing: for the others a stop on the way is a broken exchange.
 */
export async function exchange(line: Line, call: Call, signal?: AbortSignal): Promise<Exchange> {
  const deadline = startDeadline(
    call.charging ? line.submitTimeoutMs : line.requestTimeoutMs,
    signal,
  );
  try {
    const response = await line.fetch(
      line.baseUrl + call.path,
      requestOf(line, call, deadline.signal),
    );
    return {
      kind: 'answered',
      status: response.status,
      retryAfterMs: retryAfterMs(response.headers, line.clock.now()),
      body: await readBody(response),
    };
  } catch (cause) {
    if (signal?.aborted && !call.charging) throw signal.reason;
    if (deadline.expired()) return { kind: 'broken', problem: 'no answer came in time', cause };
    if (signal?.aborted) return { kind: 'broken', problem: 'it was stopped on its way', cause };
    if (neverConnected(cause)) return { kind: 'unsent', cause };
    return { kind: 'broken', problem: 'the connection broke', cause };
  } finally {
    deadline.stop();
  }
}

function requestOf(line: Line, call: Call, signal: AbortSignal): RequestInit {
  const headers = {
    'x-api-key': line.apiKey,
    accept: 'application/json',
    'user-agent': 'donor-sync',
  };
  // Redirects are not followed: fetch would carry the key to wherever they point.
  const common = { method: call.method, redirect: 'manual', signal } satisfies RequestInit;
  if (call.body === undefined) return { ...common, headers };
  return {
    ...common,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(call.body),
  };
}

async function readBody(response: Response): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MAX_REPLY_BYTES) {
        return { readable: false, problem: `it is over ${MAX_REPLY_BYTES} bytes` };
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    // A refusal is a refusal by its status, however its explanation ends.
    if (response.status >= 400) return { readable: false, problem: 'it breaks off' };
    throw cause;
  }
  const contentType = response.headers.get('content-type');
  if (contentType !== null && !/\bjson\b/i.test(contentType)) {
    return { readable: false, problem: 'its content type is not JSON' };
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}

function parseJson(text: string): Body {
  try {
    return { readable: true, json: JSON.parse(text) };
  } catch {
    // The parser's own message quotes the text, which may be about a person.
    return { readable: false, problem: text === '' ? 'it is empty' : 'it is not valid JSON' };
  }
}

/** What the system was doing when it failed before anything could be sent. */
const CONNECTING = new Set<unknown>(['getaddrinfo', 'connect']);

/** Failures of a connection that was never ready: nobody answered, or its certificate is bad. */
const UNCONNECTED_CODES = new Set<unknown>([
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * True only for sure signs that nothing was sent. A reset looks the same before and after the
 * service did the work, so it is no such sign.
 */
function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  // Node tries all addresses of a name, and reports them together.
  const attempts: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return attempts.length > 0 && attempts.every(isConnectFailure);
}

function isConnectFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && CONNECTING.has(error.syscall)) return true;
  return 'code' in error && UNCONNECTED_CODES.has(error.code);
}

/** A signal that fires with the caller's or when the time is over, and leaves no timer behind. */
function startDeadline(timeoutMs: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  let over = false;
  // The machine's own time, not the clock's: it guards a real socket.
  const timer = setTimeout(() => {
    over = !signal?.aborted;
    controller.abort();
  }, timeoutMs);
  const forward = () => controller.abort();
  signal?.addEventListener('abort', forward, { once: true });
  if (signal?.aborted) forward();
  return {
    signal: controller.signal,
    expired: () => over,
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', forward);
    },
  };
}
