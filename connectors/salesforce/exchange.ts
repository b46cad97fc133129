import type { WallClock } from '../../src/core/clock.ts';
import { DonorSyncError } from '../../src/core/errors.ts';
import { readBoundedText } from '../bounded-body.ts';
import type { ConnectorDeps } from '../contract.ts';
import { startDeadline, WRITE_GRACE_MS } from '../deadline.ts';
import { backoffMs, repeatWhilePassing } from '../repeat.ts';
import { throwIfRedirected, unanswered } from '../request-errors.ts';
import { throwIfStopped } from '../stopped.ts';

/** One request as it goes out, its URL absolute. */
export interface OutgoingRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A text, or what makes a stream of it. */
  body?: string | (() => AsyncIterable<Uint8Array>);
}

/** An answer whose body is at hand. */
export interface TextReply {
  status: number;
  headers: Headers;
  text: string;
}

export interface ExchangeDeps {
  fetch: typeof globalThis.fetch;
  clock: WallClock;
  signal: AbortSignal;
  /** From 0 up to 1. */
  random: () => number;
  onCall: ConnectorDeps['onCall'];
  /** Sees the headers of every answer. */
  noteAnswer: (headers: Headers) => void;
}

/** Sends requests to Salesforce and repeats those that fail in passing. */
export interface Exchange {
  /** The whole answer, whatever its status. */
  send(request: OutgoingRequest): Promise<TextReply>;
  /** The answer as a stream if its status is a good one. */
  open(request: OutgoingRequest): Promise<Response | TextReply>;
}

/** Tries of one request; the waits between them are 0.5, 1 and 2 seconds, give or take a half. */
const MAX_TRIES = 4;
const FIRST_WAIT_MS = 500;

/** Salesforce itself ends a request after two minutes, and a large upload after ten. */
const TIMEOUT_MS = 150_000;
const STREAM_TIMEOUT_MS = 600_000;

/** 420 is Salesforce's own word for "later". */
const PASSING_STATUSES: ReadonlySet<number> = new Set([420, 429, 500, 502, 503, 504]);

/**
 * Makes the exchange of one connector. Requests may be repeated whatever their method: reads
 * change nothing, the same values written twice are the same, and things that are created are
 * found again by their name.
 */
export function createExchange(deps: ExchangeDeps): Exchange {
  return {
    send: (request) => repeat(deps, request, readReply),
    open: (request) =>
      repeat(deps, request, async (response) => (response.ok ? response : readReply(response))),
  };
}

function repeat<Reply extends Response | TextReply>(
  deps: ExchangeDeps,
  request: OutgoingRequest,
  read: (response: Response) => Promise<Reply>,
): Promise<Reply> {
  const { clock, signal, random } = deps;
  return repeatWhilePassing<Reply>('Salesforce', signal, {
    // Half an upload may have arrived, and a second one would be refused.
    max: typeof request.body === 'function' ? 1 : MAX_TRIES,
    send: () => sendOnce(deps, request, read),
    isPassing,
    wait: (_, attempt) => clock.sleep(backoffMs(FIRST_WAIT_MS, attempt, random), signal),
  });
}

async function sendOnce<Reply extends Response | TextReply>(
  deps: ExchangeDeps,
  request: OutgoingRequest,
  read: (response: Response) => Promise<Reply>,
): Promise<Reply> {
  const isRead = request.method === 'GET';
  const timeoutMs = typeof request.body === 'function' ? STREAM_TIMEOUT_MS : TIMEOUT_MS;
  const deadline = startDeadline(timeoutMs, deps.signal, isRead ? 0 : WRITE_GRACE_MS);
  let throttled = false;
  let isStream = false;
  try {
    const response = await deps.fetch(request.url, initOf(request, deadline.signal));
    deps.noteAnswer(response.headers);
    const reply = await read(response);
    const location = response.headers.get('location');
    const redirection = { status: response.status, location, url: request.url };
    throwIfRedirected('Salesforce', redirection, "the org's present My Domain URL");
    throttled = isThrottled(reply);
    isStream = reply instanceof Response;
    return reply;
  } catch (error) {
    throwIfStopped(deps.signal);
    if (error instanceof DonorSyncError) throw error;
    throw unanswered('Salesforce', error, deadline.expired());
  } finally {
    // A stream is still to be read; the end of the run ends it.
    if (isStream) deadline.clearTimers();
    else deadline.release();
    deps.onCall({ throttled });
  }
}

/** Redirects come as answers: followed, they would take the token along. */
function initOf({ method, headers, body }: OutgoingRequest, signal: AbortSignal): RequestInit {
  const init = { method, headers, redirect: 'manual', signal } satisfies RequestInit;
  if (body === undefined) return init;
  return typeof body === 'string' ? { ...init, body } : { ...init, body: body(), duplex: 'half' };
}

async function readReply(response: Response): Promise<TextReply> {
  const { status, headers, body } = response;
  return { status, headers, text: body === null ? '' : await readBoundedText('Salesforce', body) };
}

/** A query that took too long once takes too long again, whatever status says it. */
function isPassing(reply: Response | TextReply): boolean {
  if (!PASSING_STATUSES.has(reply.status)) return isConcurrency(reply);
  return typeof reply.text !== 'string' || !reply.text.includes('QUERY_TIMEOUT');
}

function isThrottled(reply: Response | TextReply): boolean {
  if (reply.status !== 403 || typeof reply.text !== 'string') return reply.status === 429;
  return reply.text.includes('REQUEST_LIMIT_EXCEEDED');
}

/** Too many requests at once go by within seconds; too many in a day do not. */
function isConcurrency(reply: Response | TextReply): boolean {
  return isThrottled(reply) && typeof reply.text === 'string' && /concurrent/i.test(reply.text);
}
