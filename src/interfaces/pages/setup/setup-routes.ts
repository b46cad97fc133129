/**
 * Shows an integration's contacts as donor-sync would send them to the service, so that users can check the columns.
 */

import type { Hono } from 'hono';
import { showPersons } from '../../../clients/live-crm.ts';
import { noteEntries } from '../../../privacy/audit/record.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import { type HttpDeps, type HttpEnv, liveDeps } from '../../api/request/context.ts';
import type { PageFrame } from '../frame/page-app.ts';
import { findLowRate } from '../runs/run-detail.ts';
import { wizardRoutes } from './wizard.ts';

export function setupRoutes(deps: HttpDeps, frame: PageFrame): Hono<HttpEnv> {
  const { application } = deps;
  const { store } = application;
  const app = frame.room();

  app.get('/integrations/:id/persons', frame.see('reader'), async (c) => {
    const integration = findIntegration(c, application, c.req.param('id'));
    const { id, name = id } = integration;
    const actor = c.get('actor');
    await noteEntries(store.actingAs(actor).act, [{ action: 'names.shown', integrationId: id }]);
    const view = {
      integration: { id, name },
      persons: await showPersons(liveDeps(deps, actor), integration),
      isRateLow: (await findLowRate(store.reader, id)) !== null,
    };
    const { renderPersons } = await import('./persons-page.tsx');
    c.header('Cache-Control', 'no-store');
    return c.html(renderPersons(frame.getViewer(c.get('principal')), view));
  });
  app.route('/', wizardRoutes(deps, frame));
  return app;
}
