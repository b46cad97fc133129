/** A run as the API shows it: the report of design, section 4.3. */
import { z } from '@hono/zod-openapi';
import { isoTime } from '../core/clock.ts';
import type { RunReport, Trigger } from '../core/run.ts';
import { runReportSchema, triggerSchema } from '../core/run-report.ts';
import type { Store } from '../store/store.ts';
import { reportOf } from '../sync/stored-report.ts';

/** The report under its name in openapi.json, which only schemas of this `z` can have. */
export const runSchema = z.object(runReportSchema.shape).openapi('Run');

/**
 * The run with this id as it stands now, or null. It is looked for where it is when it has begun,
 * where it waits, and, since it may have begun between the two looks, once more where it began.
 */
export async function findRunReport(
  store: Pick<Store, 'runs' | 'runRequests' | 'contacts' | 'networks'>,
  id: string,
): Promise<RunReport | null> {
  const row = await store.runs.find(id);
  if (row) return reportOf(store, row);
  const request = await store.runRequests.findByRun(id);
  // Too many single contacts waited: one run over all of them answers.
  if (request?.merged_into) return findRunReport(store, request.merged_into);
  if (request) {
    const { integration_id: integration, trigger, requested_at: requestedAt } = request;
    return waitingRun({ id, integration, trigger: triggerSchema.parse(trigger), requestedAt });
  }
  const begun = await store.runs.find(id);
  return begun ? reportOf(store, begun) : null;
}

/** A run that has not begun: it runs as far as its caller is concerned, and has done nothing. */
export function waitingRun(run: {
  id: string;
  integration: string;
  trigger: Trigger;
  /** Epoch ms. */
  requestedAt: number;
}): RunReport {
  const { id, integration, trigger, requestedAt } = run;
  return {
    ...{ id, integration, trigger, status: 'running', reason: null },
    ...{ startedAt: isoTime(requestedAt), finishedAt: null },
    contacts: {
      ...{ read: 0, chosen: 0, submitted: 0, enhanced: 0, written: 0 },
      ...{ unchanged: 0, skipped: 0, failed: 0, held: 0, waiting: 0 },
    },
    credits: {
      enhancements: { spent: 0, remaining: null },
      networks: { spent: 0, remaining: null },
    },
    networks: [],
    calls: { partner: 0, crm: 0, throttled: 0 },
  };
}
