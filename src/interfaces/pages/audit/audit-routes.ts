/** The audit: who did what, and whether any entry was changed. */

import type { Context, Hono } from 'hono';
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
import { type AuditQuery, readAuditQuery } from './query.ts';

/** Entries on one page. */
const PAGE_SIZE = 50;

export function auditPageRoutes(
  { application: { store } }: HttpDeps,
  frame: PageFrame,
  checker: AuditChecker,
): Hono<HttpEnv> {
  const app = frame.room();

  app.get('/audit', frame.see('admin'), async (c) => show(c, readAuditQuery(c.req.query())));

  app.get('/audit/csv', frame.see('admin'), async (c) => {
    const query = readAuditQuery(c.req.query());
    if (query.asked === null) return show(c, query);
    const filter = { ...query.asked.filter, integrationIds: listAccessibleIds(c) };
    const integrationId = filter.integrationId ?? null;
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

  /** The page; with status 422 and without entries if the query does not fit. */
  async function show(c: Context<HttpEnv>, { words, asked, problems }: AuditQuery) {
    const ids = listAccessibleIds(c);
    const before = asked?.before;
    const page =
      asked &&
      (await readAuditPage(
        store,
        { ...asked.filter, integrationIds: ids },
        { before, limit: PAGE_SIZE },
      ));
    const mayCheck = ids === undefined;
    const check = mayCheck ? checker.last() : null;
    const { renderAudit } = await import('./audit-page.tsx');
    const view = { page, words, before: before ?? null, problems, check, mayCheck };
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderAudit(viewer, view), asked === null ? 422 : 200);
  }
}
