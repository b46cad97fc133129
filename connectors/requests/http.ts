/**
 * The HTTP part of a connector. Connector authors do not have to write it themselves. It signs in, keeps to the CRM's
 * pace and daily limit, and repeats requests after temporary failures. A response is checked with a schema. Every
 * failure becomes an error of one of the four kinds. Its message contains neither keys nor data about people.
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

/** How to reach a CRM, and how to sign in. */
export type HttpOptions = HttpTarget & HttpSignIn;

export type HttpSignIn = KeySignIn | TokenSignIn;

/** A sign-in with a key in `headers`. The same address and headers are one account, unless `account` differs. */
interface KeySignIn {
  tokens?: undefined;
  account?: string;
}

/** With OAuth. */
interface TokenSignIn {
  /** The tokens (`shareSignIn`). Each request has a bearer token. */
  tokens: HttpTokens;
  /**
   * The account to which the tokens belong, such as the client's name in the settings. Tokens change, so they cannot
   * identify an account.
   */
  account: string;
}

/** How to reach a CRM. */
export interface HttpTarget {
  crm: string;
  /** The address of the API. It has the same form as `crm.url`. Paths of requests are appended to it. */
  url: string;
  deps: Pick<ConnectorDeps, 'clock' | 'signal' | 'onCall' | 'fetch' | 'board'>;
  /** Headers of each request, for example the header with the key. */
  headers?: Readonly<Record<string, string>>;
  /** The setting that contains the key, for the message about a rejected key. Defaults to `crm.apiKey`. */
  keySetting?: string;
  /**
   * Connectors of a process with the same account share this. On Postgres, all processes do. Without it, only a 429
   * limits requests.
   */
  pace?: { requests: number; perMs: number } | null;
  /** Set it for a CRM that limits the number of requests per day. */
  daily?: DailyOptions;
  /**
   * The maximum number of attempts for one request. Defaults to 5. The first wait is `firstWaitMs` (one second), and
   * each further wait is twice as long.
   */
  maxTries?: number;
  firstWaitMs?: number;
  /** The maximum duration of one attempt. Defaults to 60 seconds. */
  timeoutMs?: number;
  /**
   * Returns true if another attempt may avoid this response. By default, this is the case for 408, 425, 429 and 5xx.
   */
  isPassing?(reply: { status: number; text: string }): boolean;
}

export interface DailyOptions {
  /** Reads the limit from the headers of a response, or null if they do not contain it. */
  read(headers: AnswerHeaders): LimitState['daily'] | null;
  /** The nonprofit's other tools keep this share. Defaults to 20. */
  reservePercent?: number;
  /** The period in the CRM's own terms. Defaults to `a day`. */
  period?: string;
}

/** The tokens of an OAuth sign-in. */
export interface HttpTokens {
  /** If the response is a 401, renews the token and sends the request again. */
  authorized<Reply extends { status: number }>(
    send: (accessToken: string) => Promise<Reply>,
  ): Promise<Reply>;
}

export interface HttpRequest {
  /** If omitted, `GET`. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash. Use `encodeURIComponent` for parts that are not fixed. */
  path: string;
  /** Parts that are undefined are omitted. */
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Headers of this request, in addition to those of `createHttp`. */
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  /** The body as a form. */
  form?: Readonly<Record<string, string>>;
  /**
   * False for a request that changes nothing although its method suggests otherwise. A read ends when the run stops,
   * and is repeated without JSON. A write in progress gets five more seconds.
   */
  isWrite?: boolean;
  /**
   * The maximum number of attempts for this request, if it is lower than usual. For requests that can be sent in
   * smaller parts.
   */
  maxTries?: number;
  /**
   * True for a final refusal with a misleading status. The request is not repeated, and `ask` returns the response. If
   * omitted, only the status decides.
   */
  isRefusal?(reply: { status: number; text: string }): boolean;
}

/** The answer to a request about records. */
export type HttpAnswer<Body> =
  | { ok: true; status: number; body: Body }
  /**
   * The CRM refuses exactly this request. `body` is the parsed JSON, or null. It may quote people, so messages must
   * never contain it.
   */
  | { ok: false; status: number; body: unknown };

export interface Http {
  /** For any other response, throws an error of the contract. */
  read<Body>(request: HttpRequest, schema: z.ZodType<Body>): Promise<Body>;
  /**
   * A refusal of this request (400, 403, 404, 409, 410, 412, 422, 423) is also returned. It may concern one record. For
   * example, 403 can mean a protected record, and 423 a locked record. Throws for any other failure, as `read` does.
   */
  ask<Body>(request: HttpRequest, schema: z.ZodType<Body>): Promise<HttpAnswer<Body>>;
  /** `readLimits` uses this. */
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
    // Some successful responses have no body. A body without JSON usually comes from a proxy.
    if (status < 300 && json === null && text.trim() !== '') throw answerUnreadable(crm);
    if (status >= 200 && status < 300) {
      const parsed = schema.safeParse(json);
      // The schema's error quotes the response, which may contain names.
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

  /** Paths may contain IDs, and queries more, so queries are left out. */
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

/** The pacers of a process. Each pacer is created when it is first used. */
export interface HttpPaces {
  find(options: HttpOptions): RequestPace;
}

/**
 * If there is a board, all processes share the pace of an account. Connectors with the same clock share the same
 * pacers.
 */
export function createHttpPaces(): HttpPaces {
  const known = new WeakMap<WallClock, ReturnType<typeof createBoards>>();
  return {
    find({ crm, url, headers = {}, account = null, deps: { clock, board = null }, pace = null }) {
      const limit = pace === null ? null : { requests: pace.requests, windowMs: pace.perMs };
      const boards = known.get(clock) ?? createBoards();
      known.set(clock, boards);
      const paces = boards(board);
      // A key must not be readable on the board or in memory.
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

/** Returns a clock that can measure waits. A clock that only knows the time of day cannot measure a wait. */
function toPaceClock(clock: ConnectorDeps['clock']): Pick<Clock, 'monotonicMs' | 'sleep'> {
  return isWhole(clock) ? clock : systemClock;
}

function isWhole(clock: ConnectorDeps['clock']): clock is Clock {
  return clock.monotonicMs !== undefined;
}

const MACHINE: HttpWorld = { paces: createHttpPaces(), random: Math.random };
