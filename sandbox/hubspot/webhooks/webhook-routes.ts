/**
 * The routes with which a developer sets up webhooks. The settings of a webhook consist of an address and of
 * subscriptions to events.
 */

import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { isOnThisMachine } from '../../crm/this-machine.ts';
import { authenticationError, HubspotError, validationError } from '../core/errors.ts';
import { OBJECT_TYPES } from '../core/object-type.ts';
import type { ClientApp } from '../oauth/client-app.ts';
import { isoTime } from '../properties/property.ts';
import {
  createRouter,
  type HubspotContext,
  type HubspotEnv,
  readBody,
} from '../requests/context.ts';
import type { Tokens } from '../requests/tokens.ts';
import { EVENT_TYPES, isGeneric, isPropertyChange } from './event-type.ts';
import {
  type NewSubscription,
  type Subscription,
  settingsBody,
  subscriptionBody,
  type WebhookStore,
} from './webhook-store.ts';

const MAX_CONCURRENT_REQUESTS = 1000;
/** The maximum number of subscriptions of an app. */
const MAX_SUBSCRIPTIONS = 1000;

/** The objects that the routes need. */
export interface WebhookRoutesOptions {
  store: WebhookStore;
  app: ClientApp;
  tokens: Pick<Tokens, 'findToken'>;
  clock: () => number;
}

/**
 * Returns the routes for each path in `WEBHOOK_PATHS`. The routes must be added before the middleware that requires a
 * token. The webhook routes accept the developer account's key.
 */
export function webhookRoutes(options: WebhookRoutesOptions) {
  const { store } = options;
  const router = createRouter();
  router.use('/:appId/*', authenticate(options));

  router.get('/:appId/settings', (c) => c.json(settingsBody(findSettings(store))));
  router.put('/:appId/settings', async (c) => {
    const { targetUrl, throttling } = await readBody(c, settingsSchema);
    store.setSettings(targetUrl, throttling.maxConcurrentRequests);
    return c.json(settingsBody(findSettings(store)));
  });
  router.delete('/:appId/settings', (c) => {
    store.deleteSettings();
    return c.body(null, 204);
  });

  router.get('/:appId/subscriptions', (c) =>
    c.json({ results: store.subscriptions().map(subscriptionBody) }),
  );
  router.post('/:appId/subscriptions', async (c) => {
    const id = subscribe(store, await readBody(c, newSubscriptionSchema));
    return c.json(subscriptionBody(findSubscription(store, String(id))), 201);
  });
  router.post('/:appId/subscriptions/batch/update', (c) => updateMany(c, options));
  router.get('/:appId/subscriptions/:id', (c) =>
    c.json(subscriptionBody(findSubscription(store, c.req.param('id')))),
  );
  router.patch('/:appId/subscriptions/:id', async (c) => {
    const { id, active } = findSubscription(store, c.req.param('id'));
    const order = await readBody(c, z.object({ active: z.boolean().default(active) }));
    store.setActive(id, order.active);
    return c.json(subscriptionBody(findSubscription(store, String(id))));
  });
  router.delete('/:appId/subscriptions/:id', (c) => {
    store.unsubscribe(findSubscription(store, c.req.param('id')).id);
    return c.body(null, 204);
  });
  return router;
}

/** The paths of these routes in all API versions. HubSpot uses different names in different versions. */
export const WEBHOOK_PATHS = [
  '/webhooks/v3',
  '/webhooks/2026-03',
  '/app-webhooks/2025-09',
  '/app-webhooks/2026-09',
] as const;

const settingsSchema = z.object({
  targetUrl: z.string().refine(isOnThisMachine, 'This sandbox sends to this machine only.'),
  throttling: z.object({
    maxConcurrentRequests: z.number().int().min(1).max(MAX_CONCURRENT_REQUESTS),
  }),
});

const newSubscriptionSchema = z.object({
  eventType: z.enum(EVENT_TYPES),
  propertyName: z.string().min(1).nullable().default(null),
  objectTypeId: z.string().min(1).nullable().default(null),
  active: z.boolean().default(false),
});

const batchSchema = z.object({
  inputs: z
    .array(z.object({ id: z.number().int(), active: z.boolean() }))
    .min(1)
    .max(MAX_SUBSCRIPTIONS),
});

function authenticate({ app, tokens }: WebhookRoutesOptions): MiddlewareHandler<HubspotEnv> {
  return async (c, next) => {
    const [, bearer] = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const token = bearer === undefined ? undefined : tokens.findToken(bearer);
    const isKnown = c.req.query('hapikey') === app.developerKey || token?.isExpired === false;
    if (!isKnown) throw authenticationError();
    if (c.req.param('appId') !== String(app.appId)) throw notFound('There is no such app.');
    return next();
  };
}

function notFound(message: string): HubspotError {
  return new HubspotError(404, 'OBJECT_NOT_FOUND', message);
}

function findSettings(store: WebhookStore) {
  const settings = store.settings();
  if (settings === null) throw notFound('The app has no webhook settings.');
  return settings;
}

function findSubscription(store: WebhookStore, id: string): Subscription {
  const found = store.subscriptions().find((subscription) => String(subscription.id) === id);
  if (found === undefined) throw notFound(`There is no subscription with ID ${id}.`);
  return found;
}

function subscribe(store: WebhookStore, order: NewSubscription): number {
  const { eventType, propertyName, objectTypeId } = order;
  if (isPropertyChange(eventType) !== (propertyName !== null)) {
    throw validationError('propertyName is for propertyChange events, and they need it.');
  }
  const isType = OBJECT_TYPES.some(({ typeId }) => typeId === objectTypeId);
  if (isGeneric(eventType) ? !isType : objectTypeId !== null) {
    throw validationError('objectTypeId is for object events, and they need a known one.');
  }
  const all = store.subscriptions();
  if (all.length >= MAX_SUBSCRIPTIONS) throw validationError('The app has too many subscriptions.');
  if (all.some((other) => isSame(other, order))) {
    throw new HubspotError(409, 'CONFLICT', 'The app has this subscription already.');
  }
  return store.subscribe(order);
}

function isSame(one: NewSubscription, other: NewSubscription): boolean {
  return (
    one.eventType === other.eventType &&
    one.propertyName === other.propertyName &&
    one.objectTypeId === other.objectTypeId
  );
}

async function updateMany(c: HubspotContext, { store, clock }: WebhookRoutesOptions) {
  const startedAt = isoTime(clock());
  const { inputs } = await readBody(c, batchSchema);
  for (const { id } of inputs) findSubscription(store, String(id));
  for (const { id, active } of inputs) store.setActive(id, active);
  const results = inputs.map(({ id }) => subscriptionBody(findSubscription(store, String(id))));
  return c.json({ status: 'COMPLETE', results, startedAt, completedAt: isoTime(clock()) });
}
