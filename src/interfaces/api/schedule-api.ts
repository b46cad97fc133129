import {
  listClientSchedules,
  pauseScheduledRuns,
  resumeScheduledRuns,
  showSchedule,
} from '../../operations/schedules.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function scheduleRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Schedules';
  const one = '/v1/integrations/{integration}/schedule';
  add(listClientSchedules, { tag, method: 'get', path: '/v1/schedules' });
  add(showSchedule, { tag, method: 'get', path: one });
  add(pauseScheduledRuns, { tag, method: 'post', path: `${one}/pause` });
  add(resumeScheduledRuns, { tag, method: 'post', path: `${one}/resume` });
  return app;
}
