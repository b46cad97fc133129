import type { WallClock } from '../../src/core/clock.ts';
import { isConfigurationError } from '../../src/core/errors.ts';
import { isRedirect } from '../../src/outbound/address.ts';
import {
  type AnswerHead,
  type AnswerHeaders,
  exchange,
  type Outcome,
  type Outgoing,
  parseJson,
  type SendRequest,
} from '../../src/outbound/exchange.ts';
import { backoffMs, retryAfterMs } from '../../src/outbound/retry.ts';
import type { ConnectorDeps } from '../contract.ts';
import { answerUnreadable, bodyTooLarge, redirected, stayedBusy, unanswered } from './errors.ts';
import { throwIfStopped } from './stopped.ts';

export interface CrmRequest extends Outgoing {
  /** False for a request that changes nothing although its method suggests otherwise. */
  isWrite?: boolean;
  /**
   * The pacers that delay the request before each attempt. After a response with status 429 (too many requests), the
   * first pacer pauses all its requests.
   */
  paces?: readonly RequestPace[];
  /**
   * A smaller number of attempts and a shorter timeout. The lower limits are for requests that a run can do without.
   */
  patience?: { maxTries: number; timeoutMs: number };
  /** Returns true for a final refusal that has the status of a temporary failure. */
  isRefusal?(reply: CrmReply): boolean;
}

/** The pace of requests that share one limit at the CRM. */
export interface RequestPace {
  take(signal: AbortSignal): Promise<() => void>;
  pause(ms: number): void;
}

/** The whole response. If the response is streamed, `chunks` contains the body and `text` is empty. */
export interface CrmReply extends AnswerHead {
  text: string;
  chunks: AsyncIterable<Uint8Array> | null;
}

/** Describes how a CRM behaves over HTTP. */
export interface CrmManners {
  crm: string;
  /** A description of the address that users must write into the settings if the CRM redirects requests. */
  address: string;
  maxTries: number;
  firstWaitMs: number;
  timeoutMs: number;
  isPassing(reply: CrmReply): boolean;
  isThrottled(reply: CrmReply): boolean;
  /** Returns the minimum wait (ms) after a response with this status. */
  leastWaitMs?(status: number): number;
}

/** The options that a connector needs to reach a CRM. */
export interface CrmLine {
  fetch: SendRequest;
  clock: WallClock;
  signal: AbortSignal;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
  onCall: ConnectorDeps['onCall'];
  /** A function that receives the headers of every response. */
  noteAnswer: (headers: AnswerHeaders) => void;
}

export interface CrmExchange {
  /**
   * Sends a request and returns the whole response, whatever its status is. Throws an error of one of the four kinds if
   * no response is received.
   */
  send(request: CrmRequest): Promise<CrmReply>;
  /** Returns a `send` function whose requests end early if this signal is aborted. */
  until(early: AbortSignal): CrmExchange['send'];
  /** Ends requests that are in flight. */
  close(): void;
}

/** When a run is stopped, the time (ms) for which a write in progress may continue. */
const WRITE_GRACE_MS = 5_000;

/** The timeout (ms) of a large upload. */
const UPLOAD_TIMEOUT_MS = 600_000;

/** The maximum wait (ms) that a response can request. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Creates the exchange of a connector. All requests may be repeated safely. Repeating a read is safe, because it
 * changes nothing. Repeating a write is safe, because it has the same result. If the response to a creation is lost,
 * donor-sync finds the new object by its name.
 */
