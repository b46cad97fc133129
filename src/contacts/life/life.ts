/**
 * A contact's life: what each event changes, by the state that the contact stands in. Nothing else
 * moves a contact. What an event does not list, it refuses, for the reason that it gives: the
 * contact stays as it is. ARCHITECTURE.md's diagram is drawn from this table by a test.
 */

import { CREDIT_EVENTS } from './credit-events.ts';
import { DECISION_EVENTS } from './decision-events.ts';
import { DELIVERY_EVENTS } from './delivery-events.ts';
import type { EventRow } from './event.ts';
import { LEAVING_EVENTS } from './leaving-events.ts';
import { LINE_EVENTS } from './line-events.ts';
import { MERGING_EVENTS } from './merging-events.ts';
import { NOTE_EVENTS } from './note-events.ts';
import { READING_EVENTS } from './reading-events.ts';

export const LIFE = {
  ...READING_EVENTS,
  ...LEAVING_EVENTS,
  ...MERGING_EVENTS,
  ...LINE_EVENTS,
  ...CREDIT_EVENTS,
  ...DELIVERY_EVENTS,
  ...DECISION_EVENTS,
  ...NOTE_EVENTS,
} satisfies Record<string, EventRow>;

export type LifeEvent = keyof typeof LIFE;
