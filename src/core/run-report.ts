/** The report of a run as it is kept and as the API shows it: design, section 4.3. */
import { z } from 'zod';
import type { RunReport } from './run.ts';

const count = z.int().nonnegative();

const bucketSchema = z.object({
  spent: count,
  remaining: count.nullable().describe('Null if not yet read.'),
});

export const triggerSchema = z.enum(['schedule', 'manual', 'webhook']);

export const runStatusSchema = z.enum(['running', 'succeeded', 'incomplete', 'failed']);

export const runReportSchema = z.object({
  id: z.string(),
  integration: z.string(),
  trigger: triggerSchema,
  status: runStatusSchema.describe(
    '`running` also while it waits to begin; `incomplete`: stopped, and the next run goes on.',
  ),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  contacts: z.object({
    ...{ read: count, chosen: count, submitted: count, enhanced: count, written: count },
    ...{ unchanged: count, skipped: count, failed: count, held: count, waiting: count },
  }),
  credits: z.object({ enhancements: bucketSchema, networks: bucketSchema }),
  networks: z.array(
    z.object({ name: z.string(), added: count, removed: count, kept: count, failed: count }),
  ),
  calls: z.object({ partner: count, crm: count, throttled: count }),
}) satisfies z.ZodType<RunReport>;
