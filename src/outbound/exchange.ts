import { isConfigurationError } from '../core/errors.ts';
import { type Deadline, type Patience, startDeadline } from './deadline.ts';

/** One request as it goes out. */
export interface Outgoing {
  method: string;
  /** Absolute. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A text, or what makes a stream of it. */
  body?: string | (() => AsyncIterable<Uint8Array>);
  /** True if the body of a good answer is handed over as it comes. */
  isStreamed?: boolean;
}

/** How an answer begins. */
export interface AnswerHead {
  status: number;
  headers: Headers;
}

/** What became of one request. */
export type Outcome =
  | ({ kind: 'answered'; text: string } & AnswerHead)
  /** The body must be read by who gets it: the connection is open until then. */
  | ({ kind: 'opened'; chunks: AsyncIterable<Uint8Array> } & AnswerHead)
  /** It certainly never reached the other side; the cause is a ConfigurationError if the guard refused its address. */
  | { kind: 'unsent'; cause: unknown }
  /** It may have arrived and been carried out. `head` is there if the answer had begun. */
  | { kind: 'broken'; why: BrokenBy; cause: unknown; head: AnswerHead | null };

/** What ended an exchange before its answer was whole. */
export type BrokenBy = 'timeout' | 'stop' | 'connection' | 'size';

export interface Way extends Patience {
  fetch: typeof globalThis.fetch;
  /** Sees how each answer begins, as soon as it does. */
  onHead?: (headers: Headers) => void;
}

/**
 * The largest body that is read at once, in bytes as they are after unpacking: a small packed body may
 * become huge. The largest good ones, a page of 2,000 records or the description of all fields of an
 * object, are a fraction of it.
 */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Sends one request once and says what became of it; never rejects. Redirects come as answers:
 * followed, they would take the key or the token along to wherever they point.
 */
export async function exchange(way: Way, request: Outgoing): Promise<Outcome> {
  const deadline = startDeadline(way);
  let head: AnswerHead | null = null;
  let isOpen = false;
  try {
    const response = await way.fetch(request.url, buildInit(request, deadline.signal));
    const { status, headers } = response;
    head = { status, headers };
    way.onHead?.(headers);
    if (request.isStreamed === true && response.ok) {
      isOpen = true;
      return { kind: 'opened', ...head, chunks: flow(response.body, deadline) };
    }
    const text = await readText(response.body);
    if (text !== null) return { kind: 'answered', ...head, text };
    return { kind: 'broken', why: 'size', cause: undefined, head };
  } catch (cause) {
    if (deadline.expired()) return { kind: 'broken', why: 'timeout', cause, head };
    if (way.signal?.aborted) return { kind: 'broken', why: 'stop', cause, head };
    if (isConfigurationError(cause) || neverConnected(cause)) return { kind: 'unsent', cause };
    return { kind: 'broken', why: 'connection', cause, head };
  } finally {
    if (!isOpen) deadline.end();
  }
}

/** The value of a JSON text; null if it is none, so that an odd answer is known by its status. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function buildInit({ method, headers, body }: Outgoing, signal: AbortSignal): RequestInit {
  const init = { method, headers, redirect: 'manual', signal } satisfies RequestInit;
  if (body === undefined) return init;
  return typeof body === 'string' ? { ...init, body } : { ...init, body: body(), duplex: 'half' };
}

/** Null beyond the limit; the rest is not read, and the connection is closed. */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  if (body === null) return '';
  // A loop over the stream itself takes twice as long as its reader.
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    bytes += value.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

/** Hands out a body as it comes; the deadline counts anew for each piece of it. */
async function* flow(
  body: AsyncIterable<Uint8Array> | null,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body ?? []) {
      deadline.pause();
      yield chunk;
      deadline.restart();
    }
  } finally {
    deadline.end();
  }
}

/** What the system was doing when it failed before anything could be sent. */
const CONNECTING = new Set<unknown>(['getaddrinfo', 'connect']);

/** Failures of a connection that was never ready: no answer to the first packet, or a bad certificate. */
const UNCONNECTED_CODES = new Set<unknown>([
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  // A proxy that broke off before there was a tunnel.
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
]);

/**
 * True only for sure signs that nothing was sent. A reset looks the same before and after the other
 * side did the work, so it is no such sign.
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
