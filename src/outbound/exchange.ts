import { isConfigurationError } from '../core/errors.ts';
import { type Deadline, type Patience, startDeadline } from './deadline.ts';

/** An outgoing request. */
export interface Outgoing {
  method: string;
  /** The absolute URL. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The body: a text, or a function that returns a stream. */
  body?: string | (() => AsyncIterable<Uint8Array>);
  isStreamed?: boolean;
}

/** The headers of a response. The names of the headers can be in any case. */
export type AnswerHeaders = Pick<Headers, 'get' | 'has'>;

export interface AnswerHead {
  status: number;
  headers: AnswerHeaders;
}

/** The options of fetch that donor-sync uses. */
export interface RequestOptions {
  method: string;
  headers: Readonly<Record<string, string>>;
  /** Redirects are not followed. */
  redirect: 'manual';
  signal: AbortSignal;
  body?: string | AsyncIterable<Uint8Array>;
  /** fetch requires this option if the body is a stream. */
  duplex?: 'half';
}

/** The properties of fetch's response that donor-sync uses. */
export interface Answer extends AnswerHead {
  ok: boolean;
  body: AsyncIterable<Uint8Array> | null;
}

/** A function that sends a request. Any fetch function is suitable. */
export type SendRequest = (url: string, options: RequestOptions) => Promise<Answer>;

/** The result of one request. */
export type Outcome =
  | ({ kind: 'answered'; text: string } & AnswerHead)
  /** The caller must read the body, because it keeps the connection open. */
  | ({ kind: 'opened'; chunks: AsyncIterable<Uint8Array> } & AnswerHead)
  /**
   * The server certainly did not receive the request. The cause is a ConfigurationError if the guard rejected the
   * address.
   */
  | { kind: 'unsent'; cause: unknown }
  /** The server may have carried out the request. `head` is set if the response had started. */
  | { kind: 'broken'; why: BrokenBy; cause: unknown; head: AnswerHead | null };

/** The reason why an exchange ended early. */
export type BrokenBy = 'timeout' | 'stop' | 'connection' | 'size';

export interface Way extends Patience {
  fetch: SendRequest;
  onHead?: (headers: AnswerHeaders) => void;
}

/**
 * The maximum size of a body after decompression, because a compressed body can become huge. Normal bodies are much
 * smaller, for example a page of 2,000 records.
 */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Sends a request once. This function never rejects. The function does not follow redirects, because the other server
 * would receive the key or the token.
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

/** Parses JSON. Returns null for any other text. The status then shows what the response means. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function buildInit({ method, headers, body }: Outgoing, signal: AbortSignal): RequestOptions {
  const init = { method, headers, redirect: 'manual', signal } as const;
  if (body === undefined) return init;
  return typeof body === 'string' ? { ...init, body } : { ...init, body: body(), duplex: 'half' };
}

/**
 * Reads a body as text. Returns null if the body is too large. The rest is then not read, and the connection is closed.
 */
async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Yields the chunks of the body. Each chunk restarts the deadline. */
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

/** The system calls that can fail before a request is sent. */
const CONNECTING = new Set<unknown>(['getaddrinfo', 'connect']);

/** The error codes of a connection that was never established. */
const UNCONNECTED_CODES = new Set<unknown>([
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  // A proxy disconnected before the tunnel was established.
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
]);

/** True only if nothing was sent. A reset of the connection does not prove this. */
function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return false;
  // Node tries all IP addresses and reports all errors.
  const attempts: unknown[] = cause instanceof AggregateError ? cause.errors : [cause];
  return attempts.length > 0 && attempts.every(isConnectFailure);
}

function isConnectFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && CONNECTING.has(error.syscall)) return true;
  return 'code' in error && UNCONNECTED_CODES.has(error.code);
}
