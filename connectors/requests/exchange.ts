import type { WallClock } from '../../src/core/clock.ts';
import { isConfigurationError } from '../../src/core/errors.ts';
import { isRedirect } from '../../src/outbound/address.ts';
import {
  type AnswerHead,
  exchange,
  type Outcome,
  type Outgoing,
  parseJson,
} from '../../src/outbound/exchange.ts';
import { backoffMs, retryAfterMs } from '../../src/outbound/retry.ts';
import type { ConnectorDeps } from '../contract.ts';
import { answerUnreadable, bodyTooLarge, redirected, stayedBusy, unanswered } from './errors.ts';
import { throwIfStopped } from './stopped.ts';

/** One request to a CRM. */
export interface CrmRequest extends Outgoing {
  /** False for a request that changes nothing although its method suggests otherwise. */
  isWrite?: boolean;
  /** The paces for which it waits before each attempt. After a 429, the first one is paused. */
  paces?: readonly RequestPace[];
  /** For requests that a run does not need. They get fewer attempts, and less time for each. */
  patience?: { maxTries: number; timeoutMs: number };
  /** Returns true for a response that refuses this request, although it looks like a temporary failure. */
  isRefusal?(reply: CrmReply): boolean;
}

/** The pace of requests that a CRM counts together. */
export interface RequestPace {
  take(signal: AbortSignal): Promise<() => void>;
  pause(ms: number): void;
}

/** The whole response. If it is streamed, the text is empty and `chunks` is its body. */
export interface CrmReply extends AnswerHead {
  text: string;
  chunks: AsyncIterable<Uint8Array> | null;
}

/** How a CRM behaves over HTTP. */
export interface CrmManners {
  /** The CRM's name, as its users know it. */
  crm: string;
  /** The address to write into the settings if the CRM redirects. */
  address: string;
  maxTries: number;
  firstWaitMs: number;
  timeoutMs: number;
  /** Returns true for a response that another attempt may avoid. */
  isPassing(reply: CrmReply): boolean;
  isThrottled(reply: CrmReply): boolean;
  /** Returns the minimum wait after a response with that status. */
  leastWaitMs?(status: number): number;
}

/** The options that are needed to reach a CRM. */
export interface CrmLine {
  fetch: typeof globalThis.fetch;
  clock: WallClock;
  signal: AbortSignal;
  /** From 0 up to 1. */
  random: () => number;
  onCall: ConnectorDeps['onCall'];
  /** Receives the headers of every response. */
  noteAnswer: (headers: Headers) => void;
}

/** Sends requests to a CRM at their pace, and repeats requests that fail temporarily. */
export interface CrmExchange {
  /** Returns the whole response, whatever its status. Throws one of the four kinds of error if there is none. */
  send(request: CrmRequest): Promise<CrmReply>;
  /** Ends requests that are in flight. */
  close(): void;
}

/** How long a write in progress may continue once the run is to stop. */
const WRITE_GRACE_MS = 5_000;

/** A large upload may take longer than any other request. */
const UPLOAD_TIMEOUT_MS = 600_000;

/** The longest wait that a response can request. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Creates a connector's exchange. Opens nothing yet. Requests may be repeated whatever their method. Reads change
 * nothing, writing the same values twice gives the same result, and created things are found again by their name.
 */
export function createCrmExchange(manners: CrmManners, line: CrmLine): CrmExchange {
  const { crm } = manners;
  const { clock, random } = line;
  const closed = new AbortController();
  const signal = AbortSignal.any([line.signal, closed.signal]);
  return { send, close: () => closed.abort() };

  async function send(request: CrmRequest): Promise<CrmReply> {
    // Half of an upload may have arrived, and a second upload would be rejected.
    const maxTries =
      typeof request.body === 'function' ? 1 : (request.patience?.maxTries ?? manners.maxTries);
    for (let attempt = 1; ; attempt += 1) {
      throwIfStopped(signal);
      const outcome = await sendAtPace(request);
      const reply = replyIn(outcome);
      const isOdd = reply !== null && isUnreadable(request, reply);
      if (reply !== null && !isOdd && isFinal(request, reply)) return reply;
      if (reply === null) throwIfStopped(signal);
      if (attempt === maxTries) throw isOdd ? answerUnreadable(crm) : toFailure(outcome);
      await waitToRepeat(request, reply, attempt);
    }
  }

  function isFinal(request: CrmRequest, reply: CrmReply): boolean {
    return !manners.isPassing(reply) || request.isRefusal?.(reply) === true;
  }

  async function sendAtPace(request: CrmRequest): Promise<Outcome> {
    const ends: (() => void)[] = [];
    try {
      for (const pace of request.paces ?? []) ends.push(await pace.take(signal).catch(stopped));
      const outcome = await exchange(toSendOptions(request), request);
      const reply = replyIn(outcome);
      line.onCall({ throttled: reply !== null && manners.isThrottled(reply) });
      if (reply !== null && isRedirect(reply.status)) {
        throw redirected(crm, reply, request.url, manners.address);
      }
      if (outcome.kind === 'broken' && outcome.why === 'size') throw bodyTooLarge(crm);
      // The guard rejects the address, and would reject it again.
      if (outcome.kind === 'unsent' && isConfigurationError(outcome.cause)) throw outcome.cause;
      return outcome;
    } finally {
      for (const end of ends) end();
    }
  }

  function toSendOptions({ method, body, isWrite = method !== 'GET', patience }: CrmRequest) {
    const timeoutMs = patience?.timeoutMs ?? manners.timeoutMs;
    return {
      fetch: line.fetch,
      signal,
      timeoutMs: typeof body === 'function' ? UPLOAD_TIMEOUT_MS : timeoutMs,
      graceMs: isWrite ? WRITE_GRACE_MS : 0,
      onHead: line.noteAnswer,
    };
  }

  function stopped(error: unknown): never {
    throwIfStopped(signal);
    throw error;
  }

  function toFailure(outcome: Outcome): Error {
    if (outcome.kind === 'unsent') return unanswered(crm, outcome.cause, false);
    if (outcome.kind === 'broken') return unanswered(crm, outcome.cause, outcome.why === 'timeout');
    return stayedBusy(crm, outcome.status);
  }

  /**
   * Waits before a retry. After a limit was reached, all requests of a pace wait. For any other reason, only this
   * request waits.
   */
  async function waitToRepeat(request: CrmRequest, reply: CrmReply | null, attempt: number) {
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
 * True if a successful response to a read is not JSON but the page of a proxy, an incomplete response, or nothing.
 * After a write, the caller decides.
 */
function isUnreadable(
  { method, isWrite = method !== 'GET', headers }: CrmRequest,
  reply: CrmReply,
) {
  if (isWrite || reply.status !== 200 || reply.chunks !== null) return false;
  return headers['accept'] === 'application/json' && parseJson(reply.text) === null;
}

/** Returns the response, or null if there was none or it was incomplete. */
function replyIn(outcome: Outcome): CrmReply | null {
  if (outcome.kind === 'answered') return { ...outcome, chunks: null };
  return outcome.kind === 'opened' ? { ...outcome, text: '' } : null;
}
