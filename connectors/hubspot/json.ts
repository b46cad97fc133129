import type { z } from 'zod';
import { RetriableError } from '../../src/core/errors.ts';

/** The body of an answer in the form that was expected. Throws a RetriableError if it has another. */
export function readAs<Shape>(schema: z.ZodType<Shape>, body: unknown): Shape {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new RetriableError(
    'An answer of HubSpot could not be read. The next run goes on from there.',
    { code: 'crm_unavailable', cause: parsed.error },
  );
}
