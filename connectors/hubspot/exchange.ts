import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { WallClock } from '../../src/core/clock.ts';
import { DonorSyncError } from '../../src/core/errors.ts';
import type { ConnectorDeps } from '../contract.ts';
import { startDeadline, WRITE_GRACE_MS } from '../deadline.ts';
import { backoffMs, repeatWhilePassing } from '../repeat.ts';
import { throwIfRedirected, unanswered } from '../request-errors.ts';
import { throwIfStopped } from '../stopped.ts';
import { limitOf } from './limits.ts';
import type { Pacer } from './pacer.ts';
import { type TextReply, transmit, type WireRequest } from './transmit.ts';

/** One request as it goes out, below the API's address. */
export interface OutgoingRequest extends WireRequest {
  /** Of searches, which have a pace of their own besides. */
  searchPacer?: Pacer;
}

export type { TextReply };

export interface ExchangeDeps {
  /** Where the API answers, for example `https://api.hubapi.com`. */
  url: string;
  clock: WallClock;
  signal: AbortSignal;
  /** From 0 up to 1. */
  random: () => number;
  onCall: ConnectorDeps['onCall'];
  pacer: Pacer;
  /** True if the pace is the one that answers name. */
  keepsNamedLimit: boolean;
  /** Sees the headers of every answer. */
  noteAnswer: (headers: TextReply['headers']) => void;
}

/** Sends requests to HubSpot at its pace and repeats those that fail in passing. */
export interface Exchange {
  /** The whole answer, whatever its status. */
  send(request: OutgoingRequest): Promise<TextReply>;
  /** Ends what is still on its way and lets go of the connections. */
  close(): void;
}

/** Tries of one request; the waits between them begin at 0.5 seconds and double, give or take a half. */
const MAX_TRIES = 6;
const FIRST_WAIT_MS = 500;

/** HubSpot's own servers give up within a minute. */
const TIMEOUT_MS = 90_000;

/** 423 is answered while many changes are made at once, and wants at least this wait. */
const LOCKED_STATUS = 423;
const LOCKED_WAIT_MS = 2_000;

/** 477: the account is being moved, and `Retry-After` says for how long. */
const MIGRATION_STATUS = 477;

/** The most that is waited because an answer asks for it. */
const LONGEST_WAIT_MS = 60_000;

/** After a 429 that does not say how long. */
const LIMIT_WAIT_MS = 1_000;

/** So few requests are left of the present limit that one uneven moment would exceed it. */
const FEW_REMAINING = 2;
const FEW_REMAINING_WAIT_MS = 100;

/** From this status on it is HubSpot, or the network in front of it, that failed. */
const FIRST_SERVER_ERROR = 500;

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, LOCKED_STATUS, MIGRATION_STATUS]);

/** Connections that are kept open; each carries one request at a time. */
const MAX_SOCKETS = 32;

/**
 * Makes the exchange of one connector; opens nothing yet. The requests are built by HubSpot's
 * client library, but past its `Client`: constructing one changes retries and limits of every other
 * in the process, and what it has sent cannot be ended. Requests may be repeated
 * whatever their method: reads change nothing, the same values written twice are the same, and
 * things that are created are found again by their name.
 */
export function createExchange(deps: ExchangeDeps): Exchange {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const agent = deps.url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
  return {
    send: (request) =>
      repeatWhilePassing('HubSpot', deps.signal, {
        max: MAX_TRIES,
        send: () => sendAtPace(deps, agent, request),
        isPassing,
        wait: (reply, attempt) => waitToRepeat(deps, request, reply, attempt),
      }),
    close: () => agent.destroy(),
  };
}

async function sendAtPace(
  deps: ExchangeDeps,
  agent: HttpAgent | HttpsAgent,
  request: OutgoingRequest,
): Promise<TextReply> {
  const { clock, signal } = deps;
  const endSearch = await request.searchPacer?.take(clock, signal);
  const end = await deps.pacer.take(clock, signal);
  try {
    throwIfStopped(signal);
    return await sendOnce(deps, agent, request);
  } finally {
    end();
    endSearch?.();
  }
}

async function sendOnce(
  deps: ExchangeDeps,
  agent: HttpAgent | HttpsAgent,
  request: OutgoingRequest,
): Promise<TextReply> {
  const isRead = request.method === 'GET' || request.searchPacer !== undefined;
  const deadline = startDeadline(TIMEOUT_MS, deps.signal, isRead ? 0 : WRITE_GRACE_MS);
  let throttled = false;
  try {
    const reply = await transmit(deps.url, agent, request, deadline.signal);
    const { status, headers } = reply;
    const location = headers['location'] ?? null;
    throwIfRedirected('HubSpot', { status, location, url: deps.url }, "the API's present address");
    deps.noteAnswer(headers);
    keepNamedLimit(deps, headers);
    throttled = status === 429;
    return reply;
  } catch (error) {
    throwIfStopped(deps.signal);
    if (error instanceof DonorSyncError) throw error;
    throw unanswered('HubSpot', error, deadline.expired());
  } finally {
    deadline.release();
    deps.onCall({ throttled });
  }
}

/** Near the end of the limit everybody slows down: somebody else may be using it up, too. */
function keepNamedLimit(
  { pacer, clock, keepsNamedLimit }: ExchangeDeps,
  headers: TextReply['headers'],
): void {
  const named = keepsNamedLimit ? limitOf(headers) : null;
  if (named === null) return;
  pacer.keep(named.limit);
  if (named.remaining <= FEW_REMAINING) pacer.pause(clock, FEW_REMAINING_WAIT_MS);
}

function isPassing({ status, text }: TextReply): boolean {
  // Tomorrow is too long to wait for.
  if (status === 429) return !isDaily(text);
  return status >= FIRST_SERVER_ERROR || PASSING_STATUSES.has(status);
}

function isDaily(text: string): boolean {
  return /"policyName"\s*:\s*"DAILY"/.test(text);
}

/** Everybody waits for a limit; only this request waits for anything else. */
async function waitToRepeat(
  { clock, signal, random, pacer }: ExchangeDeps,
  { searchPacer }: OutgoingRequest,
  reply: TextReply | null,
  attempt: number,
): Promise<void> {
  const usualMs = backoffMs(FIRST_WAIT_MS, attempt, random);
  const asked = askedWaitMs(reply);
  if (reply?.status === 429) {
    const waitMs = asked ?? Math.max(LIMIT_WAIT_MS, usualMs);
    return (searchPacer ?? pacer).pause(clock, waitMs);
  }
  const leastMs = reply?.status === LOCKED_STATUS ? LOCKED_WAIT_MS : 0;
  await clock.sleep(asked ?? Math.max(leastMs, usualMs), signal);
}

/** `Retry-After`, in seconds. */
function askedWaitMs(reply: TextReply | null): number | null {
  const seconds = Number(reply?.headers['retry-after'] ?? Number.NaN);
  if (!(seconds >= 0)) return null;
  return Math.min(seconds * 1000, LONGEST_WAIT_MS);
}
