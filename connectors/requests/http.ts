/**
 * HTTP for connectors, with everything that each author would otherwise write. Requests are signed in, keep the CRM's
 * pace and daily limit, and are repeated if a failure is temporary. A response is checked with a schema. Every failure
 * becomes one of the four kinds of error, with a message that contains no key and nothing about people.
 */
import { hash } from 'node:crypto';
import type { z } from 'zod';
import { type Clock, systemClock, type WallClock } from '../../src/core/clock.ts';
import { withoutSlash } from '../../src/outbound/address.ts';
import { parseJson } from '../../src/outbound/exchange.ts';
import { outboundFetch } from '../../src/outbound/guard.ts';
import type { ConnectorDeps, LimitState } from '../contract.ts';
import { createDailyLimit } from './daily-limit.ts';
import { answerUnreadable, requestRefused, signInRefused } from './errors.ts';
import { type CrmReply, createCrmExchange, type RequestPace } from './exchange.ts';
import { createPacer, eachBoard } from './pacers.ts';

/** How to reach a CRM, and how to sign in. */
export type HttpOptions = HttpTarget & HttpSignIn;

export type HttpSignIn = KeySignIn | TokenSignIn;

/**
 * A sign-in with a key in `headers`. Clients with the same address and headers are one account, unless `account` is
 * different.
 */
interface KeySignIn {
  tokens?: undefined;
  account?: string;
}

/** With OAuth. */
interface TokenSignIn {
  /** The tokens (`shareSignIn`). Each request has a bearer token. */
  tokens: HttpTokens;
  /**
   * The account that the tokens are for, such as the client's name in the settings. Tokens change, so they do not show
   * whose requests the CRM counts together.
   */
  account: string;
}

/** How to reach a CRM. */
export interface HttpTarget {
  /** The CRM's name, as its users know it. */
  crm: string;
  /** The address of the API, as in `crm.url`. Paths of requests are appended to it. */
  url: string;
  deps: Pick<ConnectorDeps, 'clock' | 'signal' | 'onCall' | 'fetch' | 'board'>;
  /** Headers of each request, for example the header with the key. */
  headers?: Readonly<Record<string, string>>;
  /** The setting that contains the key, for the message about a rejected key. Defaults to `crm.apiKey`. */
  keySetting?: string;
  /**
   * The maximum number of requests in a period. All connectors of a process with the same address, headers and account
   * share it, and so do all processes on Postgres. If omitted or null, there is no limit, except after a 429.
   */
  pace?: { requests: number; perMs: number } | null;
  /** For a CRM that limits the requests of a day. */
  daily?: DailyOptions;
  /**
   * How often one request is tried. Defaults to 5. The first wait is `firstWaitMs` (one second), and each further wait
   * is twice as long.
   */
  maxTries?: number;
  firstWaitMs?: number;
  /** How long one attempt may take. Defaults to 60 seconds. */
  timeoutMs?: number;
  /**
   * Returns true if another attempt may avoid this response. By default, this is the case for 408, 425, 429 and 5xx.
   */
  isPassing?(reply: { status: number; text: string }): boolean;
}

export interface DailyOptions {
  /** Reads the limit from the headers of a response, or null if they do not contain it. */
  read(headers: Headers): LimitState['daily'] | null;
  /** The share that is left to the nonprofit's other tools. Defaults to 20. */
  reservePercent?: number;
  /** The period in the CRM's own terms. Defaults to `a day`. */
  period?: string;
}

/** The tokens of an OAuth sign-in. */
export interface HttpTokens {
  /** Sends with a current token. If the response is 401, renews the token and sends again. */
  authorized<Reply extends { status: number }>(
    send: (accessToken: string) => Promise<Reply>,
  ): Promise<Reply>;
}

