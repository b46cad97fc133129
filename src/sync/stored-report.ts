import { z } from 'zod';
import type { RunReport } from '../core/run.ts';
import type { RunRow } from '../store/runs.ts';
import type { Store } from '../store/store.ts';
import { buildReport } from './report.ts';

const count = z.int();
const bucketSchema = z.object({ spent: count, remaining: count.nullable() });

/** The report of a finished run as it is kept (design, section 4.3). */
const reportSchema = z.object({
  id: z.string(),
  integration: z.string(),
  trigger: z.enum(['schedule', 'manual', 'webhook']),
  status: z.enum(['running', 'succeeded', 'incomplete', 'failed']),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  contacts: z.object({
    read: count,
    chosen: count,
    submitted: count,
    enhanced: count,
    written: count,
    unchanged: count,
    skipped: count,
    failed: count,
    held: count,
    waiting: count,
  }),
  credits: z.object({ enhancements: bucketSchema, networks: bucketSchema }),
  networks: z.array(
    z.object({ name: z.string(), added: count, removed: count, kept: count, failed: count }),
  ),
  calls: z.object({ partner: count, crm: count, throttled: count }),
}) satisfies z.ZodType<RunReport>;

/**
 * The report of a run: the one it left when it ended, or else how things stand now. A run that
 * was cut off left none.
 */
export async function reportOf(
  store: Pick<Store, 'contacts' | 'networks'>,
  row: RunRow,
): Promise<RunReport> {
  return row.report === null ? buildReport(store, row) : reportSchema.parse(JSON.parse(row.report));
}
