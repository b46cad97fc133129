/** Reads the filter of the run list from the address, and returns one page of runs. */

import { z } from 'zod';
import { isoTime } from '../../../core/clock.ts';
import { UNKNOWN_PERSON } from '../../../core/outcome.ts';
import { type RunReport, runStatusSchema, triggerSchema } from '../../../core/run.ts';
import type { Caller } from '../../../operations/kit/caller.ts';
import { type OperationDeps, perform } from '../../../operations/kit/perform.ts';
import { listRuns } from '../../../operations/runs.ts';
import { countReasonByRun } from '../../../sync/statements/run-rows.ts';
import { RUN_ORDERS } from '../../../sync/statements/runs.ts';

/** The schema of the filter. Unknown values are ignored, because users edit addresses. */
export const runListQuerySchema = z.object({
  client: z.string().trim().optional().catch(undefined),
  status: runStatusSchema.optional().catch(undefined),
  trigger: triggerSchema.optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  until: z.iso.date().optional().catch(undefined),
  sort: z.enum(RUN_ORDERS).optional().catch(undefined),
  after: z.string().optional(),
});

export type RunListQuery = z.infer<typeof runListQuerySchema>;

export interface RunListView {
  query: RunListQuery;
  runs: RunReport[];
  /**
   * The number of people whom the service does not know, by run. The reports count unknown people as failed contacts.
   */
  unknown: ReadonlyMap<string, number>;
  /** The cursor of the next page, or null on the last page. */
  next: string | null;
}

const PAGE_SIZE = 50;

const DAY_MS = 86_400_000;

/** Reads a page of runs. Throws a ConfigurationError (unknown) if the caller has no access to the client. */
export async function readRunList(
  deps: OperationDeps,
  caller: Caller,
  query: RunListQuery,
): Promise<RunListView> {
  const { client, status, trigger, from, until, sort, after } = query;
  const { runs, next } = await perform(deps, caller, listRuns, {
    status,
    trigger,
    sort,
    integration: client || undefined,
    from: from === undefined ? undefined : isoTime(Date.parse(from)),
    // The filter includes the whole last day.
    until: until === undefined ? undefined : isoTime(Date.parse(until) + DAY_MS),
    cursor: after,
    limit: PAGE_SIZE,
  });
  const unknown = await countReasonByRun(
    deps.application.store.reader,
    runs.map(({ id }) => id),
    UNKNOWN_PERSON,
  );
  return { query, runs, unknown, next };
}
