/** Explains in words why a run will enhance a contact. */
import type { EnhanceReason } from '../forecast.ts';

const DUE_TEXTS = {
  never_enhanced: 'has never been enhanced',
  identity_changed: 'its name, address or employer has changed since it was enhanced',
  identity_change_approved:
    'its name, address or employer has changed, and a user approved the credit',
  profile_old: 'its profile is older than refresh.afterDays',
  resubmitted_by_person: 'a user asked to submit it again',
  lost_answer_resubmitted:
    'the response was lost, and the settings say to submit the contact again',
  job_vanished: 'the service lost its job before the profile arrived',
  profile_shared: "the same person's profile from another contact or client is used, at no cost",
} as const satisfies Record<EnhanceReason, string>;

/** Returns the reason in words. An unknown reason is returned unchanged. */
export function dueText(reason: string): string {
  return isKnown(reason) ? DUE_TEXTS[reason] : reason;
}

function isKnown(reason: string): reason is EnhanceReason {
  return Object.hasOwn(DUE_TEXTS, reason);
}
