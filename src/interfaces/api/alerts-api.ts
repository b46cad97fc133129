import {
  checkAlerts,
  listClientAlerts,
  showAlerts,
  testAlerts,
  testOwnAlerts,
} from '../../operations/alerts.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function alertRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Alerts';
  const one = '/v1/integrations/{integration}/alerts';
  add(listClientAlerts, { tag, method: 'get', path: '/v1/alerts' });
  add(showAlerts, { tag, method: 'get', path: one });
  add(testAlerts, { tag, method: 'post', path: '/v1/alerts/test' });
  add(testOwnAlerts, { tag, method: 'post', path: `${one}/test` });
  add(checkAlerts, { tag, method: 'post', path: '/v1/alerts/check' });
  return app;
}
