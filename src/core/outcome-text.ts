import type { OutcomeReason } from './outcome.ts';

/** What became of a contact, in a plain sentence for the person who reads a report. */
export const OUTCOME_TEXTS = {
  fields_written: 'new values were written into the CRM',
  fields_written_some_unfit: 'values were written into the CRM, and some did not fit their field',
  profile_fresh: 'was enhanced before, nothing has changed and the profile is still fresh',
  values_equal: 'the CRM already holds what the profile says',
  values_protected: 'a person typed the values that differ, or the field map protects them',
  profile_empty: 'the profile has no value for any mapped field',
  no_match_known:
    'the service did not know this person before; asked again when the contact changes',
  identity_change_rejected:
    'a person decided that the changed details belong to the same person; no credit is spent',
  profile_adopted: 'was enhanced by another installation, whose donor id the CRM carries',
  first_name_missing: 'has no first name, which the service needs; add it in the CRM',
  last_name_missing: 'has no last name, which the service needs; add it in the CRM',
  opted_out: 'has opted out and is never sent to the service',
  deceased: 'is marked as deceased in the CRM and is never sent to the service',
  do_not_contact: 'is marked as “do not contact” in the CRM and is never sent to the service',
  deleted_in_crm: 'is no longer in the CRM, or no longer among the contacts of the integration',
  merged_in_crm: 'was merged into another contact in the CRM, which is synced instead',
  forgotten: 'was erased with "forget" and is not taken up again',
  rejected_by_person: 'a person decided that the profile is of another person',
  no_match:
    'the service knows no person with this name and address; asked again when the contact changes',
  person_invalid: 'the service refused the details of this person; correct them in the CRM',
  crm_refused: 'the CRM refused the values; tried again by the next run',
  values_unfit: 'no field of the CRM can take its values; see "donor-sync fields check"',
  profile_unreadable: 'the profile could not be read; fetched again by the next run',
  name_mismatch: 'the name in the profile is not that of the contact; a person decides',
  lost_answer: 'the answer was lost after the credit may have been spent; a person decides',
  identity_mass_change:
    'its details changed together with those of many others; a person decides whether that is worth a credit',
  profile_deceased: 'the profile says that this person has died; a person decides',
  forgotten_person: 'looks like a person who was erased with "forget"; a person decides',
  identity_unreadable:
    'a field of its name, address or employer can no longer be read; waits until access is back',
  match_rate_low: 'waits because the service knew too few of the contacts sent so far',
  job_vanished: 'the service lost its job before the profile came; the next run asks again',
  job_too_old: 'its job took longer than any job should; the next run asks again',
  budget_reached: 'the budget in the settings is used up; a later run goes on',
  credits_exhausted: 'the credits are used up; a run goes on once there are more',
  not_processed: 'the service left this person out and charged nothing; the next run asks again',
  job_running: 'the service is still working on it; the next run fetches the profile',
  delivery_pending: 'the profile is paid for and there; the next run writes it',
  submission_pending: 'is to be enhanced, and the run ended first; the next run goes on',
  settlement_pending: 'waits until it is known whether a lost answer was charged',
  crm_busy: 'another user was changing the record in the CRM; the next run tries again',
} as const satisfies Record<OutcomeReason, string>;

/** Said of a contact that took the profile of the same person instead of a credit. */
export const SHARED_PROFILE_TEXT =
  'The profile of the same person in another contact or integration is used, no credit.';

/** The sentence for a reason as it stands in the store; an unknown word speaks for itself. */
export function outcomeText(reason: string): string {
  return isKnown(reason) ? OUTCOME_TEXTS[reason] : reason;
}

function isKnown(reason: string): reason is OutcomeReason {
  return Object.hasOwn(OUTCOME_TEXTS, reason);
}
