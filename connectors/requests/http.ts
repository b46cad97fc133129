/**
 * The HTTP functions for connectors. Authors of connectors do not have to implement their own HTTP functions. The
 * functions sign in, keep to the CRM's pace and daily limit, and repeat requests after temporary failures. The HTTP
 * functions check each response with a schema. The HTTP functions convert each failure to an error of one of the four
 * kinds. The error's message contains neither keys nor data about people.
 */
import { hash } from 'node:crypto';
import type { z } from 'zod';
import { type Clock, systemClock, type WallClock } from '../../src/core/clock.ts';
import { withoutSlash } from '../../src/outbound/address.ts';
import { type AnswerHeaders, parseJson } from '../../src/outbound/exchange.ts';
import { outboundSend } from '../../src/outbound/guard.ts';
import type { ConnectorDeps, LimitState } from '../contract.ts';
import { createDailyLimit } from './daily-limit.ts';
import { answerUnreadable, requestRefused, signInRefused } from './errors.ts';
import { type CrmReply, createCrmExchange, type RequestPace } from './exchange.ts';
import { createPacer, eachBoard } from './pacers.ts';

/** The address of the CRM and the way to sign in. */
export type HttpOptions = HttpTarget & HttpSignIn;

export type HttpSignIn = KeySignIn | TokenSignIn;

/**
 * A sign-in with a key in `headers`. Connectors with the same address and headers share one account, unless `account`
 * differs.
 */
interface KeySignIn {
  tokens?: undefined;
  account?: string;
}

/** A sign-in with OAuth. */
interface TokenSignIn {
  /** The tokens (`shareSignIn`). Each request contains a bearer token. */
  tokens: HttpTokens;
  /**
   * The account to which the tokens belong, such as the client's name in the settings. Tokens change, so they cannot
   * serve as the account's name.
   */
  account: string;
}

/** The address of a CRM, and its limits. */
export interface HttpTarget {
  crm: string;
  /**
   * The address of the API. The API's address has the same form as `crm.url`. donor-sync appends each request's path to
   * the address.
   */
  url: string;
  deps: Pick<ConnectorDeps, 'clock' | 'signal' | 'onCall' | 'fetch' | 'board'>;
  /** Headers that every request contains, for example the header with the key. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The setting that contains the key. The message about a rejected key names the setting. The default setting is
   * `crm.apiKey`.
   */
  keySetting?: string;
  /**
   * The maximum pace of requests. All connectors in the process with the same account share this pace. With Postgres,
   * all processes share the pace. If the pace is omitted, requests slow down only after the CRM responds with 429 (too
   * many requests).
   */
  pace?: { requests: number; perMs: number } | null;
  /** The daily limit of the CRM's requests, if the CRM has one. */
  daily?: DailyOptions;
  /**
   * The maximum number of attempts for one request. The default maximum is 5 attempts. The first wait is `firstWaitMs`
   * (one second), and each further wait is twice as long.
   */
  maxTries?: number;
  firstWaitMs?: number;
  /** The timeout of one attempt (ms). The default timeout is 60 seconds. */
  timeoutMs?: number;
  /**
   * Returns true if the response reports a temporary failure, so that another attempt is worthwhile. By default,
   * responses with the status 408, 425, 429 or 5xx report a temporary failure.
   */
  isPassing?(reply: { status: number; text: string }): boolean;
}

export interface DailyOptions {
  /** Reads the daily limit from a response's headers. Returns null if the headers do not contain the daily limit. */
  read(headers: AnswerHeaders): LimitState['daily'] | null;
  /** The percentage of the requests that is reserved for the nonprofit's other tools. The default percentage is 20. */
  reservePercent?: number;
  /** The period in the CRM's own terms. The default text is `a day`. */
  period?: string;
}

/** The tokens of an OAuth sign-in. */
export interface HttpTokens {
  /** Sends a request. If the response is a 401, renews the token and sends the request again. */
  authorized<Reply extends { status: number }>(
    send: (accessToken: string) => Promise<Reply>,
  ): Promise<Reply>;
}