export function createCrmExchange(manners: CrmManners, line: CrmLine): CrmExchange {
  const { crm } = manners;
  const { clock, random } = line;
  const closed = new AbortController();
  const ending = AbortSignal.any([line.signal, closed.signal]);
  return {
    send: (request) => send(request, ending),
    until(early) {
      const signal = AbortSignal.any([ending, early]);
      return (request) => send(request, signal);
    },
    close: () => closed.abort(),
  };

  async function send(request: CrmRequest, signal: AbortSignal): Promise<CrmReply> {
    // donor-sync does not repeat an upload. Half of an interrupted upload may have arrived, and the CRM would reject a
    // second upload.
    const maxTries =
      typeof request.body === 'function' ? 1 : (request.patience?.maxTries ?? manners.maxTries);
    for (let attempt = 1; ; attempt += 1) {
      throwIfStopped(signal);
      const outcome = await sendAtPace(request, signal);
      const reply = replyIn(outcome);
      const isOdd = reply !== null && isUnreadable(request, reply);
      if (reply !== null && !isOdd && isFinal(request, reply)) return reply;
      if (reply === null) throwIfStopped(signal);
      if (attempt === maxTries) throw isOdd ? answerUnreadable(crm) : toFailure(outcome);
      await waitToRepeat(request, reply, { attempt, signal });
    }
  }

  function isFinal(request: CrmRequest, reply: CrmReply): boolean {
    return !manners.isPassing(reply) || request.isRefusal?.(reply) === true;
  }

  async function sendAtPace(request: CrmRequest, signal: AbortSignal): Promise<Outcome> {
    const ends: (() => void)[] = [];
    try {
      for (const pace of request.paces ?? []) ends.push(await takeTurn(pace, signal));
      const outcome = await exchange(toSendOptions(request, signal), request);
      const reply = replyIn(outcome);
      line.onCall({ throttled: reply !== null && manners.isThrottled(reply) });
      if (reply !== null && isRedirect(reply.status)) {
        throw redirected(crm, reply, request.url, manners.address);
      }
      if (outcome.kind === 'broken' && outcome.why === 'size') throw bodyTooLarge(crm);
      // The request guard rejected the address, and it would reject the address again.
      if (outcome.kind === 'unsent' && isConfigurationError(outcome.cause)) throw outcome.cause;
      return outcome;
    } finally {
      for (const end of ends) end();
    }
  }

  function toSendOptions(
    { method, body, isWrite = method !== 'GET', patience }: CrmRequest,
    signal: AbortSignal,
  ) {
    const timeoutMs = patience?.timeoutMs ?? manners.timeoutMs;
    return {
      fetch: line.fetch,
      signal,
      timeoutMs: typeof body === 'function' ? UPLOAD_TIMEOUT_MS : timeoutMs,
      graceMs: isWrite ? WRITE_GRACE_MS : 0,
      onHead: line.noteAnswer,
    };
  }

  async function takeTurn(pace: RequestPace, signal: AbortSignal): Promise<() => void> {
    try {
      return await pace.take(signal);
    } catch (error) {
      throwIfStopped(signal);
      throw error;
    }
  }

  function toFailure(outcome: Outcome): Error {
    if (outcome.kind === 'unsent') return unanswered(crm, outcome.cause, false);
    if (outcome.kind === 'broken') return unanswered(crm, outcome.cause, outcome.why === 'timeout');
    return stayedBusy(crm, outcome.status);
  }

  /**
   * Waits before the next attempt. If a request limit was reached, all requests with the same pace wait. After any
   * other failure, only the failed request waits.
   */
  async function waitToRepeat(
    request: CrmRequest,
    reply: CrmReply | null,
    { attempt, signal }: { attempt: number; signal: AbortSignal },
  ) {
    const askedMs = reply === null ? null : retryAfterMs(reply.headers, clock.now());
    const leastMs = manners.leastWaitMs?.(reply?.status ?? 0) ?? 0;
    const usualMs = Math.max(leastMs, backoffMs(manners.firstWaitMs, attempt, random));
    const waitMs = Math.min(askedMs ?? usualMs, LONGEST_WAIT_MS);
    const [pace] = reply?.status === 429 ? (request.paces ?? []) : [];
    if (pace === undefined) await clock.sleep(waitMs, signal);
    else pace.pause(waitMs);
  }
}

/**
 * Returns true if the successful response to a read is not JSON. A response that is not JSON may be a proxy's page, or
 * it may be incomplete or empty. For a write, the caller examines the response.
 */
function isUnreadable(
  { method, isWrite = method !== 'GET', headers }: CrmRequest,
  reply: CrmReply,
) {
  if (isWrite || reply.status !== 200 || reply.chunks !== null) return false;
  return headers['accept'] === 'application/json' && parseJson(reply.text) === null;
}

/** Returns the response, or null if there was no complete response. */
function replyIn(outcome: Outcome): CrmReply | null {
  if (outcome.kind === 'answered') return { ...outcome, chunks: null };
  return outcome.kind === 'opened' ? { ...outcome, text: '' } : null;
}
