/** GET /v1/audit: who did what. */

import { createRoute, z } from '@hono/zod-openapi';
import { ACTOR_KINDS } from '../../core/actor.ts';
import { readCursor, writeCursor } from '../../core/cursor.ts';
import { auditFilterShape, refuseUnknownFilters } from '../../operations/audit-filter.ts';
import { readAuditPage } from '../../privacy/audit-view.ts';
import type { AuditChecker } from '../pages/audit/checker.ts';
import type { Access } from './access.ts';
import { listAccessibleIds, requireAllClients } from './request/client-access.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, json, problems } from './request/router.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

const shape = {
  ...auditFilterShape,
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().optional().openapi({ description: 'The `next` of the page before.' }),
};

const querySchema = z.strictObject(shape, refuseUnknownFilters(Object.keys(shape)));

const entrySchema = z
  .object({
    seq: z.int().openapi({ description: '1, 2, 3, … without a gap.' }),
    at: z.iso.datetime(),
    who: z.object({
      kind: z.enum(ACTOR_KINDS),
      name: z.string().nullable().openapi({ description: 'Of the user or of the access token.' }),
      from: z.string().nullable().openapi({ description: 'The machine or the address.' }),
    }),
    action: z.string(),
    integration: z.string().nullable(),
    contact: z.string().nullable().openapi({ description: 'The id of the contact in its CRM.' }),
    contactErased: z.boolean(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    readable: z.boolean().openapi({ description: 'False if it was changed in the database.' }),
  })
  .openapi('AuditEntry');

function listRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/audit',
    tags: ['Audit'],
    summary: 'List who did what, the newest first',
    description:
      'For admins. Who reaches some integrations sees the entries about those alone. Contacts are named by their ids, and not at all once they are erased. `donor-sync audit verify` checks that nothing was changed.',
    middleware: [requireRole('admin')] as const,
    request: { query: querySchema },
    responses: {
      200: {
        description: 'A page of entries.',
        ...json(z.object({ entries: z.array(entrySchema), next: z.string().nullable() })),
      },
      ...problems.access,
      ...problems.invalid,
    },
  });
}

const checkSchema = z
  .object({
    isRunning: z.boolean(),
    checked: z.int().openapi({ description: 'Entries checked so far, of so many.' }),
    of: z.int(),
    finishedAt: z.iso.datetime().nullable(),
    problems: z.array(z.string()).openapi({ description: 'Empty if nothing was changed.' }),
    end: z
      .string()
      .nullable()
      .openapi({ description: 'Where the chain ends: note it down elsewhere.' }),
    purgedThrough: z.int(),
  })
  .openapi('AuditCheck');

function verifyRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/audit/verify',
    tags: ['Audit'],
    summary: 'Check that no entry was changed, put in or taken away',
    description:
      'For admins of all integrations. Begins the check, or finds the one that goes on, and answers after a few seconds at the latest, with `isRunning` if it is not at its end: ask again. Each process has its own.',
    middleware: [requireRole('admin')] as const,
    responses: {
      200: { description: 'How far it is, and what it found.', ...json(checkSchema) },
      ...problems.access,
    },
  });
}

/** The routes of the audit. */
export function auditRoutes(
  { application: { store } }: Pick<HttpDeps, 'application'>,
  access: Access,
  checker: AuditChecker,
) {
  return createRouter()
    .openapi(listRoute(access), async (c) => {
      const { since, until, integration, limit, cursor, ...filter } = c.req.valid('query');
      const page = await readAuditPage(
        store,
        {
          ...filter,
          since: since === undefined ? undefined : Date.parse(since),
          until: until === undefined ? undefined : Date.parse(until),
          integrationId: integration,
          integrationIds: listAccessibleIds(c),
        },
        { before: cursor === undefined ? undefined : readCursor(cursor)[0], limit },
      );
      const next = page.next === null ? null : writeCursor([page.next, 'audit']);
      return c.json({ entries: page.entries, next }, 200);
    })
    .openapi(verifyRoute(access), async (c) => {
      requireAllClients(c);
      return c.json(await checker.check(), 200);
    });
}
