/** What is reported of a client, and a test of the channels. */
import type { Context, Hono } from 'hono';
import { testChannels, testOwnChannel } from '../../../alerts/trial.ts';
import { readAlerts, type ShownTrial } from '../../alerts.ts';
import type { HttpDeps, HttpEnv } from '../../request/context.ts';
import { findIntegration, requireWholeReach } from '../../request/reach.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function clientAlertRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();

  app.get('/clients/:id/alerts', frame.see('viewer'), (c) => show(c, null));

  // What became of it stands in this answer alone. The channels of all are for those who reach all.
  app.post('/clients/:id/alerts/test', frame.act('admin'), async (c) => {
    const { alerts } = findIntegration(c, application, c.req.param('id'));
    if (alerts === undefined) requireWholeReach(c);
    const { settings } = application;
    const [all, own] = await Promise.all([
      reachesAll(c) ? testChannels(settings) : [],
      testOwnChannel(alerts, settings.server.publicUrl),
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
    const viewer = frame.viewerOf(c.var.principal);
    const mayTest = reachesAll(c) || view.own.length > 0;
    return c.html(renderAlerts(viewer, integration, { ...view, trials, mayTest }));
  }
}
