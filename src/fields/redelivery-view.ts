import { type OutcomeReason, outcomeText } from '../core/outcome.ts';
import type { ValueState } from '../database/tables/fields.ts';

/** The texts for reasons why a requested delivery skips a contact. Other reasons are outcomes with their own texts. */
export const EXCLUSION_TEXTS = {
  another_donor:
    'the values in the CRM and the kept profile belong to two different donors; the next profile replaces all values at once',
  donor_change:
    'the values in the CRM belong to another donor and can only be replaced all at once: run the command without --field',
  no_profile:
    'no profile is kept, and the service no longer has the result; the next refresh brings a profile',
  profile_unopened: 'the profile cannot be read at the moment; run the command again',
  decision_pending: 'a decision is pending, which also decides about the profile: donor-sync holds',
  profile_coming: 'a new profile is on its way and brings the values',
  never_delivered: 'its profile was never delivered, because it does not belong to this contact',
} as const;

export type RedeliveryExclusion = OutcomeReason | keyof typeof EXCLUSION_TEXTS;

export function exclusionText(reason: RedeliveryExclusion): string {
  return isOwn(reason) ? EXCLUSION_TEXTS[reason] : outcomeText(reason);
}

function isOwn(reason: RedeliveryExclusion): reason is keyof typeof EXCLUSION_TEXTS {
  return Object.hasOwn(EXCLUSION_TEXTS, reason);
}

/** The texts for reasons why a value is not written, for a user who wants it delivered. */
export const KEPT_OUT_TEXTS: Readonly<Record<ValueState, string>> = {
  refused: 'the CRM refuses the value',
  no_such_field: 'the CRM does not have this field, or hides it',
  no_permission: "the CRM does not let the integration's user write the field",
  does_not_fit: 'the value does not fit the field',
  other_currency:
    'the currency of the contact is not US dollars, and crm.currency does not convert amounts',
  no_rate: 'the CRM has no active exchange rate for the currency, or hides its rates',
  currency_changed: "the contact's currency has changed; the next run checks it",
  shortened: 'only a part of the value fits: the field is too short, or lacks some choices',
  kept_for_user: "a user's value is in the field, and the field's rule (when) protects it",
  emptied: 'a user has emptied the field',
  undone: 'a user has undone the value',
};
