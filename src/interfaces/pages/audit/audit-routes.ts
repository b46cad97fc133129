/** The audit: who did what, and whether any entry was changed. */

import type { Hono } from 'hono';
import { stream } from 'hono/streaming';
import { noteEntries } from '../../../privacy/audit/record.ts';
import {
  AUDIT_HEADER,
  auditLines,
  pagesOfAudit,
  readAuditPage,
} from '../../../privacy/audit-view.ts';
import {
  hasAccess,
  listAccessibleIds,
  requireAllClients,
} from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { AuditChecker } from './checker.ts';
import { auditQuerySchema, toFilter } from './query.ts';

/** Entries on one page. */
const PAGE_SIZE = 50;

export function auditPageRoutes(
  { application: { store } }: HttpDeps,
  frame: PageFrame,
  checker: AuditChecker,
): Hono<HttpEnv> {
  const app = frame.room();

  app.get('/audit', frame.see('admin'), async (c) => {
    const query = auditQuerySchema.parse(c.req.query());
    const ids = listAccessibleIds(c);
    const filter = { ...toFilter(query), integrationIds: ids };
    const page = await readAuditPage(store, filter, {
      before: query.before ?? undefined,
      limit: PAGE_SIZE,
    });
    const check = ids === undefined ? checker.last() : null;
    const { renderAudit } = await import('./audit-page.tsx');
    const view = { page, query, check, mayCheck: ids === undefined };
    return c.html(renderAudit(frame.getViewer(c.var.principal), view));
  });

  app.get('/audit/csv', frame.see('admin'), async (c) => {
    const query = auditQuerySchema.parse(c.req.query());
    const filter = { ...toFilter(query), integrationIds: listAccessibleIds(c) };
    const integrationId = query.client || null;
    // Who has no access to a client leaves nothing in its audit.
    const isKnown = integrationId !== null && hasAccess(c, integrationId);
    await noteEntries(store.actingAs(c.var.actor).act, [
      { action: 'audit.exported', integrationId: isKnown ? integrationId : null },
    ]);
    c.header('Content-Type', 'text/csv; charset=utf-8');
    c.header('Content-Disposition', 'attachment; filename="audit.csv"');
    return stream(c, async (out) => {
      await out.write(AUDIT_HEADER);
      for await (const entries of pagesOfAudit(store, filter)) await out.write(auditLines(entries));
    });
  });

  app.post('/audit/verify', frame.act('admin'), async (c) => {
    requireAllClients(c);
    await checker.check();
    return c.redirect('/audit', 303);
  });
  return app;
}
