/**
 * Defines a contact's life: the changes that each event makes in each state. Nothing else changes a contact's state. An
 * event that does not list the contact's state is refused with a reason, and the contact does not change. A test
 * creates the diagram in ARCHITECTURE.md from this table.
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
