/** The webhook address of an integration: look at it, make a new one, end it. */

import { createRoute, z } from '@hono/zod-openapi';
import { findHookByClient, revokeHook } from '../../../clients/statements/hooks.ts';
import {
  describeCall,
  describeHook,
  type HookCallView,
  type HookView,
} from '../../../clients/views/hooks.ts';
import type { Actor } from '../../../core/actor.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import type { Access } from '../access.ts';
import { findIntegration } from '../request/client-access.ts';
import type { HttpDeps } from '../request/context.ts';
import { HttpError } from '../request/errors.ts';
import { limitBody, MAX_API_BODY_BYTES, requireJsonBody } from '../request/guards.ts';
import { createRouter, json, problems } from '../request/router.ts';
import { createHookAddress } from './hook-address.ts';
import type { HookCalls } from './hook-calls.ts';
import { HOOK_SIGNATURES, type SigningOptions, signingFor } from './hook-signing.ts';

/** What is known of the address of an integration. */
export interface WebhookView {
  /** Null if it has no address. */
  webhook: HookView | null;
  /** The last of its calls, the newest first. */
  calls: HookCallView[];
}

export async function readWebhook(
  { application: { store } }: Pick<HttpDeps, 'application'>,
  calls: Pick<HookCalls, 'list'>,
  { id }: Pick<Integration, 'id'>,
): Promise<WebhookView> {
  const hook = await findHookByClient(store.reader, id);
  const last = await calls.list(id);
  return { webhook: hook ? describeHook(hook) : null, calls: last.map(describeCall) };
}

/** An address that was just made: it and its secret are shown this once. */
export interface NewWebhook {
  integration: string;
  url: string;
  signature: HookView['signature'];
  /** What callers sign with, if it was made just now. */
  secret: string | null;
}

/** Makes a new address; the one before ends at once. */
export async function renewWebhook(
  { application, publicUrl }: Pick<HttpDeps, 'application' | 'publicUrl'>,
  integration: Integration,
  asked: SigningOptions,
  by: Actor,
): Promise<NewWebhook> {
  const { id } = integration;
  const { sealer } = application;
  const store = application.store.actingAs(by);
  const before = (await findHookByClient(store.reader, id)) ?? null;
  const signing = signingFor(asked, { integration, before, sealer });
  const url = await createHookAddress({ store, sealer }, publicUrl, id, signing);
  const secret = signing?.isNew ? signing.secret : null;
  return { integration: id, url, signature: signing?.kind ?? null, secret };
}

const signatureSchema = z.enum(['hubspot', 'hmac']).nullable();

const webhookSchema = z
  .object({
    webhook: z
      .object({
        integration: z.string(),
        signature: signatureSchema,
        createdAt: z.iso.datetime(),
        lastUsedAt: z.iso.datetime().nullable(),
        ignored: z.int().openapi({ description: 'Contacts that its CRM does not have.' }),
      })
      .nullable(),
    calls: z.array(
      z.object({
        firstAt: z.iso.datetime(),
        lastAt: z.iso.datetime(),
        times: z.int(),
        answer: z.string(),
        text: z.string(),
        isGood: z.boolean(),
        contacts: z.int(),
        run: z.string().nullable(),
      }),
    ),
  })
  .openapi('Webhook');

const newWebhookSchema = z
  .object({
    integration: z.string(),
    url: z.string().openapi({ description: 'Shown this once.' }),
    signature: signatureSchema,
    secret: z.string().nullable().openapi({ description: 'Shown this once, if it is new.' }),
  })
  .openapi('NewWebhook');

const params = z.object({ id: z.string() });

function showRoute({ requireRole }: Access) {
  return createRoute({
    method: 'get',
    path: '/v1/integrations/{id}/webhook',
    tags: ['Webhooks'],
    summary: 'Show the webhook address of an integration, without its token, and its last calls',
    description: 'For admins.',
    middleware: [requireRole('admin')] as const,
    request: { params },
    responses: {
      200: { description: 'The address, if there is one.', ...json(webhookSchema) },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

function renewRoute({ requireRole }: Access) {
  return createRoute({
    method: 'post',
    path: '/v1/integrations/{id}/webhook',
    tags: ['Webhooks'],
    summary: 'Make a new webhook address; the one before ends at once',
    description: 'For admins. Address and secret are shown this once.',
    middleware: [requireRole('admin'), limitBody(MAX_API_BODY_BYTES), requireJsonBody] as const,
    request: {
      params,
      body: json(
        z.object({
          signature: z.enum(HOOK_SIGNATURES).optional().openapi({
            description: 'Who signs the calls; by default as before, else no one.',
          }),
          secret: z.string().min(1).max(1_000).optional().openapi({
            description: 'What they sign with; by default the app of the settings, or a new one.',
          }),
        }),
      ),
    },
    responses: {
      200: { description: 'The address.', ...json(newWebhookSchema) },
      ...problems.access,
      ...problems.notFound,
      ...problems.body,
      ...problems.invalid,
    },
  });
}

function revokeRoute({ requireRole }: Access) {
  return createRoute({
    method: 'delete',
    path: '/v1/integrations/{id}/webhook',
    tags: ['Webhooks'],
    summary: 'End the webhook address of an integration',
    description: 'For admins.',
    middleware: [requireRole('admin')] as const,
    request: { params },
    responses: {
      200: { description: 'It has none now.', ...json(z.object({ revoked: z.string() })) },
      ...problems.access,
      ...problems.notFound,
    },
  });
}

/** The routes about webhook addresses. */
export function webhookRoutes(deps: HttpDeps, access: Access, calls: HookCalls) {
  const { application } = deps;
  return createRouter()
    .openapi(showRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      return c.json(await readWebhook(deps, calls, integration), 200);
    })
    .openapi(renewRoute(access), async (c) => {
      const integration = findIntegration(c, application, c.req.valid('param').id);
      const made = await renewWebhook(deps, integration, c.req.valid('json'), c.get('actor'));
      return c.json(made, 200);
    })
    .openapi(revokeRoute(access), async (c) => {
      const { id } = findIntegration(c, application, c.req.valid('param').id);
      if (await application.store.actingAs(c.get('actor')).act((trx) => revokeHook(trx, id))) {
        return c.json({ revoked: id }, 200);
      }
      throw new HttpError(404, 'hook_missing', `"${id}" has no webhook address.`);
    });
}
