/** Webhooks of the one app: set up, heard of, sent. */

import type { Hono } from 'hono';
import { PORTAL_ID } from '../account/account.ts';
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

/** What webhooks are made from. */
export interface WebhooksOptions {
  db: Database;
  app: ClientApp;
  tokens: Pick<Tokens, 'findToken'>;
  records: Pick<RecordStore, 'onChange' | 'read'>;
  clock: () => number;
  /** Events are gathered for so long before they are sent. */
  batchMs: number;
  /** How long to wait before a delivery is tried again. */
  retryMs: number;
}

/** The parts of webhooks. */
export interface Webhooks {
  /** To be mounted at each of `WEBHOOK_PATHS`, before anything that asks for a token. */
  routes: Hono<HubspotEnv>;
  /** To be mounted at `/_sandbox/webhooks`. */
  control: Hono<HubspotEnv>;
  /** Sends nothing any more; to be called before the database is closed. */
  close(): void;
}

/** Listens to the records from now on. */
export function openWebhooks(options: WebhooksOptions): Webhooks {
  const { db, app, records, clock } = options;
  const store = openWebhookStore(db, clock);
  const sender = createSender({
    ...options,
    clientSecret: app.clientSecret,
    settings: () => store.settings(),
  });
  // Ids must not come again when the sandbox is started again.
  let lastEventId = clock();
  const source = {
    portalId: PORTAL_ID,
    appId: app.appId,
    nextEventId() {
      lastEventId += 1;
      return lastEventId;
    },
  };
  records.onChange((change) => sender.queue(eventsOf(change, store.subscriptions(), source)));
  return {
    routes: webhookRoutes({ ...options, store }),
    control: webhookControlRoutes({ sender, records, clientSecret: app.clientSecret }),
    close: () => sender.close(),
  };
}
