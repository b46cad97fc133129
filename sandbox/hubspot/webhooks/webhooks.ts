/** The webhooks of the account's only app. This file connects the settings, the record changes and the sender. */

import type { Hono } from 'hono';
import type { Database } from '../core/database.ts';
import type { ClientApp } from '../oauth/client-app.ts';
import type { RecordStore } from '../records/record-store.ts';
import type { HubspotEnv } from '../requests/context.ts';
import type { Tokens } from '../requests/tokens.ts';
import { eventsOf } from './event.ts';
import { createSender } from './sender.ts';
import { webhookControlRoutes } from './webhook-control.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { openWebhookStore } from './webhook-store.ts';

/** The objects from which webhooks are created. */
export interface WebhooksOptions {
  db: Database;
  app: ClientApp;
  portalId: number;
  tokens: Pick<Tokens, 'findToken'>;
  records: Pick<RecordStore, 'onChange' | 'read'>;
  clock: () => number;
  /** The time (ms) for which events are collected before they are sent. */
  batchMs: number;
  /** The time (ms) before the sender repeats a delivery. */
  retryMs: number;
}

/** The parts of webhooks. */
export interface Webhooks {
  /** The routes and functions of webhooks. */
  routes: Hono<HubspotEnv>;
  /** The routes for each path in `WEBHOOK_PATHS`. The routes must be added before the routes that require a token. */
  control: Hono<HubspotEnv>;
  /** Stops sending events. Call the function before closing the database. */
  close(): void;
}

/** Creates the webhooks. They receive all record changes from now on. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { db, app, portalId, records, clock } = options;
  const store = openWebhookStore(db, clock);
  const sender = createSender({
    ...options,
    clientSecret: app.clientSecret,
    settings: () => store.settings(),
  });
  // The first ID is the current time, so that IDs stay unique after a restart of the sandbox.
  let lastEventId = clock();
  const source = {
    portalId,
    appId: app.appId,
    nextEventId() {
      lastEventId += 1;
      return lastEventId;
    },
  };
  records.onChange((change) => sender.queue(eventsOf(change, store.subscriptions(), source)));
  return {
    routes: webhookRoutes({ ...options, store }),
    control: webhookControlRoutes({
      ...{ sender, records, portalId, clientSecret: app.clientSecret },
      app: { appId: app.appId, clientSecret: app.clientSecret, portalId, clock },
    }),
    close: () => sender.close(),
  };
}