/** One request. Names of people belong into a body, never into an address. */
export interface HttpRequest {
  /** `GET` if omitted. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash. Parts that are not fixed need `encodeURIComponent`. */
  path: string;
  /** Parts that are undefined are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** The body as JSON. */
  json?: unknown;
  /** The body as a form. */
  form?: Readonly<Record<string, string>>;
  /** False for a request that changes nothing although its method suggests otherwise. */
  isWrite?: boolean;
  /**
   * How often this request is tried, if it should be fewer times. Used for a request that the connector can also send
   * in smaller parts.
   */
  maxTries?: number;
  /**
   * Returns true for a response that refuses exactly this request, although its status says something else. It is not
   * repeated, and `ask` returns it. If omitted, only the status decides.
   */
  isRefusal?(reply: { status: number; text: string }): boolean;
}

/** The answer to a request about records. */
export type HttpAnswer<Body> =
  | { ok: true; status: number; body: Body }
  /**
   * The CRM refuses exactly this request. `body` is its JSON, or null. It may quote people, so never put it into a
   * message.
   */
  | { ok: false; status: number; body: unknown };

export interface Http {
  /** Returns the body of a successful response. For any other response, throws an error of the contract. */
  read<Body>(request: HttpRequest, schema: z.ZodType<Body>): Promise<Body>;
  /**
   * Returns the response. A refusal of this request (400, 403, 404, 409, 410, 412, 422, 423) is also returned, because
   * it may be about one record. For example, 403 can be a protected record, and 423 a locked one. Throws for any other
   * failure, as `read` does.
   */
  ask<Body>(request: HttpRequest, schema: z.ZodType<Body>): Promise<HttpAnswer<Body>>;
  /** Returns the daily limit, for `readLimits`, or null if the CRM has not reported one. */
  limits(): LimitState | null;
  /** Ends requests in flight. */
  close(): void;
}

/** Dependencies that all connectors of a process can share. If omitted, the connector creates its own. */
export interface HttpWorld {
  paces: HttpPaces;
  /** From 0 up to 1. */
  random: () => number;
}

