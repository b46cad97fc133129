/** The list of runs: which are asked for by the address, and one page of them. */

import { z } from 'zod';
import { readCursor, writeCursor } from '../../../core/cursor.ts';
import { type RunReport, runStatusSchema, triggerSchema } from '../../../core/run.ts';
import type { Reader } from '../../../database/reader.ts';
import { listRunRecords } from '../../../sync/statements/runs.ts';
import { readReport } from '../../../sync/views/run.ts';

/** Words that mean nothing here are passed over: addresses are typed by people. */
export const runListQuerySchema = z.object({
  client: z.string().trim().optional().catch(undefined),
  status: runStatusSchema.optional().catch(undefined),
  trigger: triggerSchema.optional().catch(undefined),
  from: z.iso.date().optional().catch(undefined),
  until: z.iso.date().optional().catch(undefined),
  after: z.string().optional(),
});

export type RunListQuery = z.infer<typeof runListQuerySchema>;

export interface RunListView {
  query: RunListQuery;
  runs: RunReport[];
  /** The word by which the next page is asked for; null if there is none. */
  next: string | null;
}

/** Runs on one page. */
const PAGE_SIZE = 50;

const DAY_MS = 86_400_000;

/** The newest first; `integrationIds` are those within reach, undefined for all. */
export async function readRunList(
  reader: Reader,
  integrationIds: readonly string[] | undefined,
  query: RunListQuery,
): Promise<RunListView> {
  const { client, status, trigger, from, until, after } = query;
  const position = after === undefined ? undefined : readCursor(after);
  const rows = await listRunRecords(reader, {
    integrationIds,
    integrationId: client || undefined,
    status,
    trigger,
    from: from === undefined ? undefined : Date.parse(from),
    // The last day counts as a whole.
    until: until === undefined ? undefined : Date.parse(until) + DAY_MS,
    after: position && { startedAt: position[0], id: position[1] },
    limit: PAGE_SIZE + 1,
  });
  const shown = rows.slice(0, PAGE_SIZE);
  const last = rows.length > PAGE_SIZE ? shown.at(-1) : undefined;
  return {
    query,
    runs: await Promise.all(shown.map((row) => readReport(reader, row))),
    next: last === undefined ? null : writeCursor([last.startedAt, last.id]),
  };
}
