/** Shows a client's alerts, and tests the client's channels. */
import type { Context, Hono } from 'hono';
import { readAlerts } from '../../../clients/views/alerts.ts';
import { testAlerts, testOwnAlerts } from '../../../operations/alerts.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { getCaller, toOperationDeps } from '../../api/request/caller.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { PageFrame } from '../frame/page-app.ts';
import type { ShownTrial } from './alert-page.tsx';

export function clientAlertRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const world = toOperationDeps(deps);
  const app = frame.room();

  app.get('/clients/:id/alerts', frame.see('viewer'), (c) => show(c, null));

  // Only this response contains the result of the test. Users see shared channels only if they have access to all
  // clients.
  app.post('/clients/:id/alerts/test', frame.act(testOwnAlerts.role), async (c) => {
    const { id: integration, alerts } = findIntegration(c, application, c.req.param('id'));
    const caller = getCaller(c);
    const hasOwn = alerts !== undefined;
    const testsAll = !hasOwn || (reachesAll(c) && hasSharedChannels());
    const [all, own] = await Promise.all([
      testsAll ? perform(world, caller, testAlerts, {}) : null,
      hasOwn ? perform(world, caller, testOwnAlerts, { integration }) : null,
    ]);
    return show(c, [...toTrials(all, false), ...toTrials(own, true)]);
  });
  return app;

  function hasSharedChannels(): boolean {
    const { email, webhook } = application.settings.alerts;
    return email !== null || webhook !== null;
  }

  function reachesAll(c: Context<HttpEnv>): boolean {
    return c.var.principal.integrations === null;
  }

  async function show(c: Context<HttpEnv>, trials: ShownTrial[] | null): Promise<Response> {
    const integration = findIntegration(c, application, c.req.param('id') ?? '');
    const { store, settings } = application;
    const view = await readAlerts(store.reader, settings.alerts, integration);
    const { renderAlerts } = await import('./alert-page.tsx');
    const viewer = frame.getViewer(c.var.principal);
    const mayTest = reachesAll(c) || view.own.length > 0;
    return c.html(renderAlerts(viewer, integration, { ...view, trials, mayTest }));
  }
}

function toTrials(
  tested: { channels: Omit<ShownTrial, 'isOwn'>[] } | null,
  isOwn: boolean,
): ShownTrial[] {
  return (tested?.channels ?? []).map((trial) => ({ ...trial, isOwn }));
}
