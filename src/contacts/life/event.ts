/**
 * Defines an event of a contact's life: the states that allow the event, the contact's new state, and the changed
 * columns.
 */
import type { ContactState } from '../../database/tables/contacts.ts';
import { type Changes, type Condition, equal, given, own } from './changes.ts';

/** The state of a contact. `unknown` means that the database has no row for the contact. */
export type LifeState = ContactState | 'unknown';

export const STATES = ['settled', 'due', 'submitted', 'ready', 'held', 'removed'] as const;

export const LIFE_STATES = ['unknown', ...STATES] as const satisfies readonly LifeState[];

/** The states in which nothing else changes a contact while donor-sync processes a page of contacts. */
export const AT_REST = ['settled', 'due', 'held', 'removed'] as const;

/** One case of an event. The event uses the first case with a matching state and condition. */
export interface Way {
  from: readonly LifeState[];
  /** The contact's new state, or null if the state does not change. */
  to: ContactState | null;
  when?: Condition;
  set: Changes;
}

export interface EventRow {
  ways: readonly Way[];
  otherwise: string;
  /** True if the event ends the job, gives the job to another contact or makes the job unnecessary. */
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

/** True if the event is about the contact's current job. */
export const OF_ITS_JOB = equal(own('tracking_id'), given('tracking_id'));
