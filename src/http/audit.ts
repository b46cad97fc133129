/** GET /v1/audit: who did what. */
import { createRoute, z } from '@hono/zod-openapi';
import { ACTOR_KINDS } from '../core/actor.ts';
import { AUDIT_ACTIONS } from '../store/audit/record.ts';
import { describeEntry } from '../views/audit.ts';
import type { Access } from './access.ts';
import type { HttpDeps } from './request/context.ts';
import { createRouter, json, problems, readCursor, writeCursor } from './request/router.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

const querySchema = z.object({
  since: z.iso
    .datetime()
    .optional()
    .openapi({ description: 'Only entries from this moment on.', example: '2026-11-01T00:00:00Z' }),
  integration: z.string().optional().openapi({ description: 'Only entries about this one.' }),
  action: z.enum(AUDIT_ACTIONS).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().optional().openapi({ description: 'The `next` of the page before.' }),
});

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
      'For admins. Contacts are named by their ids, and not at all once they are erased. `donor-sync audit verify` checks that nothing was changed.',
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

/** The route of the audit. */
export function auditRoutes({ application: { store } }: HttpDeps, access: Access) {
  return createRouter().openapi(listRoute(access), async (c) => {
    const { since, integration, action, limit, cursor } = c.req.valid('query');
    const records = await store.audit.list({
      since: since === undefined ? undefined : Date.parse(since),
      integrationId: integration,
      action,
      before: cursor === undefined ? undefined : readCursor(cursor)[0],
      // One more than is shown tells whether there is a next page.
      limit: limit + 1,
    });
    const entries = records.slice(0, limit).map(describeEntry);
    const last = records.length > limit ? entries.at(-1) : undefined;
    return c.json({ entries, next: last ? writeCursor([last.seq, last.action]) : null }, 200);
  });
}
