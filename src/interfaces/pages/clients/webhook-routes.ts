/** The webhook address of a client: make, rotate, revoke, and what became of its last calls. */

import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { revokeHook } from '../../../clients/statements/hooks.ts';
import { findIntegration } from '../../api/request/client-access.ts';
import type { HttpDeps, HttpEnv } from '../../api/request/context.ts';
import { limitBody, MAX_API_BODY_BYTES, readForm } from '../../api/request/guards.ts';
import type { HookCalls } from '../../api/webhooks/hook-calls.ts';
import { HOOK_SIGNATURES } from '../../api/webhooks/hook-signing.ts';
import { readWebhook, renewWebhook } from '../../api/webhooks/webhooks.ts';
import type { PageFrame } from '../frame/page-app.ts';

export function clientWebhookRoutes(
  deps: HttpDeps,
  frame: PageFrame,
  calls: HookCalls,
): Hono<HttpEnv> {
  const { application } = deps;
  const app = frame.room();
  const findClient = (c: Context<HttpEnv>) =>
    findIntegration(c, application, c.req.param('id') ?? '');

  app.get('/clients/:id/webhooks', frame.see('admin'), async (c) => {
    const integration = findClient(c);
    const view = await readWebhook(deps, calls, integration);
    const { renderWebhooks } = await import('./webhook-page.tsx');
    const note = c.req.query('note') === 'revoked' ? 'The address has ended.' : null;
    const viewer = frame.getViewer(c.var.principal);
    return c.html(renderWebhooks(viewer, integration, { ...view, made: null, note }));
  });

  // Address and secret are in this answer alone: no address leads to them again.
  app.post(
    '/clients/:id/webhooks',
    frame.act('admin'),
    limitBody(MAX_API_BODY_BYTES),
    async (c) => {
      const integration = findClient(c);
      const { signature, secret } = formSchema.parse(await readForm(c));
      const asked = { signature, secret: secret || undefined };
      const made = await renewWebhook(deps, integration, asked, c.get('actor'));
      const view = await readWebhook(deps, calls, integration);
      const { renderWebhooks } = await import('./webhook-page.tsx');
      c.header('Cache-Control', 'no-store');
      const viewer = frame.getViewer(c.var.principal);
      return c.html(renderWebhooks(viewer, integration, { ...view, made, note: null }));
    },
  );

  app.post('/clients/:id/webhooks/revoke', frame.act('admin'), async (c) => {
    const { id } = findClient(c);
    await application.store.actingAs(c.get('actor')).act((trx) => revokeHook(trx, id));
    return c.redirect(`/clients/${id}/webhooks?note=revoked`, 303);
  });
  return app;
}

const formSchema = z.object({
  signature: z.enum(HOOK_SIGNATURES).catch('none'),
  secret: z.string().trim().max(1_000).catch(''),
});
