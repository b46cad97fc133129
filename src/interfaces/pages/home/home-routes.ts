/** Serves the list of clients at `/` and the page of each client, and handles their buttons (design, section 4.5). */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { acceptMatchRate } from '../../../clients/live-crm.ts';
import { CLIENT_FILTERS } from '../../../clients/views/clients.ts';
import { confirmAskedMarks } from '../../../contacts/many-at-once/mark-questions.ts';
import { pauseScheduledRuns, resumeScheduledRuns } from '../../../operations/schedules.ts';
import { findIntegration, listAccessible } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import { DECISION_NOTES } from '../decisions/notes.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { readClient, toAnchor } from './client-detail.ts';
import { clientHref } from './client-href.ts';
import { HOME_ORDERS, readHome } from './home-view.ts';

export function homeRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application, runner } = deps;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);

  app.get('/', frame.see('viewer'), async (c) => {
    const { note, ...query } = homeQuerySchema.parse(c.req.query());
    const integrations = listAccessible(c, application);
    const home = await readHome(frame.clients, integrations, query);
    const { renderHome } = await import('./home-pages.tsx');
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderHome(viewer, home, note && NOTES[note]));
  });

  app.get('/clients/:id', frame.see('viewer'), async (c) => {
    const integration = findIntegration(c, application, c.req.param('id'));
    const { note } = homeQuerySchema.parse(c.req.query());
    const detail = await readClient({ application }, integration);
    const { renderClient } = await import('./home-pages.tsx');
    return c.html(renderClient(frame.getViewer(c.var.principal), detail, note && NOTES[note]));
  });

  app.post('/integrations/:id/sync', frame.act('admin'), async (c) => {
    const { id } = findIntegration(c, application, c.req.param('id'));
    const by = c.get('actor');
    const { joined } = await runner.request({ integrationId: id, trigger: 'manual', by });
    return backTo(c, id, joined === null ? 'sync' : 'joined');
  });

  app.post('/integrations/:id/accept-match-rate', frame.act('admin'), async (c) => {
    const integration = findIntegration(c, application, c.req.param('id'));
    const { id: integrationId } = integration;
    const by = c.get('actor');
    await acceptMatchRate(liveDeps(deps, by), integration);
    await runner.request({ integrationId, trigger: 'manual', mayJoin: false, by });
    return backTo(c, integrationId, 'accepted');
  });

  app.post('/integrations/:id/accept-marks', frame.act('admin'), async (c) => {
    const { id: integrationId } = findIntegration(c, application, c.req.param('id'));
    const by = c.get('actor');
    await liveDeps(deps, by).application.store.act((trx) => confirmAskedMarks(trx, integrationId));
    await runner.request({ integrationId, trigger: 'manual', mayJoin: false, by });
    return backTo(c, integrationId, 'accepted');
  });

  add('/integrations/:integration/pause', pauseScheduledRuns, {
    answer: (c, { integration }) => backTo(c, integration, 'pause'),
  });
  add('/integrations/:integration/resume', resumeScheduledRuns, {
    answer: (c, { integration }) => backTo(c, integration, 'resume'),
  });
  return app;

  /**
   * Redirects to the page with the pressed button, which is the list or the client's page. Discards the cached data,
   * because it is outdated now.
   */
  function backTo(c: Context<HttpEnv>, id: string, note: Note): Response {
    frame.clients.forget();
    const isHome = c.req.query('back') === 'home';
    const page = isHome ? `/?note=${note}#${toAnchor(id)}` : `${clientHref(id)}?note=${note}`;
    return c.redirect(page, 303);
  }
}

/** Notes for the next page. The page's address contains only the name of a note, never its text. */
const NOTES = {
  sync: 'A sync was requested. It starts in a moment.',
  joined: 'A sync is already in progress or about to start.',
  accepted: 'Accepted. A sync starts in a moment and sends the waiting contacts.',
  pause: 'The schedule is paused. No scheduled run starts until you resume it.',
  resume: 'The schedule was resumed.',
  stopping: 'The run is stopping. It ends within seconds.',
  dropped: 'The run will not start.',
  over: 'The run had already ended.',
  ...DECISION_NOTES,
} as const;

type Note = keyof typeof NOTES;

const homeQuerySchema = z.object({
  show: z.enum(CLIENT_FILTERS).catch('all'),
  crm: z.string().trim().catch(''),
  q: z.string().trim().catch(''),
  sort: z.enum(HOME_ORDERS).catch('set-up'),
  from: z.coerce.number().int().nonnegative().catch(0),
  note: z
    .custom<Note>((word) => typeof word === 'string' && Object.hasOwn(NOTES, word))
    .nullable()
    .catch(null),
});
