import { forHoldReasons } from './questions/question-kinds.ts';

/** The result of a run for one contact. Every contact that a run processes has exactly one outcome and one reason. */
export type Outcome = 'written' | 'unchanged' | 'skipped' | 'failed' | 'held' | 'waiting';

/**
 * The reasons, with the outcome of each reason. The names of reasons never change, because reports, metrics and the
 * dashboard count them. `docs/outcomes.md` explains each reason.
 */
export const OUTCOME_REASONS = {
  fields_written: 'written',
  /** Some values are in the CRM. Other values did not fit their field, or the CRM rejected them. */
  fields_written_some_unfit: 'written',
  /** The former person's values were cleared, because a user decided this. */
  former_values_blanked: 'written',
  /** Some values are in the CRM. A CRM rule rejected other values that fit their fields. */
  fields_written_some_refused: 'written',
  /** A user typed a value while the run was writing. The run overwrote the value and restored it immediately. */
  typed_value_restored: 'written',
  /**
   * A profile replaced a value that a user had typed. donor-sync tried to restore the value, but the CRM refused it.
   */
  typed_value_lost: 'written',
  /** The contact has a fresh profile for the same identity. */
  profile_fresh: 'unchanged',
  /** The CRM already has all values of the profile. */
  values_equal: 'unchanged',
  /** Users typed all values that are different, or a rule protects them. */
  values_protected: 'unchanged',
  /** The profile has no value for any mapped field. */
  profile_empty: 'unchanged',
  /** The service did not recognise this person. The contact is submitted again after a change or after some time. */
  no_match_known: 'unchanged',
  identity_change_rejected: 'unchanged',
  /** A user decided that the contact was already paid for. */
  counted_as_paid: 'unchanged',
  profile_adopted: 'unchanged',
  first_name_missing: 'skipped',
  last_name_missing: 'skipped',
  opted_out: 'skipped',
  deceased: 'skipped',
  do_not_contact: 'skipped',
  /** A row of the file could not be read. The ID of this contact is the row number. */
  row_unreadable: 'skipped',
  deleted_in_crm: 'skipped',
  /** The contact is due, but `contacts.filter` no longer includes it. */
  outside_filter: 'skipped',
  merged_in_crm: 'skipped',
  forgotten: 'skipped',
  rejected_by_person: 'skipped',
  /** The service did not recognise the person. The credit is spent. */
  no_match: 'failed',
  /** The service rejected this person's details (422). */
  person_invalid: 'failed',
  /** The CRM rejected the write. */
  crm_refused: 'failed',
  /** None of the profile's values can be written to its field. */
  values_unfit: 'failed',
  /** The response for this job could not be read. */
  profile_unreadable: 'failed',
  /** The contact waits for a decision. */
  ...forHoldReasons(() => 'held' as const),
  /** The service no longer knows the job, and the profile was never delivered. */
  job_vanished: 'waiting',
  /** The job ran longer than any job should. */
  job_too_old: 'waiting',
  /** Part of the identity is no longer readable. */
  identity_unreadable: 'waiting',
  /** Nobody has defined the meaning of the value in a mark field. */
  mark_unknown: 'waiting',
  /** The service recognises too few contacts under this mapping of columns. */
  match_rate_low: 'waiting',
  /** A mark excludes more than half of the contacts, and no user has confirmed it. */
  marks_unconfirmed: 'waiting',
  budget_reached: 'waiting',
  credits_exhausted: 'waiting',
  /** The service accepted the request, but did not process this person. */
  not_processed: 'waiting',
  job_running: 'waiting',
  /** The profile is bought but not delivered. */
  delivery_pending: 'waiting',
  /**
   * A user decided that the CRM contains a former person's values. The next run clears the values of the former person.
   */
  blanking_pending: 'waiting',
  /** The contact is chosen but not submitted. */
  submission_pending: 'waiting',
  /** The contact waits until it is known whether a lost response with the same service key was charged. */
  settlement_pending: 'waiting',
  /** Another user had locked the record. */
  crm_busy: 'waiting',
  /** The CRM failed or did not report the result. The next run tries again. */
  crm_passing: 'waiting',
} as const satisfies Record<string, Outcome>;

export type OutcomeReason = keyof typeof OUTCOME_REASONS;

export function getOutcome(reason: OutcomeReason): Outcome {
  return OUTCOME_REASONS[reason];
}

/** The outcomes in the order of display. Outcomes that need a user's action come first. */
export const OUTCOME_ORDER = [
  'held',
  'failed',
  'waiting',
  'skipped',
  'written',
  'unchanged',
] as const satisfies readonly Outcome[];

/** Returns the outcome of a reason. Returns null if this version does not know the reason. */
export function outcomeNamed(reason: string): Outcome | null {
  return isOutcomeReason(reason) ? OUTCOME_REASONS[reason] : null;
}

