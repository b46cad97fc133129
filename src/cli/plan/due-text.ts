import type { DueReason } from '../../store/tables.ts';

const DUE_TEXTS = {
  never_enhanced: 'was never enhanced',
  identity_changed: 'name, address or employer has changed since it was enhanced',
  profile_old: 'its profile is older than refresh.afterDays',
  resubmitted_by_person: 'a person asked for it to be submitted again',
  lost_answer_resubmitted: 'the answer was lost, and the settings say to submit again',
  job_vanished: 'the service lost its job before the profile came',
} as const satisfies Record<DueReason, string>;

/** Why a credit is to be spent on a contact, in words; an unknown reason speaks for itself. */
export function dueText(reason: string): string {
  return isKnown(reason) ? DUE_TEXTS[reason] : reason;
}

function isKnown(reason: string): reason is DueReason {
  return Object.hasOwn(DUE_TEXTS, reason);
}
