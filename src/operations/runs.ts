import { z } from 'zod';
import { toCsvParts } from '../core/csv-parts.ts';
import { readCursor, unknownCursor, writeCursor } from '../core/cursor.ts';
import { ConfigurationError } from '../core/errors.ts';
import { OUTCOME_ORDER } from '../core/outcome.ts';
import { splitIntoBatches } from '../core/parallel.ts';
import { describeCount, formatTimestamp } from '../core/quantities.ts';
import { type RunReport, runReportSchema, runStatusSchema, triggerSchema } from '../core/run.ts';
import { unknownRun } from '../core/shared-errors.ts';
import type { Reader } from '../database/reader.ts';
import type { RunContactFilter } from '../sync/statements/run-rows.ts';
import {
  findRunById,
  listRunRecords,
  RUN_ORDERS,
  type RunOrder,
  type RunPosition,
  type RunRecord,
  requestStop,
  toRunPosition,
} from '../sync/statements/runs.ts';
import { findRunReport, type NameOpener, outcomesText, readReport } from '../sync/views/run.ts';
import {
  type ListedRun,
  pagesOfRunContacts,
  RUN_CONTACTS_HEADER,
  readRunContacts,
  runContactLines,
  whyText,
} from '../sync/views/run-contacts.ts';
import type { Caller } from './kit/caller.ts';
import { findClient } from './kit/clients.ts';
import { type Cell, changing, reading } from './kit/operation.ts';
import { CURSOR, limitUpTo, NEXT } from './kit/pages.ts';

/** The report of a run, named `Run` in the API description. */
export const runSchema = runReportSchema.meta({ id: 'Run' });

const RUN = z.string().describe('The ID of the run');

function oneOf<Word extends string>(words: readonly Word[]) {
  return z.enum(words, { error: `Choose one of ${words.join(', ')}.` });
}

const TIME = { error: 'Enter a time in UTC, such as 2026-11-24T02:00:00Z.' };

export const listRuns = reading({
  name: 'runs',
  summary: 'List the runs, the newest first unless you choose another order',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    integration: z.string().optional().describe('Only the runs of this client'),
    status: oneOf(runStatusSchema.options).optional().describe('Only runs with this status'),
    trigger: oneOf(triggerSchema.options).optional().describe('Only runs with this trigger'),
    from: z.iso.datetime(TIME).optional().describe('Only runs that started at this time or later'),
    until: z.iso.datetime(TIME).optional().describe('Only runs that started before this time'),
    sort: oneOf(RUN_ORDERS).optional().describe('The order of the list, newest first by default'),
    limit: limitUpTo(500, 20).describe('The maximum number of runs to list, 20 by default'),
    cursor: CURSOR,
  }),
  subjects: [],
  result: z.object({ runs: z.array(runSchema), next: NEXT }).meta({ id: 'RunPage' }),
  async run(world, { integration, from, until, limit, cursor, sort: order = 'newest', ...filter }) {
    const { reader, caller, sealer } = world;
    const one = integration === undefined ? undefined : findClient(world, integration);
    const after = cursor === undefined ? undefined : readSortedCursor(cursor, order);
    // Reads one row more than the page needs. The additional row shows whether there is a next page.
    const rows = await listRunRecords(reader, {
      ...filter,
      integrationId: one?.id,
      integrationIds: caller.clients === null ? undefined : [...caller.clients],
      from: from === undefined ? undefined : Date.parse(from),
      until: until === undefined ? undefined : Date.parse(until),
      order,
      after,
      limit: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      runs: await Promise.all(shown.map((row) => readReport(reader, row, sealer))),
      next: last === undefined ? null : writeSortedCursor(last, order),
    };
  },
  say: ({ runs }) => `${describeCount(runs.length, 'run')}.`,
  remarks: ({ next }) => (next === null ? [] : [`For more, add --cursor ${next}`]),
});

/** Writes a cursor that contains its sort order. With a different order, the cursor would skip runs. */
function writeSortedCursor(last: RunRecord, order: RunOrder): string {
  const { value, id } = toRunPosition(last, order);
  return writeCursor([value, `${order} ${id}`]);
}

function readSortedCursor(cursor: string, order: RunOrder): RunPosition {
  const [value, text] = readCursor(cursor);
  const [written, id] = text.split(' ');
  if (written !== order || id === undefined) throw unknownCursor();
  return { value, id };
}

export const showRun = reading({
  name: 'runs show',
  summary: 'Show the current state of a run',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({ run: RUN }),
  subjects: ['run'],
  result: z.object({ run: runSchema }),
  run: async (world, { run }) => ({ run: await findRun(world, run) }),
  say: ({ run }) => describeRun(run),
});

function describeRun(run: RunReport): string[] {
  const { id, integration, status, startedAt, reason, credits } = run;
  const outcomes = outcomesText(run);
  return [
    `Run ${id} of "${integration}" started ${formatTimestamp(startedAt)} and is ${STATUS_TEXTS[status]}.`,
    ...(reason === null ? [] : [reason.message]),
    ...(outcomes === '' ? [] : [`Contacts: ${outcomes}.`]),
    `${describeCount(credits.enhancements.spent, 'credit')} spent on enhancements.`,
  ];
}

const STATUS_TEXTS = {
  running: 'in progress or queued',
  succeeded: 'finished',
  incomplete: 'stopped; the next run continues from there',
  failed: 'failed',
} as const satisfies Record<RunReport['status'], string>;

const contactSchema = z
  .object({
    crmId: z.string().describe('The ID of the contact in the CRM'),
    outcome: z.enum(OUTCOME_ORDER).nullable(),
    reason: z.string(),
    text: z.string().describe('The reason as part of a sentence'),
    detail: z.string().nullable(),
    at: z.iso.datetime(),
    undone: z
      .boolean()
      .describe('True if an undo has restored all values that the run wrote to the contact'),
  })
  .meta({ id: 'RunContact' });

