/** What every request passes, and what every answer has: names, bodies, headers, the log. */

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
import type { HttpDeps, HttpEnv } from './context.ts';
import { answer, answerError, bodyUnreadable, HttpError, nothingHere } from './errors.ts';
import { getHostname, getOwnAddress, isLoopbackName } from './peer.ts';
import { createRouter } from './router.ts';

/**
 * Refuses addresses with the character U+0000 (422). No id has it, and Postgres cannot even be asked
 * for a text with it.
 */
export const refuseNullCharacters = createMiddleware<HttpEnv>(async (c, next) => {
  if (!c.req.url.includes('%00')) return next();
  throw invalidRequest('An address cannot have the character U+0000.');
});

/**
 * Refuses requests for names that are not ours, with 421. A page of a stranger can make its own
 * name lead to this machine (DNS rebinding) and would be taken for a page of ours. Names of this
 * machine, the public one and the bare address that was called are ours; the port does not matter,
 * since tunnels and containers change it and no stranger gains by that.
 */
export function requireKnownHost(publicUrl: string): MiddlewareHandler<HttpEnv> {
  const { hostname: publicName } = new URL(publicUrl);
  return async (c, next) => {
    const hostname = getHostname(c);
    const isOurs =
      isLoopbackName(hostname) || hostname === publicName || hostname === getOwnAddress(c);
    if (isOurs) return next();
    throw new HttpError(
      421,
      'host_unknown',
      'This service does not answer under that name. Its settings name it in server.publicUrl.',
    );
  };
}

/**
 * The headers of every answer. Pages load their own styles and scripts from us and nothing from
 * anywhere else; nothing runs that stands inside a page; no other site can show our pages inside its own.
 */
function protectAnswers(publicUrl: string) {
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
    // Without any referrer browsers would hide the origin of our own forms from us as well.
    referrerPolicy: 'same-origin',
    // Over plain http browsers ignore it, and on this machine it would only be in the way.
    strictTransportSecurity: publicUrl.startsWith('https:') && 'max-age=31536000',
  });
}

/** Answers are for one person and are not kept on the way, unless a route says otherwise. */
const forbidCaching = createMiddleware<HttpEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
});

/** Requests of the API are a few words. */
export const MAX_API_BODY_BYTES = 64 * 1_024;

/** A hundred events of HubSpot, or a record of Salesforce with all its fields. */
export const MAX_HOOK_BODY_BYTES = 1_024 * 1_024;

/** Refuses larger bodies (413), also those that do not tell their size. */
export function limitBody(maxBytes: number): MiddlewareHandler<HttpEnv> {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError() {
      throw tooLarge('The body', `${maxBytes} bytes`);
    },
  });
  return (c, next) => {
    const { raw } = c.req;
    // The limit counts a body that does not tell its size and copies the request, and only one of the global class can be
    // copied; that of the server is none.
    const isCounted = raw.headers.has('transfer-encoding') || !raw.headers.has('content-length');
    if (raw.body !== null && isCounted) {
      const { url, method, headers, body } = raw;
      c.req.raw = new Request(url, { method, headers, body, duplex: 'half' });
    }
    return limit(c, next);
  };
}

/** `what` may have so much, and `next` is what to do with more. */
export function tooLarge(what: string, most: string, next = ''): HttpError {
  return new HttpError(413, 'body_too_large', `${what} may have ${most} at most.${next}`);
}

/** Refuses bodies that are not JSON (415); without it they would be taken for none. */
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

/** The fields of a form; throws an HttpError (400) if the body is none. */
export async function readForm(c: Context<HttpEnv>): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody();
  } catch (cause) {
    // What the body is made of is no fault of ours; that it has not come to its end is another matter.
    if (cause instanceof TypeError) throw bodyUnreadable('a form');
    throw cause;
  }
}

function parseLength(header: string | undefined): number {
  return Number(header ?? 0);
}

/** A request that was answered, without anything that callers can write into it. */
export interface AnsweredRequest {
  method: string;
  /** The route's pattern, for example `/v1/runs/:id`: no ids, no tokens, and few of them. */
  route: string;
  status: number;
  timeMs: number;
}

/**
 * Gives each request an id, which the answer carries as `X-Request-Id`, and tells of it when it is
 * answered.
 */
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
    // Who was refused stands in every log; all others would fill it.
    const level = REFUSED.has(answered.status) ? 'info' : 'debug';
    log[level]({ requestId, ...answered }, 'http request');
    onAnswered(answered);
  };
}

const REFUSED: ReadonlySet<number> = new Set([401, 403, 429]);

/** Callers may make up others. */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
]);

/**
 * The same answer as a page for browsers, where an address leads nowhere or something went wrong inside;
 * programs, which do not ask for HTML, get it as it is.
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

/** The page of an answer that is none. */
export type ProblemPage = (
  c: Context<HttpEnv>,
  status: number,
  problem: { code: string; message: string },
) => Promise<string>;

/** One that needs nothing else of the service. */
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

/** What a page is called that says what is wrong. */
export function problemTitle(status: number): string {
  if (status === 404) return 'Not found';
  return status >= 500 ? 'Something went wrong' : 'That is not possible';
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** An app with the guards of every request: what it answers where nothing is, its log, its headers. */
export function createGuardedApp(
  { clock, log, publicUrl }: Pick<HttpDeps, 'clock' | 'log' | 'publicUrl'>,
  onAnswered: (request: AnsweredRequest) => void = () => {},
  renderProblem: ProblemPage = plainPage,
): ReturnType<typeof createRouter> {
  const app = createRouter();
  app.onError((error, c) => forReader(c, answerError(error, c, log), renderProblem));
  app.notFound((c) => forReader(c, answer(c, nothingHere()), renderProblem));
  app.use(recordRequests({ clock, log }, onAnswered));
  app.use(protectAnswers(publicUrl));
  app.use(forbidCaching);
  return app;
}
