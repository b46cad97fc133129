/** What an event of a contact's life is: where it may find the contact, where it leads, and what it sets. */
import type { ContactState } from '../../database/tables/contacts.ts';
import { type Changes, type Condition, equal, given, own } from './changes.ts';

/** Where a contact may stand; `unknown` before the store has a row of it. */
export type LifeState = ContactState | 'unknown';

export const STATES = ['settled', 'due', 'submitted', 'ready', 'held', 'removed'] as const;

export const LIFE_STATES = ['unknown', ...STATES] as const satisfies readonly LifeState[];

/** States that no other station moves a contact out of while a page is decided. */
export const AT_REST = ['settled', 'due', 'held', 'removed'] as const;

/** One way that an event goes; the first whose state and condition fit is taken. */
export interface Way {
  from: readonly LifeState[];
  /** Null: it stays where it is. */
  to: ContactState | null;
  when?: Condition;
  set: Changes;
}

export interface EventRow {
  ways: readonly Way[];
  /** Why all else is refused. */
  otherwise: string;
  /** True if it gives up the job at hand: it is over, another contact's, or of no use any more. */
  endsJob?: true;
}

export const UNDER_WAY = 'Work is under way: what comes of it moves the contact on.';

export const UNKNOWN = 'There is no such contact.';

export const MOVED_ON = 'The contact has moved on since this was decided.';

export const ONLY_THE_ANSWER = 'The contact does not wait for this answer.';

export const ONLY_ITS_PROFILE = 'The contact does not wait for this profile.';

export const NOT_ASKED = 'No person is asked about this contact any more.';

export const NOT_IN_LINE = 'The contact is not in line for a credit.';

/** The event is about the job at hand, and no other. */
export const OF_ITS_JOB = equal(own('tracking_id'), given('tracking_id'));
