import {
  createWebhook,
  listWebhooks,
  revokeWebhook,
  rotateWebhook,
  showWebhook,
} from '../../../operations/hooks.ts';
import type { Access } from '../access.ts';
import { createOperationRoutes } from '../operation-routes.ts';
import type { HttpDeps } from '../request/context.ts';
import type { HookCalls } from './hook-calls.ts';

export function webhookRoutes(deps: HttpDeps, access: Access, calls: Pick<HookCalls, 'store'>) {
  const { app, add } = createOperationRoutes(deps, access);
  const tag = 'Webhooks';
  const one = '/v1/integrations/{integration}/webhook';
  const prepare = ({ integration }: { integration: string }) => calls.store(integration);
  add(listWebhooks, { tag, method: 'get', path: '/v1/webhooks' });
  add(showWebhook, { tag, method: 'get', path: one, prepare });
  add(createWebhook, { tag, method: 'post', path: one });
  add(rotateWebhook, { tag, method: 'post', path: `${one}/rotate` });
  add(revokeWebhook, { tag, method: 'delete', path: one });
  return app;
}
