import { createMiddleware } from 'hono/factory';
import type { HttpEnv } from './context.ts';
import { HttpError } from './http-error.ts';

/**
 * Refuses addresses with the character U+0000 (422). No id has it, and Postgres cannot even be asked
 * for a text with it.
 */
export const refuseNullCharacters = createMiddleware<HttpEnv>(async (c, next) => {
  if (!c.req.url.includes('%00')) return next();
  throw new HttpError(422, 'request_invalid', 'An address cannot have the character U+0000.');
});
