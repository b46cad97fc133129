import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { PartnerEnv } from './context.ts';
import { BUCKETS } from './credits.ts';
import { answerInvalid, type ValidationItem } from './validation.ts';

const errorSchema = z.object({ detail: z.string() }).openapi('Error');

const validationErrorSchema = z
  .object({
    detail: z.array(
      z
        .object({
          type: z.string().openapi({ example: 'missing' }),
          loc: z.array(z.union([z.string(), z.number().int()])),
          msg: z.string(),
          input: z.unknown(),
        })
        .openapi('ValidationErrorItem'),
    ),
  })
  .openapi('ValidationError');

const insufficientCreditsSchema = z
  .object({
    error: z.literal('insufficient_partner_api_credits'),
    message: z.string(),
    bucket: z.enum(BUCKETS),
    available_credits: z.number().int(),
  })
  .openapi('InsufficientCredits');

export const commonErrors = {
  401: { description: 'The API key is past its deactivation date.', ...json(errorSchema) },
  403: { description: 'The API key is not recognized.', ...json(errorSchema) },
  429: { description: 'Rate limit exceeded.', ...json(errorSchema) },
  500: { description: 'Failure on the service side.', ...json(errorSchema) },
};

/** The errors of an endpoint whose body has a limited number of items. */
export const batchErrors = {
  400: { description: 'Too many items.', ...json(errorSchema) },
  422: { description: 'The request body fails validation.', ...json(validationErrorSchema) },
  ...commonErrors,
};

/** The error of an endpoint that validates its parameters. */
export const invalidQueryError = {
  422: { description: 'A parameter fails validation.', ...json(validationErrorSchema) },
};

export const creditErrors = {
  402: { description: 'The bucket is empty.', ...json(insufficientCreditsSchema) },
};

/** The "not found" response of an endpoint that looks up one object. */
export const notFoundError = {
  404: { description: 'It does not exist.', ...json(errorSchema) },
};

/** Returns the description of a JSON response or body. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } } };
}

/** Responds to an error that was thrown. If the error is unexpected, also reports it. */
export function answerError(
  error: Error,
  c: Context<PartnerEnv>,
  report: (error: Error) => void,
): Response {
  const unread = error instanceof HTTPException ? UNREAD_BODIES[error.status] : undefined;
  if (unread !== undefined) {
    return answerInvalid(c, [{ ...unread, input: null }]);
  }
  // If the caller has disconnected, the error is not a failure of the service.
  const { incoming } = c.env;
  if (incoming.complete || !incoming.destroyed) report(error);
  return c.json({ detail: 'Internal Server Error' }, 500);
}

/**
 * The errors for bodies that the validator cannot read. The map's key is the status that the validator would return.
 */
const UNREAD_BODIES: Partial<Record<number, Omit<ValidationItem, 'input'>>> = {
  400: { type: 'missing', loc: ['body'], msg: 'Field required' },
  415: {
    type: 'json_type',
    loc: ['header', 'content-type'],
    msg: 'The body should be sent with the content type application/json',
  },
};
