import { z } from '@hono/zod-openapi';

/** Longer than the ids of any CRM. */
const MAX_LENGTH = 255;

/** The id of a contact in its CRM, as callers write it. */
export const contactSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_LENGTH)
  .regex(/^\P{Cc}+$/u, 'has characters that no id has');
