/** The webhooks of the account's only app: sets them up, listens for changes, and sends events. */

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

/** The parts from which webhooks are created. */
export interface WebhooksOptions {
  db: Database;
  app: ClientApp;
  portalId: number;
  tokens: Pick<Tokens, 'findToken'>;
  records: Pick<RecordStore, 'onChange' | 'read'>;
  clock: () => number;
  /** The time (ms) for which events are collected before they are sent. */
  batchMs: number;
  /** Milliseconds before a delivery is retried. */
  retryMs: number;
}

/** The parts of webhooks. */
export interface Webhooks {
  /** To mount at each of `WEBHOOK_PATHS`, before any route that requires a token. */
  routes: Hono<HubspotEnv>;
  /** To mount at `/_sandbox/webhooks`. */
  control: Hono<HubspotEnv>;
  /** Stops sending. Call it before you close the database. */
  close(): void;
}

/** Listens to record changes from now on. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { db, app, portalId, records, clock } = options;
  const store = openWebhookStore(db, clock);
  const sender = createSender({
    ...options,
    clientSecret: app.clientSecret,
    settings: () => store.settings(),
  });
  // IDs must stay unique after a restart of the sandbox.
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
