/**
 * Lets users create, rotate and revoke the webhook address. The page also lists the latest responses to webhook calls.
 */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { readWebhook } from '../../../clients/views/hooks.ts';
import {
  createWebhook,
  type NewWebhook,
  revokeWebhook,
  rotateWebhook,
} from '../../../operations/hooks.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import type { HookCalls } from '../../api/webhooks/hook-calls.ts';
import { createOperationForms } from '../frame/operation-form.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function clientWebhookRoutes(
  deps: HttpDeps,
  frame: PageFrame,
  calls: Pick<HookCalls, 'store'>,
): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();
  const { add } = createOperationForms(deps, frame, app);

  app.get('/clients/:id/webhooks', frame.see('admin'), (c) => {
    const note = c.req.query('note') === 'revoked' ? 'The address was revoked.' : null;
    return page(c, c.req.param('id'), { note });
  });

  // The page shows the address and the secret only once.
  const shownOnce = {
    read: withoutEmptySecret,
    answer(c: Context<HttpEnv>, made: NewWebhook) {
      c.header('Cache-Control', 'no-store');
      return page(c, made.integration, { made });
    },
  };
  add('/clients/:integration/webhooks', createWebhook, shownOnce);
  add('/clients/:integration/webhooks/rotate', rotateWebhook, shownOnce);
  add('/clients/:integration/webhooks/revoke', revokeWebhook, {
    answer: (c, { revoked }) => c.redirect(`/clients/${revoked}/webhooks?note=revoked`, 303),
  });
  return app;

  async function page(
    c: Context<HttpEnv>,
    id: string,
    { made = null, note = null }: { made?: NewWebhook | null; note?: string | null },
  ): Promise<Response> {
    const integration = findIntegration(c, application, id);
    await calls.store(integration.id);
    const view = await readWebhook(application.store.reader, integration.id);
    const { renderWebhooks } = await import('./webhook-page.tsx');
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderWebhooks(viewer, integration, { ...view, made, note }));
  }
}

const secretSchema = z.string().trim().catch('');

/** Removes an empty secret from the form, because an empty field means that there is no secret. */
function withoutEmptySecret({ secret, ...form }: Record<string, unknown>): object {
  const typed = secretSchema.parse(secret);
  return typed === '' ? form : { ...form, secret: typed };
}
