import {
  confirmRequest,
  listWaitingApprovals,
  refuseRequest,
  showRequest,
} from '../../operations/approvals.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function approvalRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const common = { tag: 'Approvals' };
  const one = '/v1/approvals/{approval}';
  add(listWaitingApprovals, { ...common, method: 'get', path: '/v1/approvals' });
  add(showRequest, { ...common, method: 'get', path: one });
  add(confirmRequest, { ...common, method: 'post', path: `${one}/confirm` });
  add(refuseRequest, { ...common, method: 'post', path: `${one}/refuse` });
  return app;
}
