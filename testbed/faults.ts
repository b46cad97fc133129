/**
 * Simulates faults of networks and of overloaded services. Rules decide which requests get a fault (fault-rules.ts).
 * Every sandbox supports the faults in this file and may add its own faults.
 */

import { pipeline, Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { AnyFault, Faults } from './fault-rules.ts';

const MAX_DELAY_MS = 600_000;

/** A wait in milliseconds, which is at most ten minutes. */
export const delayMsSchema = z.number().int().min(0).max(MAX_DELAY_MS);

/** The faults that every HTTP service can have. Each sandbox combines them with its own faults. */
export const HTTP_FAULTS = [
  /**
   * 429. Responds with a 429. `retryAfterSeconds` sets the header `Retry-After`. If it is omitted, the response has no
   *      such header.
   */
  z.strictObject({ kind: z.literal('throttle'), retryAfterSeconds: z.number().min(0).optional() }),
  /** Responds with a 500 and the documented JSON body, and does not execute the request. */
  z.strictObject({ kind: z.literal('error') }),
  /** Responds with the HTML page of a proxy. The service does not receive the request. */
  z.strictObject({ kind: z.literal('gatewayError'), status: z.literal([502, 503, 504]) }),
  /** Responds with this error, and does not execute the request. The texts can contain anything. */
  z.strictObject({
    kind: z.literal('answer'),
    status: z.number().int().min(400).max(599),
    body: z.unknown(),
  }),
  /** Delays the request before it is executed. */
  z.strictObject({ kind: z.literal('slow'), delayMs: delayMsSchema }),
  /**
   * Sets the response's `Date` to a time that differs from the current time by this number of milliseconds. If
   * `offsetMs` is omitted, the response has no `Date`.
   */
  z.strictObject({ kind: z.literal('date'), offsetMs: z.number().int().optional() }),
  /** Resets the connection and does not execute the request. */
  z.strictObject({ kind: z.literal('resetBefore') }),
  /** Executes the request and then resets the connection. */
  z.strictObject({ kind: z.literal('resetAfter') }),
  /** The connection ends in the middle of the response. */
  z.strictObject({ kind: z.literal('truncate') }),
  /** Changes the content type of the response, so that it does not look like JSON. */
  z.strictObject({ kind: z.literal('contentType'), contentType: z.string().default('text/html') }),
  /**
   * Executes the request but changes the response. A proxy between the service and the caller replaces the response
   * with an unreadable response.
   */
  z.strictObject({
    kind: z.literal('unreadable'),
    /**
     * The unreadable response can be a page, half of the JSON, an empty body, or JSON with a different structure. It
     * can also be a 408 about a timeout.
     */
    as: z.enum(['page', 'half', 'nothing', 'shape', 'tooLate']),
  }),
  /** Adds these members to each object in the response. */
  z.strictObject({
    kind: z.literal('extraFields'),
    fields: z.record(z.string(), z.unknown()).default({ unannounced_field: 'new' }),
  }),
  /**
   * Executes the request, and adds white space at the start of the response. `megabytes` is the amount of white space.
   * JSON allows such white space. For callers that accept gzip, the white space is compressed to a thousandth of its
   * size.
   */
  z.strictObject({ kind: z.literal('flood'), megabytes: z.number().int().min(1).max(10_000) }),
] as const;

const httpFaultSchema = z.discriminatedUnion('kind', HTTP_FAULTS);
const HTTP_FAULT_KINDS = new Set<string>(HTTP_FAULTS.map((fault) => fault.shape.kind.value));

type HttpFault = z.infer<typeof httpFaultSchema>;

/** The values that this file's middleware stores on a request. */
export interface FaultEnv<Fault> {
  Bindings: HttpBindings;
  Variables: { fault: Fault | undefined };
}

/**
 * Creates the outermost middleware. The middleware chooses the fault for a request and stores it in `c.var.fault`. It
 * simulates faults that happen before the service receives the request, and faults that change the response.
 */
export function playFaults<Fault extends AnyFault>(
  faults: Faults<Fault>,
): MiddlewareHandler<FaultEnv<Fault>> {
  return async (c, next) => {
    const fault = faults.pick({ method: c.req.method, path: c.req.path });
    c.set('fault', fault);
    if (fault === undefined || !isHttpFault(fault)) {
      return next();
    }
    const early = await playBefore(c.env, fault);
    if (early !== undefined) {
      return early;
    }
    await next();
    const late = await playAfter(c.env, c.res, fault);
    if (late !== undefined) {
      replaceAnswer(c, late);
    }
    return undefined;
  };
}

/** Resets the caller's connection. The returned response is never sent. */
function resetConnection({ incoming }: HttpBindings): Response {
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Replaces an existing response, including its headers. */
export function replaceAnswer(c: { res: Response | undefined }, answer: Response): void {
  // If a new response is assigned directly, the framework adds the old headers to it.
  c.res = undefined;
  c.res = answer;
}

function isHttpFault(fault: AnyFault): fault is HttpFault {
  return HTTP_FAULT_KINDS.has(fault.kind);
}

async function playBefore(env: HttpBindings, fault: HttpFault): Promise<Response | undefined> {
  switch (fault.kind) {
    case 'throttle':
      return throttled(fault.retryAfterSeconds);
    case 'gatewayError':
      return gatewayPage(fault.status);
    case 'answer':
      return Response.json(fault.body, { status: fault.status });
    case 'resetBefore':
      return resetConnection(env);
    case 'date':
      return tellTime(env, fault.offsetMs);
    case 'slow':
      await sleep(fault.delayMs, undefined, { ref: false });
      // By this time, the caller may have disconnected, and the sandbox may have been closed.
      return env.outgoing.destroyed ? RESPONSE_ALREADY_SENT : undefined;
    default:
      return undefined;
  }
}

async function playAfter(
  env: HttpBindings,
  answer: Response,
  fault: HttpFault,
): Promise<Response | undefined> {
  switch (fault.kind) {
    case 'resetAfter':
      return resetConnection(env);
    case 'truncate':
      return cutAnswer(env, answer);
    case 'contentType':
      return new Response(await answer.text(), {
        status: answer.status,
        headers: { 'content-type': fault.contentType },
      });
    case 'unreadable':
      return unreadableAnswer(answer, fault.as);
    case 'extraFields':
      return answer.headers.get('content-type')?.startsWith('application/json') === true
        ? Response.json(withFields(await answer.json(), fault.fields), { status: answer.status })
        : undefined;
    case 'flood':
      return floodedAnswer(env, answer, fault.megabytes);
    default:
      return undefined;
  }
}

/** Sets the response's `Date`. Node adds its own `Date` unless the response has one or `sendDate` is false. */
function tellTime({ outgoing }: HttpBindings, offsetMs: number | undefined): undefined {
  if (offsetMs === undefined) outgoing.sendDate = false;
  else outgoing.setHeader('date', new Date(Date.now() + offsetMs).toUTCString());
}

function throttled(retryAfterSeconds: number | undefined): Response {
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': `${retryAfterSeconds}` };
  return Response.json({ detail: 'Too Many Requests' }, { status: 429, headers });
}

function gatewayPage(status: number): Response {
  const page = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`;
  return new Response(page, { status, headers: { 'content-type': 'text/html' } });
}

async function cutAnswer({ outgoing }: HttpBindings, answer: Response): Promise<Response> {
  const body = Buffer.from(await answer.arrayBuffer());
  const headers = Object.fromEntries(answer.headers);
  outgoing.writeHead(answer.status, { ...headers, 'content-length': String(body.length) });
  outgoing.write(body.subarray(0, Math.floor(body.length / 2)), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

/**
 * Returns an unreadable response. It is a complete HTTP response with the same status. Only for `tooLate`, the status
 * is 408.
 */
async function unreadableAnswer(
  answer: Response,
  as: Extract<HttpFault, { kind: 'unreadable' }>['as'],
): Promise<Response> {
  const { status } = answer;
  const text = await answer.text();
  switch (as) {
    case 'page':
      return new Response('<html><body>Please sign in to this network.</body></html>', {
        status,
        headers: { 'content-type': 'text/html' },
      });
    case 'half':
      return new Response(text.slice(0, Math.floor(text.length / 2)), {
        status,
        headers: { 'content-type': 'application/json' },
      });
    case 'nothing':
      return new Response(null, { status });
    case 'shape':
      return Response.json({ answer: 'something else' }, { status });
    case 'tooLate':
      return gatewayPage(408);
  }
}

/** Returns the response with white space. The white space is generated while it is sent, so it needs no memory. */
function floodedAnswer({ incoming }: HttpBindings, answer: Response, megabytes: number): Response {
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  const flood = Readable.from(flooded(answer, megabytes), { objectMode: false });
  const isPacked = /gzip/.test(String(incoming.headers['accept-encoding'] ?? ''));
  if (isPacked) headers.set('content-encoding', 'gzip');
  // The callback ignores the error if a caller disconnects in the middle of the response.
  const sent = isPacked ? pipeline(flood, createGzip({ level: 1 }), () => {}) : flood;
  return new Response(Readable.toWeb(sent), { status: answer.status, headers });
}

async function* flooded(answer: Response, megabytes: number): AsyncGenerator<Uint8Array> {
  const megabyte = Buffer.alloc(1024 * 1024, ' ');
  for (let sent = 0; sent < megabytes; sent += 1) yield megabyte;
  yield* answer.body ?? [];
}

function withFields(value: unknown, fields: Record<string, unknown>, key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => withFields(item, fields));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const inner = Object.entries(value).map(([name, item]) => [name, withFields(item, fields, name)]);
  // In a map such as tracking_id_to_job_id, a new member would be a wrong entry, so nothing is added to maps.
  return { ...Object.fromEntries(inner), ...(key.includes('_to_') ? {} : fields) };
}
