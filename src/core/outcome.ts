/**
 * What a run did to one contact. Each contact that a run touches ends in exactly one of these,
 * and each has a reason.
 */
export type Outcome = 'written' | 'unchanged' | 'skipped' | 'failed' | 'held' | 'waiting';

/**
 * Why. The words are stable: reports, metrics and the dashboard count by them, and
 * `docs/outcomes.md` explains each to the person who reads a report.
 */
export const OUTCOME_REASONS = {
  /** New values are in the CRM. */
  fields_written: 'written',
  /** Some values are in the CRM; others did not fit their field. */
  fields_written_some_unfit: 'written',
  /** Enhanced before, same identity, profile still fresh: nothing to do. */
  profile_fresh: 'unchanged',
  /** The profile brought nothing that the CRM does not already hold. */
  values_equal: 'unchanged',
  /** Every value that differs is one that a person typed or that a rule protects. */
  values_protected: 'unchanged',
  /** The profile has no value for any mapped field. */
  profile_empty: 'unchanged',
  /** The service did not know this person; asked again when the identity changes or time has passed. */
  no_match_known: 'unchanged',
  /** A person decided that changed details are the same person's. */
  identity_change_rejected: 'unchanged',
  /** The CRM carried a profile of another installation, which was taken over. */
  profile_adopted: 'unchanged',
  first_name_missing: 'skipped',
  last_name_missing: 'skipped',
  opted_out: 'skipped',
  deceased: 'skipped',
  do_not_contact: 'skipped',
  deleted_in_crm: 'skipped',
  merged_in_crm: 'skipped',
  forgotten: 'skipped',
  rejected_by_person: 'skipped',
  /** The job ended as failed: the service found no person, and the credit stays spent. */
  no_match: 'failed',
  /** The service refused this person's details (422). */
  person_invalid: 'failed',
  /** The CRM refused the write. */
  crm_refused: 'failed',
  /** No value fitted its field. */
  values_unfit: 'failed',
  /** The reply for this job could not be read. */
  profile_unreadable: 'failed',
  /** The profile's name is not the contact's. */
  name_mismatch: 'held',
  /** The answer to a submission was lost, and the credit is gone or may be. */
  lost_answer: 'held',
  /** The identities of many contacts changed at once. */
  identity_mass_change: 'held',
  /** The profile says that this person has died. */
  profile_deceased: 'held',
  /** It looks like a person who was erased with `forget`. */
  forgotten_person: 'held',
  /** The service no longer knows the job, and its profile was never delivered. */
  job_vanished: 'waiting',
  /** The job ran longer than any job should. */
  job_too_old: 'waiting',
  /** A part of the identity could be read before and cannot now. */
  identity_unreadable: 'waiting',
  /** Too few contacts are known under this mapping of columns. */
  match_rate_low: 'waiting',
  budget_reached: 'waiting',
  credits_exhausted: 'waiting',
  /** The service accepted the request but did not process this person. */
  not_processed: 'waiting',
  job_running: 'waiting',
  /** Enhanced, and not yet delivered. */
  delivery_pending: 'waiting',
  /** Chosen, and not yet submitted. */
  submission_pending: 'waiting',
  /** Waits until a lost answer of the same partner key is settled. */
  settlement_pending: 'waiting',
  /** The CRM was busy with this record (a lock); tried again by the next run. */
  crm_busy: 'waiting',
} as const satisfies Record<string, Outcome>;

export type OutcomeReason = keyof typeof OUTCOME_REASONS;

/** The outcome that a reason belongs to. */
export function outcomeOf(reason: OutcomeReason): Outcome {
  return OUTCOME_REASONS[reason];
}

/** Outcomes in the order in which people look at them: what needs a person is first. */
export const OUTCOME_ORDER = [
  'held',
  'failed',
  'waiting',
  'skipped',
  'written',
  'unchanged',
] as const satisfies readonly Outcome[];

/** The outcome that a reason belongs to; null for a word that this version does not know. */
export function outcomeNamed(reason: string): Outcome | null {
  return isOutcomeReason(reason) ? OUTCOME_REASONS[reason] : null;
}

/** True if this version knows the word as a reason. */
export function isOutcomeReason(word: string): word is OutcomeReason {
  return Object.hasOwn(OUTCOME_REASONS, word);
}
