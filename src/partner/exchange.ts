import type { Clock } from '../core/clock.ts';
import { type Body, openFile, readJsonBody } from './body.ts';
import type { Charge } from './buckets.ts';
import { startDeadline } from './deadline.ts';
import type { Lane } from './pacer.ts';
import { retryAfterMs } from './retry.ts';
import type { ServiceTime } from './service-time.ts';

/** One request as it goes out. */
export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, ids and query filled in; empty for the base URL itself. */
  path: string;
  /** Method and path without ids, as errors, logs and reports show it. */
  endpoint: string;
  lane: Lane;
  /** Sent as JSON; a call without one has no body. */
  body?: unknown;
  charges: Charge;
  /** What of a success counts; `nothing` if its status says it all, whatever its body holds. */
  reads: 'json' | 'file' | 'nothing';
  /** How long the service itself may work on it, which comes on top of the usual patience. */
  workMs?: number;
}

/** What became of one request. */
export type Exchange =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; body: Body }
  /** It certainly never reached the service. */
  | { kind: 'unsent'; cause: unknown }
  /** It may have arrived and been carried out. */
  | { kind: 'broken'; problem: string; cause: unknown };

export interface Line {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
  clock: Clock;
  /** Told of every answer. */
  time: Pick<ServiceTime, 'note'>;
  /** The most that a free request may take, from connecting to the last byte of its answer. */
  requestTimeoutMs: number;
  /** The same for one that costs credits, or may. */
  submitTimeoutMs: number;
}

/**
 * Sends one request once and tells what became of it. Rejects only with the signal's reason, and
 * only for calls that cost nothing: for the others a stop on the way is a broken exchange.
 */
export async function exchange(line: Line, call: Call, signal?: AbortSignal): Promise<Exchange> {
  const deadline = startDeadline(timeoutMsOf(line, call), signal);
  let isFlowing = false;
  const sentMs = line.clock.monotonicMs();
  try {
    const response = await line.fetch(
      line.baseUrl + call.path,
      requestOf(line, call, deadline.signal),
    );
    line.time.note(response.headers, sentMs);
    isFlowing = call.reads === 'file' && response.ok;
    return {
      kind: 'answered',
      status: response.status,
      retryAfterMs: retryAfterMs(response.headers, line.clock.now()),
      body: isFlowing ? openFile(response, deadline) : await readJsonBody(response),
    };
  } catch (cause) {
    if (signal?.aborted && call.charges === null) throw signal.reason;
    if (deadline.expired()) return { kind: 'broken', problem: 'no answer came in time', cause };
    if (signal?.aborted) return { kind: 'broken', problem: 'it was stopped on its way', cause };
    if (neverConnected(cause)) return { kind: 'unsent', cause };
    return { kind: 'broken', problem: 'the connection broke', cause };
  } finally {
    if (!isFlowing) deadline.stop();
  }
}

function timeoutMsOf(line: Line, { charges, workMs = 0 }: Call): number {
  return workMs + (charges === null ? line.requestTimeoutMs : line.submitTimeoutMs);
}

function requestOf(line: Line, call: Call, signal: AbortSignal): RequestInit {
  const headers = {
    'x-api-key': line.apiKey,
    accept: call.reads === 'file' ? '*/*' : 'application/json',
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
