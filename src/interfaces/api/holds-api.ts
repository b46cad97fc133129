/** The routes /v1/holds, /v1/decisions and /v1/answers: open decisions and their answers. */
import { listAnswers, withdrawAnswer } from '../../operations/answers.ts';
import {
  approveHolds,
  decideHold,
  decideHoldBatch,
  rejectHolds,
  resubmitHolds,
} from '../../operations/decide.ts';
import { listHolds, listHoldsWithNames, showQueue } from '../../operations/holds.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function holdRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Holds';
  const later = ['approval', 'answer'];
  add(listHolds, { tag, method: 'get', path: '/v1/holds' });
  // The audit records that a user reads names. The route is never a GET, because another site's link could send a GET.
  add(listHoldsWithNames, { tag, method: 'post', path: '/v1/holds/names' });
  add(showQueue, { tag, method: 'get', path: '/v1/decisions' });
  add(approveHolds, { tag, method: 'post', path: '/v1/holds/approve', later });
  add(rejectHolds, { tag, method: 'post', path: '/v1/holds/reject', later });
  add(resubmitHolds, { tag, method: 'post', path: '/v1/holds/resubmit', later });
  add(decideHoldBatch, { tag, method: 'post', path: '/v1/holds/batches/{id}/{decision}', later });
  add(decideHold, { tag, method: 'post', path: '/v1/holds/{id}/{decision}', later });
  add(listAnswers, { tag, method: 'get', path: '/v1/answers' });
  add(withdrawAnswer, { tag, method: 'post', path: '/v1/answers/{answer}/withdraw' });
  return app;
}
