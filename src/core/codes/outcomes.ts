/** Explains each outcome and each reason. `docs/outcomes.md` has the same texts; a test compares them. */
import type { Outcome, OutcomeReason } from '../outcome.ts';
import type { WaitingCause } from '../waiting-values.ts';

/** The explanation of a reason: what it means, what happens next, and what it costs. */
export interface ReasonExplanation {
  means: string;
  next: string;
  costs: string;
}

/** The meanings of contacts' outcomes, as parts of a sentence. */
export const OUTCOME_EXPLANATIONS: Readonly<Record<Outcome, string>> = {
  written: 'new values are in the CRM',
  unchanged: 'there was nothing to do',
  skipped: 'the contact is not enhanced, and no credit is spent on it',
  failed: 'the contact could not be enhanced or written; the reason says why',
  held: 'you have to decide: `donor-sync holds`',
  waiting: 'a later run continues with the contact automatically',
};

/** The reasons of outcomes. */
export const REASON_EXPLANATIONS: Readonly<Record<OutcomeReason, ReasonExplanation>> = {
  fields_written: {
    means: 'New values are in the CRM.',
    next: 'The profile counts as fresh. The contact is refreshed after `refresh.afterDays`, or when its identity changes.',
    costs: 'The credit for its profile; nothing if the profile was kept or shared.',
  },
  fields_written_some_unfit: {
    means:
      'Some values are in the CRM; others did not fit the type, length or choices of their field, or the CRM refused them and named their fields.',
    next: "`donor-sync runs RUN` shows which and why. Create or widen the field, grant access to it, or change the CRM's rule or the field map. The next run then writes those values from the kept profile. If the CRM refused a value, five contacts are tried daily for three days and then weekly; once one is accepted, the others follow.",
    costs: 'The credit for its profile. The later values cost nothing.',
  },
  fields_written_some_refused: {
    means:
      'Some values are in the CRM. The others fit their fields, but a rule of the CRM refused them.',
    next: '`donor-sync runs RUN` names the fields. Change the rule or the record. Five contacts are tried daily for three days and then weekly; once one is accepted, the others follow. `donor-sync sync ID --contact CRM_ID` tries one contact at once.',
    costs: 'The credit for its profile. The later values cost nothing.',
  },
  former_values_blanked: {
    means:
      "The contact is another person now, and a user decided that the former person's values do not belong to this person. They were blanked. No credit was spent.",
    next: 'Nothing is left to do. The contact is enhanced again when its identity changes, or when its profile is too old.',
    costs: 'Nothing.',
  },
  typed_value_restored: {
    means:
      'Values are in the CRM. While they were being written, a user typed a value into one of the fields. It was replaced for a moment and restored at once.',
    next: "Nothing is left to do: the value is the user's and stays.",
    costs: 'The credit for its profile.',
  },
  typed_value_lost: {
    means:
      "Values are in the CRM. While they were being written, a user typed a value into one of the fields, and the CRM did not accept this value when donor-sync restored it. So the user's value was replaced.",
    next: '`donor-sync runs RUN` names the field and the user, as the CRM names its users. `donor-sync undo RUN` restores the value, or the user types it again.',
    costs: 'The credit for its profile.',
  },
  profile_fresh: {
    means:
      'The contact was enhanced before, its name, address and employer are the same, and the profile is younger than `refresh.afterDays`.',
    next: 'It is refreshed after `refresh.afterDays`, or when its name, address or employer changes.',
    costs: 'Nothing now; one credit for the refresh.',
  },
  values_equal: {
    means: 'The CRM already has the values of the profile.',
    next: 'It is refreshed after `refresh.afterDays`, or when its name, address or employer changes.',
    costs: 'The credit for its profile, or nothing if it was kept.',
  },
  values_protected: {
    means:
      'Every value that differs was typed by a user, or is protected by `when` in the field map.',
    next: 'The values stay as they are. Set `when: always` for fields that no user should edit. A new profile follows `when` again.',
    costs: 'The credit for its profile, or nothing if it was kept.',
  },
  profile_empty: {
    means: 'The profile has no value for any mapped field.',
    next: 'It is refreshed after `refresh.afterDays`, or when its name, address or employer changes. If you map more fields, the next run writes them from the kept profile.',
    costs: 'The credit for its profile; the fields that you map later cost nothing.',
  },
  no_match_known: {
    means: 'The service did not know this person.',
    next: 'It is sent again when its name, address or employer changes, and after `refresh.afterDays`. Complete the address or the employer in the CRM if you can.',
    costs: 'Nothing now; one credit when it is sent again.',
  },
  identity_change_rejected: {
    means:
      'The name, address or employer changed for this contact and many others, and a user decided that it is still the same person. No credit is spent.',
    next: 'The new details count as known: the contact is sent again when they change once more, or when its profile is too old.',
    costs: 'Nothing now; one credit when it is sent again.',
  },
  counted_as_paid: {
    means:
      'The database was restored from a backup, or the service key was replaced, and a user decided that this contact was paid for. No credit is spent.',
    next: 'Values in the CRM stay. The contact is sent again when it changes, or when its profile would be too old.',
    costs: 'Nothing now; one credit when it is sent again.',
  },
  profile_adopted: {
    means:
      'The CRM contains the donor ID that another installation wrote, and `sync --adopt` recorded the contact as enhanced without a credit.',
    next: 'It is enhanced again when it changes, or when its profile is too old.',
    costs: 'Nothing now; one credit then.',
  },
  first_name_missing: {
    means: 'The service needs both a first name and a last name.',
    next: 'Fill in the names; the next run picks the contact up.',
    costs: 'Nothing now; one credit once both names are filled in.',
  },
  last_name_missing: {
    means: 'The service needs both a first name and a last name.',
    next: 'Fill in the names; the next run picks the contact up.',
    costs: 'Nothing now; one credit once both names are filled in.',
  },
  opted_out: {
    means:
      'The opt-out field of the contact is set, or `contacts.objections` in the settings names it. It is never sent to the service.',
    next: 'Nothing is delivered to it, and it is not in any network. Its kept profile is deleted 30 days after the mark was first read, or by the run that reads an objection. If many contacts were marked at once, a decision comes first. If the mark is removed before the profile is deleted, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  deceased: {
    means: 'The CRM says that this person has died. It is never sent to the service.',
    next: 'Nothing, unless you set `contacts.includeDeceased`. If the mark is removed, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  row_unreadable: {
    means:
      'A row of the CSV file cannot be read; it is listed under its row number in a spreadsheet (`row 17`). With `crm.badRows: skip`, the other rows continue without it.',
    next: 'Correct the row in the file; `donor-sync doctor` lists such rows. The next run reads it again.',
    costs: 'Nothing now; one credit if the contact is new.',
  },
  do_not_contact: {
    means:
      'The CRM says that this person does not want to be contacted. It is never sent to the service.',
    next: 'Nothing, unless you set `contacts.includeDoNotContact`. If the mark is removed, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  deleted_in_crm: {
    means:
      "The contact is no longer in the CRM, or no longer among the client's contacts. If many are missing at once, they are first held as `contacts_missing`.",
    next: 'Nothing. If the contact comes back while its profile is fresh, it gets the values of its kept profile.',
    costs: 'Nothing, even if it comes back with a fresh profile.',
  },
  outside_filter: {
    means:
      'A credit was due for the contact, and `contacts.filter` no longer includes it. It is neither enhanced nor counted as removed; its values and its networks stay.',
    next: 'Nothing. Once a run reads it within the filter, it is enhanced as usual and receives any values that are waiting for it.',
    costs: 'Nothing.',
  },
  merged_in_crm: {
    means: 'The contact was merged into another contact, which is synced instead.',
    next: 'The surviving contact keeps its values, or adopts the paid job of the merged contact.',
    costs: 'Nothing.',
  },
  forgotten: {
    means: 'The contact was erased with `donor-sync forget` and is never enhanced again.',
    next: 'Nothing. It stays blocked.',
    costs: 'Nothing.',
  },
  rejected_by_person: {
    means: 'A user decided that the profile belongs to another person.',
    next: 'Nothing is written. The contact is sent again if its name, address or employer changes.',
    costs: 'The credit that was spent is not refunded; one credit when it is sent again.',
  },
  no_match: {
    means:
      'The service found no match. If another contact is the same person, it gets this outcome without spending a credit.',
    next: 'Complete the address or the employer in the CRM: a changed contact is sent again.',
    costs:
      'One credit, which the service does not refund. Another credit when the contact is sent again.',
  },
  person_invalid: {
    means: 'The service refused the details of this person. No credit was spent.',
    next: '`donor-sync runs RUN` shows which detail it is. Correct it in the CRM; the next run sends the contact again.',
    costs: 'Nothing now; one credit when it is accepted.',
  },
  crm_refused: {
    means: 'The CRM refused every value of the profile.',
    next: "The profile is kept. Five contacts are tried daily for three days and then weekly; once one is accepted, the others follow. The contact is still refreshed, and a change of its identity is still noticed. `donor-sync runs RUN` shows the CRM's code and the fields; `donor-sync runs RUN --show` also shows the CRM's own text, such as a validation rule's message, for 30 days.",
    costs: 'The credit for its profile. Trying again costs nothing.',
  },
  values_unfit: {
    means: 'No value of the profile fits its field.',
    next: 'Change the fields or the field map; see `donor-sync fields check`. The next run then writes the values from the kept profile.',
    costs: 'The credit for its profile. The later values cost nothing.',
  },
  profile_unreadable: {
    means: "The service's response for this contact could not be read.",
    next: 'The next run fetches the result again. If the problem persists, report it.',
    costs: 'One credit, already spent. Fetching costs nothing.',
  },
  name_mismatch: {
    means:
      'The profile and the contact have different names: another last name, or an unrelated first name. Nothing was written.',
    next: '`donor-sync holds --show` shows both names; then `donor-sync holds approve` (the kept profile is written), `reject` or `resubmit`. Or correct the name in the CRM: the contact is then sent again.',
    costs:
      'One credit, already spent. `approve` and `reject` cost nothing; `resubmit` and a corrected name cost one credit.',
  },
  match_unsure: {
    means:
      'The service reports a lower match probability than `match.minProbability`. Nothing was written.',
    next: '`donor-sync holds --show` shows both names; then `donor-sync holds approve`, `reject` or `resubmit`.',
    costs:
      'One credit, already spent. `approve` and `reject` cost nothing; `resubmit` costs one credit.',
  },
  lost_answer: {
    means:
      'The response to a submission was lost, and its credit was or might have been spent. The submission was for this contact, or for the same person in another contact.',
    next: '`donor-sync holds resubmit` sends the contact again, and `reject` leaves it alone. `onLostAnswer: resubmit` in the settings always resubmits.',
    costs:
      'One credit that was or might have been spent. `reject` costs nothing; `resubmit` costs one credit.',
  },
  identity_mass_change: {
    means:
      'The name, address or employer of many known contacts changed within seven days, for example through an address tool. Nothing was sent.',
    next: '`donor-sync holds` shows which part changed and the possible cost. `donor-sync holds reject --batch` accepts the new details without a credit, and `approve --batch` submits the contacts again.',
    costs: 'Nothing now. `reject` costs nothing; `approve` costs one credit for each contact.',
  },
  paid_since_backup: {
    means:
      "The database was restored from a backup, and this contact is new or changed since. It might have been paid for after the backup: no record outside the database rules this out. The same is true for a job that was in progress in the backup and that the service has lost since. Or the service key was replaced while the contact's job was running, and the present key cannot see that job. Or its profile could not be written while the service had it, and no copy is kept (`retention.profiles`). Nothing was sent.",
    next: '`donor-sync holds` shows how many contacts are affected. If a replaced key is used again within six days, the next sync delivers the profiles without a credit. `donor-sync holds approve --batch` buys their profiles, for some of them perhaps a second time; `reject --batch` counts them as paid for.',
    costs: 'Nothing now. `reject` costs nothing; `approve` costs one credit for each contact.',
  },
  contacts_missing: {
    means:
      'The contact is missing: a complete read did not return it, or the CRM does not find it by its ID, and there is no sign of a deletion. An incomplete export and lost access look like this. It is not removed, its values and its networks stay as they are, and nothing is spent on it.',
    next: 'If it is back at the next complete run, the decision closes automatically. Otherwise `donor-sync holds` shows how many are missing: `approve --batch` if they are gone, `reject --batch` to wait for them.',
    costs: 'Nothing: both answers are free.',
  },
  profile_deceased: {
    means: 'The profile says that this person has died. Nothing was written.',
    next: '`donor-sync holds approve` writes it anyway; `reject` leaves the contact alone.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  values_of_two_people: {
    means:
      'The contact is another person now, and the CRM does not accept all values of the new person at once. One contact must not contain the values of two people, so nothing was written. No credit is spent on trying again.',
    next: 'Change the value or the rule that the CRM refuses, then `donor-sync holds approve` tries again; `reject` keeps the former values.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  new_person_unknown: {
    means:
      'The contact has another name now, and no paid profile fits it: the service does not know the new name, or the CRM changed it in a merge. The CRM still contains the values for the former name.',
    next: 'Use `donor-sync holds approve` if it is the same person under a new name: the values stay. Use `reject` if it is another person: the next sync blanks the values that donor-sync wrote. `resubmit` sends the contact again.',
    costs: 'Nothing for `approve` and `reject`; `resubmit` costs one credit.',
  },
  donor_mass_change: {
    means:
      'The service now returns a different donor for this contact and for many others that did not change. Nothing was written.',
    next: '`donor-sync holds approve` writes the new profile, all values at once; `reject` keeps the former values.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  forgotten_person: {
    means:
      'It looks like an erased person: it has the same name with the same address or employer under another ID, or the CRM merged an erased contact into it. Nothing is sent or written.',
    next: 'Use `donor-sync holds approve` if it is another person, who is then treated like any other contact; you are not asked again. `reject` also blocks this ID; then `donor-sync forget` erases its remaining data.',
    costs: 'Nothing for `reject`; after `approve` one credit, as for a new contact.',
  },
  submission_pending: {
    means: 'The contact was selected, but the run ended before it was submitted.',
    next: 'The next run submits it.',
    costs: 'Nothing yet; one credit when it is submitted.',
  },
  job_running: {
    means:
      'The service is still working on the job. If the service reports a job as unknown within ten minutes of its submission, the job still counts as running.',
    next: 'The next run fetches the profile and writes it.',
    costs: 'One credit, already spent.',
  },
  delivery_pending: {
    means: 'The profile is paid for and available.',
    next: 'The next run writes it.',
    costs: 'One credit, already spent.',
  },
  blanking_pending: {
    means: 'A user decided that the values in the CRM belong to a former person.',
    next: 'The next run blanks them.',
    costs: 'Nothing.',
  },
  settlement_pending: {
    means:
      'The contact waits until it is known whether a submission with the same key, whose response was lost, was charged.',
    next: 'The next run submits it once the lost response is settled.',
    costs: 'Nothing yet; one credit when it is submitted.',
  },
  crm_busy: {
    means: 'Someone was changing this record in the CRM, or a record that it belongs to.',
    next: 'The profile is kept, and the next run tries again.',
    costs: 'One credit, already spent. Trying again costs nothing.',
  },
  crm_passing: {
    means:
      "The CRM had a temporary failure for this record, or did not report the result. The detail contains the CRM's error code.",
    next: 'The profile is kept, and the next run tries again.',
    costs: 'One credit, already spent. Trying again costs nothing.',
  },
  not_processed: {
    means: 'The service accepted the request, did not process this person and charged nothing.',
    next: 'The next run sends it again.',
    costs: 'Nothing yet; one credit when it is processed.',
  },
  job_vanished: {
    means: 'The service no longer knows the job, and its profile was never delivered.',
    next: 'The next run sends it again. Run more often than every seven days.',
    costs: 'The credit that was spent is not refunded; one credit when it is sent again.',
  },
  job_too_old: {
    means: 'The job ran longer than any job should.',
    next: 'The next run sends it again.',
    costs: 'The credit that was spent is not refunded; one credit when it is sent again.',
  },
  identity_unreadable: {
    means:
      'A part of the name, address or employer could be read before and cannot now: a permission or a scope was revoked. In the meantime, no credit is spent on the contact.',
    next: '`donor-sync doctor` names the field; restore the access, and the next run continues.',
    costs: 'Nothing while it waits.',
  },
  match_rate_low: {
    means:
      'The service knew too few of the contacts that were sent first, for example because a column is wrong. Nothing more is sent.',
    next: '`donor-sync plan` shows contacts as they would be sent. Correct the columns, or accept the match rate with `donor-sync sync --accept-match-rate`.',
    costs: 'Nothing while it waits; one credit when it is sent.',
  },
  marks_unconfirmed: {
    means:
      'An opt-out, deceased or do-not-contact field excludes more than half of at least 20 contacts, and no user has confirmed that. Nobody is sent, but paid profiles are still delivered.',
    next: 'The reason of the run names the field and its values. Correct them in the settings, or confirm them once with `donor-sync sync --accept-marks`.',
    costs: 'Nothing while it waits; one credit when it is sent.',
  },
  mark_unknown: {
    means:
      'The opt-out, deceased or do-not-contact field of the contact has a value that the settings do not list. The contact is not sent to the service, a paid profile is kept until you have listed the value, and the contact counts neither as opted out nor as deceased.',
    next: '`donor-sync doctor` names the values. Add each to `contacts.optOutValues`, `.deceasedValues` or `.doNotContactValues`, or to `contacts.unmarkedValues`.',
    costs: 'Nothing while it waits; a profile that is already paid for is written at no cost.',
  },
  budget_reached: {
    means: '`budget` in the settings allows no more.',
    next: 'A later run continues when the budget allows it, or when you raise it.',
    costs: 'Nothing yet; one credit when it is sent.',
  },
  credits_exhausted: {
    means: "The service key's bucket is empty.",
    next: 'Buy credits; `donor-sync credits` shows the balance. A run continues once the bucket has credits again.',
    costs: 'Nothing yet; one credit when it is sent.',
  },
};

