/** What is reported of a client, and a test of the channels. */
import type { Context, Hono } from 'hono';
import { testChannels, testOwnChannel } from '../../../clients/alerts/check-channels.ts';
import { readAlerts, type ShownTrial } from '../../api/alerts-api.ts';
import { findIntegration, requireAllClients } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function clientAlertRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();

  app.get('/clients/:id/alerts', frame.see('viewer'), (c) => show(c, null));

  // What became of it stands in this answer alone. The channels of all are for those who reach all.
  app.post('/clients/:id/alerts/test', frame.act('admin'), async (c) => {
    const integration = findIntegration(c, application, c.req.param('id'));
    const { alerts } = integration;
    if (alerts === undefined) requireAllClients(c);
    const { settings } = application;
    const [all, own] = await Promise.all([
      reachesAll(c) ? testChannels(settings) : [],
      testOwnChannel(alerts, settings.server.publicUrl, application.guard.fetchFor(integration)),
    ]);
    const ofAll = all.map((trial) => ({ ...trial, isOwn: false }));
    return show(c, [...ofAll, ...(own === null ? [] : [{ ...own, isOwn: true }])]);
  });
  return app;

  function reachesAll(c: Context<HttpEnv>): boolean {
    return c.var.principal.integrations === null;
  }

  async function show(c: Context<HttpEnv>, trials: ShownTrial[] | null): Promise<Response> {
    const integration = findIntegration(c, application, c.req.param('id') ?? '');
    const view = await readAlerts(deps, integration);
    const { renderAlerts } = await import('./alert-page.tsx');
    const viewer = frame.getViewer(c.var.principal);
    const mayTest = reachesAll(c) || view.own.length > 0;
    return c.html(renderAlerts(viewer, integration, { ...view, trials, mayTest }));
  }
}