export interface HttpRequest {
  /** The HTTP method. The default method is `GET`. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, which starts with a slash. Use `encodeURIComponent` for the variable parts of the path. */
  path: string;
  /** The parameters of the query. donor-sync omits undefined parameters from the query. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Headers of this request, in addition to the headers of `createHttp`. */
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  /** The body, which is sent as a form. */
  form?: Readonly<Record<string, string>>;
  /**
   * False for a request that changes nothing although its method suggests otherwise. A read ends when the run stops,
   * and it is repeated if the response is not JSON. When the run stops, a write in progress gets five more seconds.
   */
  isWrite?: boolean;
  /**
   * The maximum number of attempts for this request, if it is lower than the usual number. A lower number is useful for
   * requests that can be split into smaller requests.
   */
  maxTries?: number;
  /**
   * Returns true for a final refusal that has the status of a temporary failure. donor-sync does not repeat a request
   * after a final refusal, and `ask` returns the response. If the function is omitted, only the status decides.
   */
  isRefusal?(reply: { status: number; text: string }): boolean;
}

/** The answer to a request about records. */
export type HttpAnswer<Body> =
  | { ok: true; status: number; body: Body }
  /**
   * The CRM refuses this request. `body` is the parsed JSON, or null. The body may quote people, so a message must
   * never contain it.
   */
  | { ok: false; status: number; body: unknown };

export interface Http {
  /** Sends a request and returns the body. For any other response, throws an error of the contract. */
  read<Body>(request: HttpRequest, schema: z.ZodType<Body>): Promise<Body>;
  /**
   * Sends a request. Also returns a refusal of this request (400, 403, 404, 409, 410, 412, 422, 423). The refusal may
   * concern a single record. For example, 403 can mean a protected record, and 423 a locked record. Throws for any
   * other failure, like the function `read`.
   */
  ask<Body>(request: HttpRequest, schema: z.ZodType<Body>): Promise<HttpAnswer<Body>>;
  /** Returns the daily limit for `readLimits`. */
  limits(): LimitState | null;
  /** Ends requests in flight. */
  close(): void;
}

/**
 * Objects that all connectors of a process can share. If the shared objects are omitted, the connector creates its own.
 */
export interface HttpWorld {
  paces: HttpPaces;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
}

/** Creates the HTTP functions of an open connector without sending a request. */
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
      fetch: deps.fetch ?? outboundSend('anywhere'),
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
    // Some successful responses have no body. If a body is not JSON, it usually comes from a proxy.
    if (status < 300 && json === null && text.trim() !== '') throw answerUnreadable(crm);
    if (status >= 200 && status < 300) {
      const parsed = schema.safeParse(json);
      // donor-sync does not pass on the schema's own error, because it quotes the response, which may contain names.
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
    {
      method = 'GET',
      path,
      query = {},
      json,
      form,
      isWrite,
      maxTries,
      isRefusal,
      ...own
    }: HttpRequest,
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
        ...own.headers,
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

  /** The error names the path but not the query, because a query may contain more than IDs. */
  function refused({ method = 'GET', path }: HttpRequest, status: number) {
    const reason =
      status === 403
        ? 'Give its user the permission for it.'
        : "Check that crm.url is the API's address, and that its version is supported.";
    const message = `${crm} refuses ${method} ${path} (status ${status}). ${reason}`;
    return requestRefused(message, { details: { status } });
  }
}

/** The default percentage of the daily requests that is reserved for other tools. */
const DEFAULT_RESERVE_PERCENT = 20;

/** The statuses with which a CRM may refuse a single record, value or ID. */
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

/** The pacers of a process. The registry creates each pacer when it is first used. */
export interface HttpPaces {
  find(options: HttpOptions): RequestPace;
}

/**
 * Creates the pacers. If there is a departure board, all processes share the pace of an account. Connectors with the
 * same clock share the same pacers.
 */
export function createHttpPaces(): HttpPaces {
  const known = new WeakMap<WallClock, ReturnType<typeof createBoards>>();
  return {
    find({ crm, url, headers = {}, account = null, deps: { clock, board = null }, pace = null }) {
      const limit = pace === null ? null : { requests: pace.requests, windowMs: pace.perMs };
      const boards = known.get(clock) ?? createBoards();
      known.set(clock, boards);
      const paces = boards(board);
      // donor-sync hashes the pacer's key, because the API key must not be readable on the board or in memory.
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

/** Returns a clock that can measure elapsed time. A clock that only knows the time of day cannot measure a wait. */
function toPaceClock(clock: ConnectorDeps['clock']): Pick<Clock, 'monotonicMs' | 'sleep'> {
  return isWhole(clock) ? clock : systemClock;
}

function isWhole(clock: ConnectorDeps['clock']): clock is Clock {
  return clock.monotonicMs !== undefined;
}

const MACHINE: HttpWorld = { paces: createHttpPaces(), random: Math.random };
