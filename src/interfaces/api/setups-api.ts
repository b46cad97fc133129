/** The routes /v1/setups: unfinished set-ups in the browser. */
import { listUnfinished, showUnfinished } from '../../operations/setups.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

/** Returns the routes that show set-ups. */
export function setupListRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Integrations';
  add(listUnfinished, { tag, method: 'get', path: '/v1/setups' });
  add(showUnfinished, { tag, method: 'get', path: '/v1/setups/{setup}' });
  return app;
}