/** The causes for which values wait to be written. */
export const WAITING_EXPLANATIONS: Readonly<Record<WaitingCause, ReasonExplanation>> = {
  no_such_field: {
    means: "The CRM does not have this field, or hides it from the integration's user.",
    next: 'Create it (`donor-sync fields create`) or grant access to it: the next run writes the values.',
    costs: 'Nothing.',
  },
  no_permission: {
    means: "The integration's user cannot write the field.",
    next: 'Grant that permission: the next run writes the values.',
    costs: 'Nothing.',
  },
  other_currency: {
    means:
      'The field shows amounts in the currency of its record, which is not US dollars, and `crm.currency` is `usdOnly`.',
    next: 'Set `crm.currency` to `convert`, or map a number field: the next run writes the values.',
    costs: 'Nothing.',
  },
  no_rate: {
    means:
      "With `crm.currency: convert`: the CRM has no active exchange rate for US dollars or for the currency of the record, or hides its rates from the integration's user.",
    next: 'Activate the rate, or let the user read the rates: the next run writes the values.',
    costs: 'Nothing.',
  },
  does_not_fit: {
    means:
      'The value is too long, has too many digits or is not among the choices, or the field has another type.',
    next: 'Change the field: the next run writes the values.',
    costs: 'Nothing.',
  },
  refused: {
    means: "One of the CRM's rules refused the value. The CRM's error code is shown.",
    next: 'Change the rule or the contacts. Five contacts are tried daily for three days and then weekly; once one is accepted, the others follow.',
    costs: 'Nothing.',
  },
  no_profile: {
    means: 'The profile is no longer kept, and the service no longer has the result.',
    next: 'The next refresh brings the values.',
    costs: 'Nothing beyond the credit for the refresh.',
  },
};

