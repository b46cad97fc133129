/** The routes /v1/integrations: they list clients, apply or remove settings in the database, and disconnect clients. */
import {
  applyClients,
  disconnectClient,
  listClients,
  listConnections,
  removeClient,
  showClient,
} from '../../operations/clients.ts';
import { eraseClient } from '../../operations/erase.ts';
import { planClient } from '../../operations/plan.ts';
import { showStatus } from '../../operations/status.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function integrationRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Integrations';
  const all = '/v1/integrations';
  const one = `${all}/{integration}`;
  const takeUp = deps.takeUp ?? deps.application.refresh;
  add(listClients, { tag, method: 'get', path: all });
  add(showClient, { tag, method: 'get', path: one });
  add(applyClients, { tag, method: 'post', path: all, takeUp });
  add(removeClient, { tag, method: 'delete', path: one, takeUp });
  add(listConnections, { tag, method: 'get', path: '/v1/connections' });
  add(disconnectClient, { tag, method: 'post', path: `${one}/disconnect` });
  add(showStatus, { tag, method: 'get', path: `${one}/status` });
  add(planClient, { tag, method: 'post', path: `${one}/plan` });
  add(eraseClient, { tag, method: 'post', path: `${one}/erase` });
  return app;
}