export function isOutcomeReason(word: string): word is OutcomeReason {
  return Object.hasOwn(OUTCOME_REASONS, word);
}

export const OUTCOME_TEXTS = {
  fields_written: 'new values were written into the CRM',
  fields_written_some_unfit:
    'values were written into the CRM; the others did not fit their field or were refused, and wait, which costs no credit',
  former_values_blanked:
    "is now another person, so the former person's values were blanked, as a user decided",
  fields_written_some_refused:
    'some values were written to the CRM; a CRM rule rejected the others, which wait at no cost',
  typed_value_restored:
    'a user typed a value while donor-sync was writing; it was restored immediately, and the other values are in the CRM',
  typed_value_lost:
    'a user typed a value while donor-sync was writing; it was replaced and could not be restored; the details name the field and the user',
  profile_fresh: 'was enhanced before, nothing has changed and the profile is still fresh',
  values_equal: 'the CRM already has the values of the profile',
  values_protected: 'a user typed the values that differ, or the field map protects them',
  profile_empty: 'the profile has no value for any mapped field',
  no_match_known:
    'the service did not know this person before; the contact is sent again when it changes',
  identity_change_rejected:
    'a user decided that the changed details belong to the same person; no credit is spent',
  counted_as_paid: 'a user decided that it had already been paid for; no credit is spent',
  profile_adopted: 'was enhanced by another installation, whose donor ID is in the CRM',
  first_name_missing: 'has no first name, which the service needs; add it in the CRM',
  last_name_missing: 'has no last name, which the service needs; add it in the CRM',
  opted_out: 'has opted out and is never sent to the service',
  deceased: 'is marked as deceased in the CRM and is never sent to the service',
  do_not_contact: 'is marked as “do not contact” in the CRM and is never sent to the service',
  row_unreadable: 'its row in the file cannot be read and was left out; correct it in the file',
  deleted_in_crm: "is no longer in the CRM, or no longer among the client's contacts",
  outside_filter:
    'is no longer among the contacts of contacts.filter: no credit is spent on it, and its values stay',
  merged_in_crm: 'was merged into another contact in the CRM, which is synced instead',
  forgotten: 'was erased with "forget", and no sync processes it again',
  rejected_by_person: 'a user decided that the profile belongs to another person',
  no_match:
    'the service does not know anyone with this name and address; sent again when that changes',
  person_invalid: "the service rejected this person's details; correct them in the CRM",
  crm_refused:
    'the CRM refused the values; a few contacts are tried again daily, then weekly, without a credit',
  values_unfit:
    'no CRM field can hold its values yet; see "donor-sync fields check"; the next run after that writes them, for no credit',
  profile_unreadable: 'the profile could not be read; fetched again by the next run',
  ...forHoldReasons(({ text }) => text),
  identity_unreadable:
    'a field of its name, address or employer can no longer be read; waits until access is back',
  mark_unknown:
    'its opt-out, deceased or do-not-contact field has a value that the settings do not list; it is not sent until you say what the value means',
  match_rate_low: 'waits because the service recognised too few of the contacts sent so far',
  marks_unconfirmed:
    'waits because a mark excludes more than half of the contacts, and no user has confirmed that yet',
  job_vanished: 'the service lost its job before the profile arrived; the next run sends it again',
  job_too_old: 'its job took too long; the next run sends it again',
  budget_reached: 'the budget in the settings is used up; a later run continues',
  credits_exhausted: 'the credits are used up; a run continues once there are more',
  not_processed:
    'the service left this person out and charged nothing; the next run sends it again',
  job_running: 'the service is still working on it; the next run fetches the profile',
  delivery_pending: 'the profile is paid for and available; the next run writes it',
  blanking_pending:
    'a user decided that its values belong to a former person; the next run blanks them',
  submission_pending: 'was due, but the run ended first; the next run continues',
  settlement_pending: 'waits until donor-sync knows whether a lost response was charged',
  crm_busy: 'another user was changing the record in the CRM; the next run tries again',
  crm_passing:
    'the CRM failed at this record, or did not report the result; the next run tries again',
} as const satisfies Record<OutcomeReason, string>;

/** The text for contacts that share another contact's profile without a credit. */
export const SHARED_PROFILE_TEXT =
  'The profile of the same person in another contact or client is used, at no cost.';

/** Returns the sentence for a stored reason. An unknown reason is returned unchanged. */
export function outcomeText(reason: string): string {
  return isKnown(reason) ? OUTCOME_TEXTS[reason] : reason;
}

function isKnown(reason: string): reason is OutcomeReason {
  return Object.hasOwn(OUTCOME_TEXTS, reason);
}

/**
 * The reason of a contact that the service does not know. The contact got no profile, so its outcome is `failed`. Pages
 * show this reason as neutral, because nothing went wrong and another attempt would not help.
 */
export const UNKNOWN_PERSON = 'no_match' satisfies OutcomeReason;
