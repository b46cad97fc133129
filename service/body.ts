/** Reads the body of a request once, and limits its size and its structure. */

import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { PartnerEnv } from './context.ts';
import { answerInvalid } from './validation.ts';

/** The maximum number of bytes in a body. A hundred people with all details need less than a tenth of this size. */
const MAX_BYTES = 2_000_000;
/** The maximum depth of nested lists and objects. The deepest request body has five levels. */
const MAX_DEPTH = 32;
/** The maximum number of values and keys. The largest request has 10,000 donor IDs. */
const MAX_VALUES = 30_000;

/** Methods that send no meaningful body, so the service does not read the body. */
const BODYLESS = new Set(['GET', 'HEAD', 'DELETE']);

/** The methods that at least one endpoint accepts. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Responds with 405 to a method that no endpoint accepts, such as OPTIONS or PROPFIND. */
export function limitMethods(): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    if (METHODS.includes(c.req.method)) return next();
    c.header('Allow', METHODS.join(', '));
    return c.json({ detail: 'Method Not Allowed' }, 405);
  };
}

/** Responds with 400 before a large body is completely read. */
export function limitBody(): MiddlewareHandler<PartnerEnv> {
  const limit = bodyLimit({
    maxSize: MAX_BYTES,
    onError: (c) =>
      c.json({ detail: `The body is too large: at most ${MAX_BYTES} bytes are allowed` }, 400),
  });
  return (c, next) => {
    if (BODYLESS.has(c.req.method)) return next();
    const { raw } = c.req;
    // If the request does not state its size, the limit copies the request. The request must be an instance of the
    // global `Request` class to be copied.
    const isCounted = raw.headers.has('transfer-encoding') || !raw.headers.has('content-length');
    if (raw.body !== null && isCounted) {
      const { url, method, headers, body } = raw;
      c.req.raw = new Request(url, { method, headers, body, duplex: 'half' });
    }
    return limit(c, next);
  };
}

/** Parses the JSON body of a request once and stores it in `c.var.body`. Responds with 422 to invalid JSON. */
export function readBody(): MiddlewareHandler<PartnerEnv> {
  return async (c, next) => {
    const text = BODYLESS.has(c.req.method) ? '' : await c.req.text();
    const refusal = refuseShape(text);
    if (refusal !== undefined) return c.json({ detail: refusal }, 400);
    if (text !== '') {
      try {
        c.set('body', JSON.parse(text));
      } catch {
        return answerInvalid(c, [
          { type: 'json_invalid', loc: ['body'], msg: 'JSON decode error', input: {} },
        ]);
      }
    }
    return next();
  };
}

/** Returns the reason why JSON is too complex to be parsed, or undefined if it is simple enough. */
function refuseShape(text: string): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === OPEN_LIST || sign === OPEN_OBJECT) depth += 1;
    else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) depth -= 1;
    else if (sign === COMMA) values += 1;
    if (depth > MAX_DEPTH) return `The body is too deep: at most ${MAX_DEPTH} levels are allowed`;
    if (values > MAX_VALUES) {
      return `Too many items: the body has more than ${MAX_VALUES} values`;
    }
  }
  return undefined;
}

/**
 * Returns the position at which a JSON string ends. A quote ends the string if an even number of backslashes precedes
 * the quote.
 */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const OPEN_OBJECT = '{'.charCodeAt(0);
const CLOSE_OBJECT = '}'.charCodeAt(0);