/** The reasons for which `sync --redeliver` excludes contacts, in addition to the reasons of outcomes. */
export const EXCLUSION_EXPLANATIONS: Readonly<Record<string, ReasonExplanation>> = {
  decision_pending: {
    means: 'The contact waits for a decision.',
    next: '`donor-sync holds`: the answer also decides about the profile.',
    costs: 'Nothing.',
  },
  profile_coming: {
    means: 'The service is preparing a new profile.',
    next: 'The new profile brings the values.',
    costs: 'Nothing beyond the credit for that profile.',
  },
  no_profile: {
    means: 'No profile is kept, and the service no longer has the result.',
    next: 'The next refresh brings a profile.',
    costs: 'Nothing beyond the credit for the refresh.',
  },
  profile_unopened: {
    means: 'The profile cannot be read at the moment.',
    next: 'Run the command again.',
    costs: 'Nothing.',
  },
  another_donor: {
    means: 'The values in the CRM and the kept profile belong to two different donors.',
    next: 'The next profile replaces them all at once.',
    costs: 'Nothing beyond the credit for that profile.',
  },
  donor_change: {
    means: 'The values in the CRM belong to another donor, and can only be replaced all at once.',
    next: 'Run the command again without `--field`.',
    costs: 'Nothing.',
  },
  never_delivered: {
    means: 'The profile was never delivered, because it does not belong to this contact.',
    next: 'The next profile of the contact is delivered as usual.',
    costs: 'Nothing beyond the credit for that profile.',
  },
};