/** Creates the HTTP part of an open connector. Sends nothing yet. */
export function createHttp(options: HttpOptions, { paces, random }: HttpWorld = MACHINE): Http {
  const { crm, headers = {}, tokens, deps } = options;
  const url = withoutSlash(options.url);
  const timeoutMs = options.timeoutMs ?? 60_000;
  const daily = createDailyLimit(options.daily?.reservePercent ?? DEFAULT_RESERVE_PERCENT, {
    allows: `${crm} allows`,
    period: options.daily?.period ?? 'a day',
  });
  const pace = paces.find(options);
  const exchange = createCrmExchange(
    {
      crm,
      address: "the API's present address",
      maxTries: options.maxTries ?? 5,
      firstWaitMs: options.firstWaitMs ?? 1_000,
      timeoutMs,
      isPassing: options.isPassing ?? isUsuallyPassing,
      isThrottled: ({ status }) => status === 429,
    },
    {
      fetch: deps.fetch ?? outboundFetch('anywhere'),
      clock: deps.clock,
      signal: deps.signal,
      onCall: deps.onCall,
      random,
      noteAnswer: (received) => daily.note(options.daily?.read(received) ?? null),
    },
  );

  return {
    async read(request, schema) {
      const answer = await ask(request, schema);
      if (answer.ok) return answer.body;
      throw refused(request, answer.status);
    },
    ask,
    limits: () => daily.state(),
    close: () => exchange.close(),
  };

  async function ask<Body>(
    request: HttpRequest,
    schema: z.ZodType<Body>,
  ): Promise<HttpAnswer<Body>> {
    daily.guard();
    const reply = await sendSigned(request);
    const { status, text } = reply;
    const json = parseJson(text);
    // Not every success has a body. A body that is not JSON is the page of a proxy.
    if (status < 300 && json === null && text.trim() !== '') throw answerUnreadable(crm);
    if (status >= 200 && status < 300) {
      const parsed = schema.safeParse(json);
      // The error of the schema quotes the response, which may contain names.
      if (!parsed.success) throw answerUnreadable(crm);
      return { ok: true, status, body: parsed.data };
    }
    if (status === 401) throw keyRefused();
    const isAboutRequest = ABOUT_THE_REQUEST.has(status) || request.isRefusal?.(reply) === true;
    if (!isAboutRequest) throw refused(request, status);
    return { ok: false, status, body: json };
  }

  function sendSigned(request: HttpRequest): Promise<CrmReply> {
    if (tokens === undefined) return send(request, {});
    return tokens.authorized((token) => send(request, { authorization: `Bearer ${token}` }));
  }

  function send(
    { method = 'GET', path, query = {}, json, form, isWrite, maxTries, isRefusal }: HttpRequest,
    signIn: Readonly<Record<string, string>>,
  ): Promise<CrmReply> {
    const target = new URL(url + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    const body = form === undefined ? toJson(json) : new URLSearchParams(form).toString();
    const type =
      form === undefined ? 'application/json' : 'application/x-www-form-urlencoded;charset=UTF-8';
    return exchange.send({
      method,
      url: target.href,
      headers: {
        accept: 'application/json',
        'user-agent': 'donor-sync',
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
        ...signIn,
      },
      paces: [pace],
      ...(body === undefined ? {} : { body }),
      ...(isWrite === undefined ? {} : { isWrite }),
      ...(isRefusal === undefined ? {} : { isRefusal }),
      ...(maxTries === undefined ? {} : { patience: { maxTries, timeoutMs } }),
    });
  }

  function keyRefused() {
    const message =
      tokens === undefined
        ? `${crm} rejected the key in ${options.keySetting ?? 'crm.apiKey'}: replace it, and check that crm.url is the API's address.`
        : `${crm} rejects the sign-in: connect the account again.`;
    return signInRefused(message, { details: { status: 401 } });
  }

  /** Paths contain IDs at most, and the query may contain more. */
  function refused({ method = 'GET', path }: HttpRequest, status: number) {
    const reason =
      status === 403
        ? 'Give its user the permission for it.'
        : "Check that crm.url is the API's address, and that its version is supported.";
    const message = `${crm} refuses ${method} ${path} (status ${status}). ${reason}`;
    return requestRefused(message, { details: { status } });
  }
}

/** The percentage of the daily requests that is left to other tools. */
const DEFAULT_RESERVE_PERCENT = 20;

/** The statuses with which a CRM may refuse one record, one value or one ID. */
const ABOUT_THE_REQUEST: ReadonlySet<number> = new Set([
  ...[400, 403, 404, 409, 410, 412, 422, 423],
]);

const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

function isUsuallyPassing({ status }: { status: number }): boolean {
  return status >= 500 || PASSING.has(status);
}

function toJson(json: unknown): string | undefined {
  return json === undefined ? undefined : JSON.stringify(json);
}

/** The paces of a process, each created on first use. */
export interface HttpPaces {
  find(options: HttpOptions): RequestPace;
}

/**
 * Creates the paces. On a board, an account shares its pace with other processes. Connectors with the same clock share
 * their paces.
 */
export function createHttpPaces(): HttpPaces {
  const known = new WeakMap<WallClock, ReturnType<typeof createBoards>>();
  return {
    find({ crm, url, headers = {}, account = null, deps: { clock, board = null }, pace = null }) {
      const limit = pace === null ? null : { requests: pace.requests, windowMs: pace.perMs };
      const boards = known.get(clock) ?? createBoards();
      known.set(clock, boards);
      const paces = boards(board);
      // A key must not be in clear text on the board, or in a map that lives as long as the process.
      const target = [crm, withoutSlash(url), headers, account, limit];
      const key = hash('sha256', JSON.stringify(target));
      const shared = board && { board, key };
      const found = paces.get(key) ?? createPacer(toPaceClock(clock), limit, shared);
      paces.set(key, found);
      return found;
    },
  };
}

function createBoards() {
  return eachBoard(() => new Map<string, RequestPace>());
}

/** Returns a clock for the paces. A clock that only knows the time of day cannot measure a wait. */
function toPaceClock(clock: ConnectorDeps['clock']): Pick<Clock, 'monotonicMs' | 'sleep'> {
  return isWhole(clock) ? clock : systemClock;
}

function isWhole(clock: ConnectorDeps['clock']): clock is Clock {
  return clock.monotonicMs !== undefined;
}

const MACHINE: HttpWorld = { paces: createHttpPaces(), random: Math.random };
