/** Checks every request and completes every response: host names, bodies, headers, and the log. */

import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { accepts } from 'hono/accepts';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { routePath } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import type { Clock } from '../../../core/clock.ts';
import type { Log } from '../../../core/log.ts';
import { newId } from '../../../core/new-id.ts';
import { invalidRequest } from '../../../core/shared-errors.ts';
import { renderNotice } from '../notice.ts';
import type { AddressBook } from './address-book.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { answer, answerError, bodyUnreadable, HttpError, nothingHere } from './errors.ts';
import {
  findCaller,
  getHostname,
  getOwnAddress,
  type IsTrustedProxy,
  isLoopbackName,
  matchRanges,
} from './peer.ts';
import { createRouter } from './router.ts';

/** Refuses addresses with the character U+0000 (422). No ID contains this character, and Postgres rejects it. */
export const refuseNullCharacters = createMiddleware<HttpEnv>(async (c, next) => {
  if (!c.req.url.includes('%00')) return next();
  throw invalidRequest('An address cannot contain the character U+0000.');
});

/**
 * The page that confirms an address, and its files. Under an unconfirmed address, donor-sync serves only these paths,
 * and nobody can sign in.
 */
const BEFORE_CONFIRMED = /^\/(confirm-address|assets)\//;

/**
 * Responds with 421 to an unknown host name. A foreign page can make its own name resolve to this machine (DNS
 * rebinding), and would then look like one of donor-sync's pages. Accepts this machine's names, the public name and the
 * IP address of the connection. Ignores the port, because tunnels change it and attackers gain nothing from it.
 */
export function requireKnownHost(address: AddressBook): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const hostname = getHostname(c);
    const isOurs =
      isLoopbackName(hostname) || address.isOurs(hostname) || hostname === getOwnAddress(c);
    if (isOurs || (address.isProposed(hostname) && BEFORE_CONFIRMED.test(c.req.path)))
      return next();
    throw new HttpError(
      421,
      'host_unknown',
      'This service does not respond under that name. Its names are in the setting server.publicUrl, or under Users, Address.',
    );
  };
}

/** Paths that CRMs and monitoring tools call. These paths have a secret or a signature, or need no protection. */
const FROM_OUTSIDE = /^\/(hooks\/|doors\/|healthz$|readyz$)/;

/**
 * Hides the pages and the API from callers outside `server.pagesFrom`. CRMs can then reach the server while everything
 * else stays private. Checks the caller's IP address, because proxies can forward any host name.
 */
export function requireInside(
  ranges: readonly string[] | null,
  isTrusted: IsTrustedProxy,
): MiddlewareHandler<HttpEnv> {
  if (ranges === null) return (_c, next) => next();
  const isInside = matchRanges(ranges);
  return async (c, next) => {
    if (!FROM_OUTSIDE.test(c.req.path) && !isInside(findCaller(c, isTrusted))) {
      throw nothingHere();
    }
    await next();
  };
}

/**
 * Sets the headers of every response. Scripts and styles can come only from donor-sync, inline scripts do not run, and
 * no site can show donor-sync's pages in a frame.
 */
function protectAnswers(address: AddressBook): MiddlewareHandler<HttpEnv> {
  const [overPlain, overTls] = [createHeaders(false), createHeaders('max-age=31536000')];
  return (c, next) => (address.url().startsWith('https:') ? overTls : overPlain)(c, next);
}

function createHeaders(strictTransportSecurity: string | false) {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // With a stricter policy, browsers would also hide the origin of donor-sync's own forms.
    referrerPolicy: 'same-origin',
    // This header has no effect over plain HTTP and causes problems on this machine.
    strictTransportSecurity,
  });
}

/** Forbids caches to store a response, because each response is for one user. A route can allow caching. */
const forbidCaching = createMiddleware<HttpEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
});

/** The maximum size of an API request's body. API requests are small. */
export const MAX_API_BODY_BYTES = 64 * 1_024;

/** The maximum size of a webhook call. This size is enough for a hundred events, or for a record with all fields. */
export const MAX_HOOK_BODY_BYTES = 1_024 * 1_024;

/** Refuses larger bodies (413), even if the request does not state a size. */
export function limitBody(maxBytes: number): MiddlewareHandler<HttpEnv> {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError() {
      throw tooLarge('The body', `${maxBytes} bytes`);
    },
  });
  return (c, next) => {
    const { raw } = c.req;
    // If the request states no size, the limiting function copies the request. The limiting function can copy only the
    // global Request class, but the server uses its own class.
    const isCounted = raw.headers.has('transfer-encoding') || !raw.headers.has('content-length');
    if (raw.body !== null && isCounted) {
      const { url, method, headers, body } = raw;
      c.req.raw = new Request(url, { method, headers, body, duplex: 'half' });
    }
    return limit(c, next);
  };
}

