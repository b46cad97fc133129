/** The routes /v1/credits and /v1/results: spent and remaining credits, and how long the credits will last. */
import { reconcileCredits, showBill, showCredits, showSpending } from '../../operations/credits.ts';
import { showResults } from '../../operations/results.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function creditRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const get = { tag: 'Credits', method: 'get' } as const;
  add(showResults, { ...get, path: '/v1/results' });
  add(showSpending, { ...get, path: '/v1/credits' });
  add(showCredits, { ...get, path: '/v1/credits/keys' });
  add(showBill, { ...get, path: '/v1/credits/bill', form: 'csv' });
  add(reconcileCredits, { ...get, path: '/v1/credits/reconciliations/{month}' });
  return app;
}
