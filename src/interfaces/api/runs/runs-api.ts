/** GET /v1/runs, /v1/runs/:id and /v1/runs/:id/contacts: the runs, and what each did to contacts. */

import { createRoute, z } from '@hono/zod-openapi';
import { stream } from 'hono/streaming';
import { readCursor, writeCursor } from '../../../core/cursor.ts';
import { OUTCOME_ORDER } from '../../../core/outcome.ts';
import { splitIntoBatches } from '../../../core/parallel.ts';
import { runReportSchema, runStatusSchema, triggerSchema } from '../../../core/run.ts';
import type { Store } from '../../../store.ts';
import type { RunContactFilter, RunKey } from '../../../sync/statements/run-rows.ts';
import { findRunById, listRunRecords, type RunFilter } from '../../../sync/statements/runs.ts';
import { readReport } from '../../../sync/views/run.ts';
import {
  pagesOfRunContacts,
  RUN_CONTACTS_HEADER,
  readRunContacts,
  runContactLines,
} from '../../../sync/views/run-contacts.ts';
import type { Access } from '../access.ts';
import { findRun, listAccessibleIds } from '../request/client-access.ts';
import type { HttpDeps } from '../request/context.ts';
import { createRouter, json, problems } from '../request/router.ts';

/** The report under its name in openapi.json, which only schemas of this `z` can have. */
export const runSchema = z.object(runReportSchema.shape).openapi('Run');

const cursorSchema = z
  .string()
  .optional()
  .openapi({ description: 'The `next` of the page before.' });

const nextSchema = z
  .string()
  .nullable()
  .openapi({ description: 'The cursor of the next page, if any.' });

const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;

const querySchema = z.object({
  integration: z.string().optional().openapi({ description: 'Only the runs of this integration.' }),
  status: runStatusSchema.optional(),
  trigger: triggerSchema.optional(),
  from: z.iso
    .datetime()
    .optional()
    .openapi({ description: 'Only runs that began at this moment or later.' }),
  until: z.iso
    .datetime()
    .optional()
    .openapi({ description: 'Only runs that began before this moment.' }),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: cursorSchema,
});

const pageSchema = z
  .object({
    runs: z.array(runSchema),
    next: nextSchema,
  })
  .openapi('RunPage');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs',
    tags: ['Runs'],
    summary: 'List the runs, the newest first',
    middleware: [requireRole('viewer')] as const,
    request: { query: querySchema },
    responses: {
      200: { description: 'A page of runs.', ...json(pageSchema) },
      ...problems.access,
      ...problems.invalid,
    },
  });
}

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs/{id}',
    tags: ['Runs'],
    summary: 'Show a run as it stands now',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }) },
    responses: {
      200: { description: 'The run.', ...json(z.object({ run: runSchema })) },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

/** The routes that show runs. */
export function runRoutes({ application: { store } }: HttpDeps, access: Access) {
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const { integration, status, trigger, from, until, limit, cursor } = c.req.valid('query');
      const after = cursor === undefined ? undefined : parsePosition(cursor);
      // One more than is shown tells whether there is a next page.
      const rows = await listRunRecords(store.reader, {
        integrationId: integration,
        integrationIds: listAccessibleIds(c),
        status,
        trigger,
        from: from === undefined ? undefined : Date.parse(from),
        until: until === undefined ? undefined : Date.parse(until),
        after,
        limit: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const runs = await Promise.all(shown.map((row) => readReport(store.reader, row)));
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return c.json({ runs, next: last ? writeCursor([last.startedAt, last.id]) : null }, 200);
    })
    .openapi(showRoute(access), async (c) => {
      return c.json({ run: await findRun(c, store.reader, c.req.valid('param').id) }, 200);
    });
}

function parsePosition(cursor: string): RunFilter['after'] {
  const [startedAt, id] = readCursor(cursor);
  return { startedAt, id };
}

const MAX_CONTACTS = 1_000;
const DEFAULT_CONTACTS = 100;

const outcomeSchema = z.enum(OUTCOME_ORDER);

/** Filters of a run's contacts, in the API and on the page. */
const contactFilterSchema = z.object({
  outcome: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(outcomeSchema))
    .optional()
    .openapi({
      type: 'string',
      description: `Only these outcomes, with commas: ${OUTCOME_ORDER.join(', ')}.`,
      example: 'held,failed',
    }),
  reason: z.string().optional().openapi({ description: 'Only contacts with this reason.' }),
  contact: z
    .string()
    .optional()
    .openapi({ description: 'Only contacts whose id in the CRM begins so.' }),
});

