/**
 * An event in a contact's life. It defines the states that it applies to, the state that it leads to, and the columns
 * that it sets.
 */
import type { ContactState } from '../../database/tables/contacts.ts';
import { type Changes, type Condition, equal, given, own } from './changes.ts';

/** A contact's state. It is `unknown` while the database has no row for the contact. */
export type LifeState = ContactState | 'unknown';

export const STATES = ['settled', 'due', 'submitted', 'ready', 'held', 'removed'] as const;

export const LIFE_STATES = ['unknown', ...STATES] as const satisfies readonly LifeState[];

/** The states in which nothing else changes a contact while decisions about a page of contacts are made. */
export const AT_REST = ['settled', 'due', 'held', 'removed'] as const;

/** One case of an event. The first case that fits the state and the condition applies. */
export interface Way {
  from: readonly LifeState[];
  /** The new state, or null to keep the current one. */
  to: ContactState | null;
  when?: Condition;
  set: Changes;
}

export interface EventRow {
  ways: readonly Way[];
  /** Why the event is refused in all other cases. */
  otherwise: string;
  /**
   * True if the contact gives up its job, because the job has ended, belongs to another contact or is no longer needed.
   */
  endsJob?: true;
}

export const UNDER_WAY =
  'Work on the contact is in progress, and its result decides what happens next.';

export const UNKNOWN = 'There is no such contact.';

export const MOVED_ON = 'The contact has changed state since this was decided.';

export const ONLY_THE_ANSWER = 'The contact is not waiting for this response.';

export const ONLY_ITS_PROFILE = 'The contact is not waiting for this profile.';

export const NOT_ASKED = 'No decision about this contact is pending.';

export const NOT_IN_LINE = 'The contact is not due.';

/** The event is about the contact's current job. */
export const OF_ITS_JOB = equal(own('tracking_id'), given('tracking_id'));
