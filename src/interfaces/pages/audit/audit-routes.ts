/** Shows who did what, and checks whether someone has changed entries. */

import type { Context, Hono } from 'hono';
import { isoTime } from '../../../core/clock.ts';
import { readCursor, writeCursor } from '../../../core/cursor.ts';
import { exportAudit, listAudit, verifyAudit } from '../../../operations/audit.ts';
import { perform, performStream } from '../../../operations/kit/perform.ts';
import { listPersonRecords } from '../../../people/statements/people.ts';
import { readIdentity } from '../../../people/user-accounts.ts';
import type { AuditView } from '../../../privacy/audit-view.ts';
import { listRunStarts } from '../../../sync/statements/runs.ts';
import { CSV } from '../../api/operation-routes.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { hasAccess } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { sendStream } from '../../api/send-stream.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { AuditNames } from './entry-details.tsx';
import { type AuditQuery, readAuditQuery } from './query.ts';

/** The number of entries on one page. */
const PAGE_SIZE = 50;

export function auditPageRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const app = frame.room();
  const world = toOperationDeps(deps);

  app.get('/audit', frame.see(listAudit.role), async (c) => show(c, readAuditQuery(c.req.query())));

  app.get('/audit/csv', frame.see(exportAudit.role), async (c) => {
    const query = readAuditQuery(c.req.query());
    if (query.asked === null) return show(c, query);
    const { filter } = query.asked;
    const { file, parts } = await performStream(world, getCaller(c), exportAudit, filter);
    return sendStream(c, deps, { file, mediaType: CSV, parts });
  });

  app.post('/audit/verify', frame.act(verifyAudit.role), async (c) => {
    await perform(world, getCaller(c), verifyAudit, {});
    return c.redirect('/audit', 303);
  });
  return app;

  /** Shows the page. An invalid query results in status 422 and no entries. */
  async function show(c: Context<HttpEnv>, { words, asked, problems }: AuditQuery) {
    const caller = getCaller(c);
    const before = asked?.before;
    const cursor = before === undefined ? undefined : writeCursor([before, 'audit']);
    const input = asked && { ...asked.filter, limit: PAGE_SIZE, cursor };
    const listed = input && (await perform(world, caller, listAudit, input));
    const next = listed?.next ?? null;
    const page = listed && {
      entries: listed.entries,
      next: next === null ? null : readCursor(next)[0],
    };
    const mayCheck = caller.clients === null;
    const check = mayCheck ? (deps.auditChecker?.last() ?? null) : null;
    const { renderAudit } = await import('./audit-page.tsx');
    const clients = new Map(
      [...deps.application.integrations.values()]
        .filter(({ id }) => hasAccess(c, id))
        .map(({ id, name = id }) => [id, name]),
    );
    const newest = listed?.entries[0]?.seq;
    const top = asked?.top ?? before ?? (newest === undefined ? null : newest + 1);
    const pages = { before: before ?? null, top };
    const names = await readNames(page?.entries ?? []);
    const view = { page, words, pages, problems, check, clients, names, mayCheck };
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderAudit(viewer, view), asked === null ? 422 : 200);
  }

  /** Reads the names of the users and the times of the runs in these entries. */
  async function readNames(entries: readonly AuditView[]): Promise<AuditNames> {
    const { store, sealer } = deps.application;
    const idsOf = (name: 'run' | 'person') =>
      new Set(entries.map(({ details }) => details[name]).filter((id) => typeof id === 'string'));
    const runs = await listRunStarts(store.reader, [...idsOf('run')]);
    const isNamed = idsOf('person').size > 0;
    const users = isNamed ? await listPersonRecords(store.reader) : [];
    return {
      users: new Map(users.map((user) => [user.id, readIdentity(sealer, user).name])),
      runs: new Map([...runs].map(([id, startedAt]) => [id, isoTime(startedAt)])),
    };
  }
}