export const listRunContacts = reading({
  name: 'runs contacts',
  summary:
    'List what a run did to contacts, starting with held and failed contacts; unchanged contacts are excluded',
  details: 'These records are kept for `retention.runRows` days.',
  role: 'viewer',
  reach: 'some',
  by: 'person+token',
  input: z.object({
    run: RUN,
    outcome: z
      .array(oneOf(OUTCOME_ORDER))
      .optional()
      .describe(`Only these outcomes: ${OUTCOME_ORDER.join(', ')}`),
    reason: z.string().optional().describe('Only contacts with this reason'),
    contact: z
      .string()
      .optional()
      .describe('Only contacts whose ID in the CRM starts with this text'),
    limit: limitUpTo(1_000, 100).describe('The maximum number of contacts to list, 100 by default'),
    cursor: CURSOR,
  }),
  subjects: ['run'],
  result: z.object({ contacts: z.array(contactSchema), next: NEXT }).meta({ id: 'RunContactPage' }),
  async run(world, { run: id, limit, cursor, ...words }) {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const run = await findBegun(world, id);
    if (run === null) return { contacts: [], next: null };
    const { contacts, next } = await readRunContacts(world.reader, run, {
      ...toFilter(words),
      limit,
      after: after && { place: after[0], crmId: after[1] },
    });
    return { contacts, next: next && writeCursor([next.place, next.crmId]) };
  },
  say: ({ contacts }) => `${describeCount(contacts.length, 'contact')}.`,
  table: ({ contacts }) => ({
    empty: 'No contact in this run matches.',
    headers: ['Contact', 'Outcome', 'Why'],
    rows: contacts.map((one): Cell[] => [one.crmId, one.outcome ?? '', whyText(one)]),
  }),
  remarks: ({ next }) => (next === null ? [] : [`For more, add --cursor ${next}`]),
});

/** A run, and the filter for its contacts. */
export type RunContactsInput = Pick<
  z.output<typeof listRunContacts.input>,
  'run' | 'outcome' | 'reason' | 'contact'
>;

export interface Looking {
  reader: Reader;
  caller: Pick<Caller, 'clients'>;
  /** Decrypts the name of the user who undid the run. Null if the name is not needed. */
  sealer?: NameOpener;
}

/** Streams a run's contacts, because a run can have a million contacts. */
export async function* streamRunContacts(
  world: Looking,
  { run: id, ...words }: RunContactsInput,
  form: 'csv' | 'json',
): AsyncGenerator<string> {
  const run = await findBegun(world, id);
  const pages = run === null ? [] : pagesOfRunContacts(world.reader, run, toFilter(words));
  if (form === 'csv') {
    yield* toCsvParts(RUN_CONTACTS_HEADER, pages, runContactLines);
    return;
  }
  let before = '[\n';
  for await (const contacts of pages) {
    for (const batch of splitIntoBatches(contacts, LINES_AT_ONCE)) {
      yield before + batch.map((one) => JSON.stringify(one)).join(',\n');
      before = ',\n';
    }
  }
  yield before.startsWith('[') ? '[]\n' : '\n]\n';
}

/** The number of lines that are sent together. */
const LINES_AT_ONCE = 200;

function toFilter({
  outcome,
  reason,
  contact,
}: Omit<RunContactsInput, 'run'>): Omit<RunContactFilter, 'after' | 'limit'> {
  return { outcomes: outcome, reason, idPrefix: contact };
}

/**
 * Finds the run that carries out this request. A run for all contacts can carry out several requests. Returns null if
 * the request is still queued.
 */
async function findBegun(world: Looking, id: string): Promise<ListedRun | null> {
  const { id: begun } = await findRun(world, id);
  return (await findRunById(world.reader, begun)) ?? null;
}

export const stopRun = changing({
  name: 'stop',
  summary: 'Stop a run at its next checkpoint, or remove a queued run from the queue',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ run: RUN }),
  subjects: ['run'],
  result: z
    .object({
      run: runSchema,
      state: z
        .enum(['stopping', 'dropped'])
        .describe('`dropped`: the run was queued, and will not start'),
    })
    .meta({ id: 'StoppedRun' }),
  async run(world, { run: id }) {
    const run = await findRun(world, id, false);
    const state = await requestStop(world.trx, run.id);
    if (state === 'over') throw isOver(id);
    return { run, state };
  },
  say: ({ run: { id, integration }, state }) =>
    state === 'dropped'
      ? `Run ${id} of "${integration}" was queued, and will not start.`
      : `Run ${id} of "${integration}" is stopping. It stops within seconds, and the next run continues from there.`,
});

function isOver(id: string): ConfigurationError {
  return nothingRuns(`Run "${id}" has already ended.`, id);
}

/** Creates the error for a stop request when no run can be stopped. */
export function nothingRuns(why: string, run: string): ConfigurationError {
  return new ConfigurationError(
    `${why} Nothing was changed. See what is in progress: donor-sync status`,
    { code: 'run_over', refusal: 'conflict', details: { run } },
  );
}

/**
 * Finds a run that is in progress, queued or ended. Throws a ConfigurationError (unknown) if the caller has no access
 * to it.
 */
export async function findRun(
  { reader, caller, sealer = null }: Looking,
  id: string,
  isRead = true,
): Promise<RunReport> {
  const run = await findRunReport(reader, id, sealer);
  if (run !== null && (caller.clients?.has(run.integration) ?? true)) return run;
  throw unknownRun(id, { isRead });
}
