/** The routes of `/_sandbox/webhooks`. The webhook routes return the deliveries and send additional deliveries. */

import { z } from 'zod';
import { HubspotError, validationError } from '../core/errors.ts';
import type { RecordStore } from '../records/record-store.ts';
import { createRouter, readBody } from '../requests/context.ts';
import { actionSchema, type CardApp, callAction, cardFetchSchema, fetchFromCard } from './card.ts';
import type { Delivery, Sender } from './sender.ts';
import { callWorkflow, enrolmentSchema } from './workflow.ts';

/** The objects that the controls need. */
export interface WebhookControlOptions {
  sender: Sender;
  records: Pick<RecordStore, 'read'>;
  clientSecret: string;
  portalId: number;
  /** The app to which the card and the action belong. */
  app: CardApp;
}

/** Returns the controls for `/_sandbox/webhooks`. */
export function webhookControlRoutes({ sender, app, ...account }: WebhookControlOptions) {
  const router = createRouter();
  router.get('/deliveries', (c) =>
    c.json({ deliveries: sender.deliveries().map(toShown), waiting: sender.waiting() }),
  );
  router.post('/deliveries/:id/replay', async (c) => {
    const id = c.req.param('id');
    const past = sender.deliveries().find((delivery) => String(delivery.id) === id);
    if (past === undefined) throw new HubspotError(404, 'OBJECT_NOT_FOUND', 'No such delivery.');
    return c.json(toShown(needTarget(await sender.send(past.body))), 201);
  });
  router.post('/forge', async (c) => {
    const { events, ...forgery } = await readBody(c, forgerySchema);
    return c.json(toShown(needTarget(await sender.send(JSON.stringify(events), forgery))), 201);
  });
  router.post('/workflow', async (c) =>
    c.json(await callWorkflow(account, await readBody(c, enrolmentSchema)), 201),
  );
  router.post('/card', async (c) =>
    c.json(await fetchFromCard(app, await readBody(c, cardFetchSchema)), 201),
  );
  router.post('/action', async (c) =>
    c.json(await callAction(app, await readBody(c, actionSchema)), 201),
  );
  return router;
}

const forgerySchema = z.strictObject({
  /** The events, which are sent unchanged. */
  events: z.array(z.record(z.string(), z.unknown())),
  /** The kind of signature. `v1` is a correct signature of version 1. Older apps receive only this signature. */
  signature: z.enum(['right', 'wrong', 'missing', 'v1']).optional(),
  /**
   * The age (ms) of the request, according to its timestamp. A negative age means that the timestamp is in the future.
   */
  ageMs: z.number().int().optional(),
});

function toShown({ body, ...delivery }: Delivery) {
  const events: unknown = JSON.parse(body);
  return { ...delivery, events };
}

function needTarget(delivery: Delivery | undefined): Delivery {
  if (delivery === undefined) throw validationError('The app has no webhook settings.');
  return delivery;
}
