import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { HttpEnv } from './context.ts';
import { HttpError } from './http-error.ts';

/** Requests of the API are a few words. */
export const MAX_API_BODY_BYTES = 64 * 1_024;

/** A hundred events of HubSpot, or a record of Salesforce with all its fields. */
export const MAX_HOOK_BODY_BYTES = 1_024 * 1_024;

/** Refuses larger bodies (413), also those that do not tell their size. */
export function limitBody(maxBytes: number): MiddlewareHandler<HttpEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError() {
      throw new HttpError(413, 'body_too_large', `The body may have ${maxBytes} bytes at most.`);
    },
  });
}

/** Refuses bodies that are not JSON (415); without it they would be taken for none. */
export const requireJsonBody: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const type = c.req.header('content-type');
  const hasBody =
    c.req.header('transfer-encoding') !== undefined || lengthOf(c.req.header('content-length')) > 0;
  if (hasBody && !/^application\/([\w.-]+\+)?json(;|$)/i.test(type?.trim() ?? '')) {
    throw new HttpError(415, 'body_not_json', 'Send the body as "Content-Type: application/json".');
  }
  await next();
};

/** The fields of a form; throws an HttpError (400) if the body is none. */
export async function readForm(c: Context<HttpEnv>): Promise<Record<string, unknown>> {
  try {
    return await c.req.parseBody();
  } catch (cause) {
    // What the body is made of is no fault of ours; that it has not come to its end is another matter.
    if (cause instanceof TypeError) {
      throw new HttpError(400, 'body_unreadable', 'The body cannot be read as a form.');
    }
    throw cause;
  }
}

function lengthOf(header: string | undefined): number {
  return Number(header ?? 0);
}