export function tooLarge(what: string, most: string, next = ''): HttpError {
  return new HttpError(413, 'body_too_large', `${what} may have at most ${most}.${next}`);
}

/**
 * Refuses bodies that are not JSON (415). Without this check, a body in another format would look like a missing body.
 */
export const requireJsonBody: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const type = c.req.header('content-type');
  const hasBody =
    c.req.header('transfer-encoding') !== undefined ||
    parseLength(c.req.header('content-length')) > 0;
  if (hasBody && !/^application\/([\w.-]+\+)?json(;|$)/i.test(type?.trim() ?? '')) {
    throw new HTTPException(415);
  }
  await next();
};

/** Returns the fields of a form. Throws an HttpError (400) if the body is not a form. */
export async function readForm(c: Context<HttpEnv>): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody();
  } catch (cause) {
    // Invalid content is the sender's mistake. An incomplete body may have another cause.
    if (cause instanceof TypeError) throw bodyUnreadable('a form');
    throw cause;
  }
}

function parseLength(header: string | undefined): number {
  return Number(header ?? 0);
}

/** A request with its response, without any text that callers control. */
export interface AnsweredRequest {
  method: string;
  /** The route's pattern, such as `/v1/runs/:id`. The pattern contains no IDs and no tokens. */
  route: string;
  status: number;
  timeMs: number;
}

/** Gives each request an ID (`X-Request-Id`), and logs the request after its response. */
export function recordRequests(
  { clock, log }: { clock: Pick<Clock, 'now'>; log: Log },
  onAnswered: (request: AnsweredRequest) => void,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = clock.now();
    const requestId = newId(startedAt);
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    const answered = {
      method: METHODS.has(c.req.method) ? c.req.method : 'other',
      route: routePath(c, -1),
      status: c.res.status,
      timeMs: clock.now() - startedAt,
    };
    // Refusals are always logged. Other requests would fill the log.
    const level = REFUSED.has(answered.status) ? 'info' : 'debug';
    log[level]({ requestId, ...answered }, 'http request');
    onAnswered(answered);
  };
}

const REFUSED: ReadonlySet<number> = new Set([401, 403, 429]);

/** The known methods. Callers can invent methods, so all others are counted together. */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
]);

/**
 * Converts an error response for its reader. For missing addresses and internal errors, browsers get a page. Programs
 * get the response unchanged.
 */
async function forReader(
  c: Context<HttpEnv>,
  reply: Response,
  renderProblem: ProblemPage,
): Promise<Response> {
  const isForPages = reply.status === 404 || reply.status >= 500;
  const wanted = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/html'],
    default: 'application/json',
  });
  if (!isForPages || wanted !== 'text/html') return reply;
  const { error } = errorSchema.parse(await reply.json());
  const page = await renderProblem(c, reply.status, error);
  const headers = new Headers(reply.headers);
  headers.set('Content-Type', 'text/html; charset=utf-8');
  return new Response(page, { status: reply.status, headers });
}

/** The page of a failed request. */
export type ProblemPage = (
  c: Context<HttpEnv>,
  status: number,
  problem: { code: string; message: string },
) => Promise<string>;

const plainPage: ProblemPage = (_c, status, { message }) =>
  renderNotice(
    {
      title: problemTitle(status),
      text: message,
      next: [],
      link: { href: '/', text: 'To the overview' },
    },
    '/oauth/styles.css',
  );

/** Returns the title of an error page. */
export function problemTitle(status: number): string {
  if (status === 404) return 'Not found';
  return status >= 500 ? 'Something went wrong' : 'That is not possible';
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export function createGuardedApp(
  { clock, log, address }: Pick<HttpDeps, 'clock' | 'log' | 'address'>,
  onAnswered: (request: AnsweredRequest) => void = () => {},
  renderProblem: ProblemPage = plainPage,
): ReturnType<typeof createRouter> {
  const app = createRouter();
  app.onError((error, c) => forReader(c, answerError(error, c, log), renderProblem));
  app.notFound((c) => forReader(c, answer(c, nothingHere()), renderProblem));
  app.use(recordRequests({ clock, log }, onAnswered));
  app.use(protectAnswers(address));
  app.use(forbidCaching);
  return app;
}
