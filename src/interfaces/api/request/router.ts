import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { invalidRequest } from '../../../core/shared-errors.ts';
import type { HttpEnv } from './context.ts';

export { getPage, readCursor, writeCursor } from '../../../core/cursor.ts';

/** Creates a router. The router's routes describe themselves, and their schemas check the requests. */
export function createRouter(): OpenAPIHono<HttpEnv> {
  return new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
}

export function refuseInvalid(
  result: { success: true } | { success: false; target: string; error: z.ZodError },
  _c: Context<HttpEnv>,
): void {
  if (result.success) return;
  const place = result.target === 'json' ? 'body' : result.target;
  const problems = result.error.issues.map(({ path, message }) => ({
    in: place,
    name: path.join('.'),
    problem: message,
  }));
  const words = problems.map(({ name, problem }) =>
    name === '' ? problem : `${name}: ${problem}`,
  );
  throw invalidRequest(`The ${place} is not valid. ${words.join('; ')}`, { problems });
}

/** The body of every error (design, section 4.5). */
const errorSchema = z
  .object({
    error: z.object({
      code: z.string().openapi({ example: 'run_unknown' }),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .openapi('Error');

/** Describes the JSON content of a response or a body. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } } };
}

/** The errors that several routes share. */
export const problems = {
  /** The errors of every route that requires a role. */
  access: {
    401: failure('A valid access token is needed.'),
    403: failure('The token lacks the role, or the request came from a page of another site.'),
    429: failure('Too many wrong tokens came from this address; Retry-After tells when to retry.'),
  },
  /** The error of a route that finds one object. */
  notFound: { 404: failure('The object does not exist.') },
  /** The errors of a route with parameters. */
  invalid: { 422: failure('The request is not valid; details name each problem.') },
  body: { 400: failure('The body cannot be read.'), 413: failure('The body is too large.') },
};

export function failure(description: string) {
  return { description, ...json(errorSchema) };
}

/** The maximum length of a contact's ID. No CRM has longer IDs. */
const MAX_LENGTH = 255;

export const contactSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_LENGTH)
  .regex(/^\P{Cc}+$/u, 'has characters that an ID cannot contain');