const contactQuerySchema = contactFilterSchema.extend({
  limit: z.coerce.number().int().min(1).max(MAX_CONTACTS).default(DEFAULT_CONTACTS),
  cursor: cursorSchema,
  format: z.enum(['json', 'csv', 'json-file']).default('json').openapi({
    description: '`csv` and `json-file` have all contacts in one file, without pages.',
  }),
});

const contactSchema = z
  .object({
    crmId: z.string().openapi({ description: 'The id of the contact in the CRM.' }),
    outcome: outcomeSchema.nullable(),
    reason: z.string(),
    text: z.string().openapi({ description: 'The reason as a part of a sentence.' }),
    detail: z.string().nullable(),
    at: z.iso.datetime(),
  })
  .openapi('RunContact');

const contactPageSchema = z
  .object({
    contacts: z.array(contactSchema),
    next: nextSchema,
  })
  .openapi('RunContactPage');

function contactsRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/runs/{id}/contacts',
    tags: ['Runs'],
    summary: 'List what a run did to contacts, without those that were simply fresh',
    description:
      'Held and failed contacts come first. What runs did is kept for `retention.runRows` days.',
    middleware: [requireRole('viewer')] as const,
    request: { params: z.object({ id: z.string() }), query: contactQuerySchema },
    responses: {
      200: {
        description: 'A page of contacts.',
        content: { ...json(contactPageSchema).content, 'text/csv': { schema: z.string() } },
      },
      ...problems.access,
      ...problems.notFound,
      ...problems.invalid,
    },
  });
}

export function runContactRoutes({ application: { store } }: HttpDeps, access: Access) {
  return createRouter().openapi(contactsRoute(access), async (c) => {
    const { id } = c.req.valid('param');
    const { limit, cursor, format, ...query } = c.req.valid('query');
    const filter = toContactFilter(query);
    // One run over all contacts may have answered several requests; null if it waits to begin.
    const run = (await findRunById(store.reader, (await findRun(c, store.reader, id)).id)) ?? null;
    if (format === 'csv') {
      c.header('Content-Type', 'text/csv; charset=utf-8');
      c.header('Content-Disposition', `attachment; filename="run-${id}.csv"`);
      return stream(c, async (out) => {
        await out.write(RUN_CONTACTS_HEADER);
        if (run === null) return;
        for await (const contacts of pagesOfRunContacts(store.reader, run, filter)) {
          await out.write(runContactLines(contacts));
        }
      });
    }
    if (format === 'json-file') {
      c.header('Content-Type', 'application/json; charset=utf-8');
      c.header('Content-Disposition', `attachment; filename="run-${id}.json"`);
      return stream(c, async (out) => {
        let before = '[\n';
        for await (const contacts of run === null
          ? []
          : pagesOfRunContacts(store.reader, run, filter)) {
          for (const batch of splitIntoBatches(contacts, LINES_AT_ONCE)) {
            await out.write(before + batch.map((one) => JSON.stringify(one)).join(',\n'));
            before = ',\n';
          }
        }
        await out.write(before.startsWith('[') ? '[]\n' : '\n]\n');
      });
    }
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const { contacts, next } = await readPage(store, run, {
      ...filter,
      limit,
      after: after && { place: after[0], crmId: after[1] },
    });
    return c.json({ contacts, next: next && writeCursor([next.place, next.crmId]) }, 200);
  });
}

/** Contacts that are written into a file at once. */
const LINES_AT_ONCE = 200;

/** The filter as the store takes it. */
export function toContactFilter({
  outcome,
  reason,
  contact,
}: z.infer<typeof contactFilterSchema>): Omit<RunContactFilter, 'after' | 'limit'> {
  return { outcomes: outcome, reason, idPrefix: contact };
}

async function readPage(store: Store, run: RunKey | null, filter: RunContactFilter) {
  return run === null ? { contacts: [], next: null } : readRunContacts(store.reader, run, filter);
}
