import { isConfigurationError } from '../core/errors.ts';
import { type Deadline, type Patience, startDeadline } from './deadline.ts';

/** An outgoing request. */
export interface Outgoing {
  method: string;
  /** The absolute URL. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A text, or a function that returns a stream. */
  body?: string | (() => AsyncIterable<Uint8Array>);
  /** True if the body of a successful response is passed on as it arrives. */
  isStreamed?: boolean;
}

/** Status and headers of a response. */
export interface AnswerHead {
  status: number;
  headers: Headers;
}

/** The result of one request. */
export type Outcome =
  | ({ kind: 'answered'; text: string } & AnswerHead)
  /** The recipient must read the body, because the connection is open until then. */
  | ({ kind: 'opened'; chunks: AsyncIterable<Uint8Array> } & AnswerHead)
  /**
   * It certainly never reached the other side. The cause is a ConfigurationError if the guard rejected its
   * address.
   */
  | { kind: 'unsent'; cause: unknown }
  /** It may have arrived and been carried out. `head` is there if the response had started. */
  | { kind: 'broken'; why: BrokenBy; cause: unknown; head: AnswerHead | null };

/** Why an exchange ended before its response was complete. */
export type BrokenBy = 'timeout' | 'stop' | 'connection' | 'size';

export interface Way extends Patience {
  fetch: typeof globalThis.fetch;
  /** Called with each response's headers as soon as they arrive. */
  onHead?: (headers: Headers) => void;
}

/**
 * The largest body that is read, in bytes after decompression, because a small compressed body can become huge. The
 * largest normal bodies, such as a page of 2,000 records or the description of an object's fields, are a fraction of
 * it.
 */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Sends one request once and returns its result. Never rejects. Redirects are returned as responses, because following
 * them would send the key or the token to the redirect's target.
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

/** Returns a JSON text's value, or null if it is not JSON, so an unusual response is recognised by its status. */
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

/** Reads a body. Returns null above the limit. The rest is then not read, and the connection is closed. */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  if (body === null) return '';
  // A loop over the stream itself takes twice as long as using its reader.
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

/** Yields a body as it arrives. The deadline restarts with each chunk. */
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

/** The system calls that can fail before anything is sent. */
const CONNECTING = new Set<unknown>(['getaddrinfo', 'connect']);

/**
 * Errors of a connection that was never established, because the first packet got no response or the certificate was
 * invalid.
 */
const UNCONNECTED_CODES = new Set<unknown>([
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  // A proxy that disconnected before the tunnel was established.
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
]);

/**
 * Returns true only if it is certain that nothing was sent. A reset proves nothing, because it looks the same before
 * and after the other side did the work.
 */
function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  // Node tries all addresses of a name, and reports their errors together.
  const attempts: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return attempts.length > 0 && attempts.every(isConnectFailure);
}

function isConnectFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && CONNECTING.has(error.syscall)) return true;
  return 'code' in error && UNCONNECTED_CODES.has(error.code);
}
