import { exportAudit, listAudit, verifyAudit } from '../../operations/audit.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function auditRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Audit';
  add(listAudit, { tag, method: 'get', path: '/v1/audit' });
  add(exportAudit, { tag, method: 'get', path: '/v1/audit/export', form: 'csv' });
  add(verifyAudit, { tag, method: 'post', path: '/v1/audit/verify' });
  return app;
}
