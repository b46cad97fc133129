/** Explains each outcome and each reason. `docs/outcomes.md` contains the same sentences, and a test compares them. */
import type { Outcome, OutcomeReason } from '../outcome.ts';
import { forHoldReasons } from '../questions/question-kinds.ts';
import type { WaitingCause } from '../waiting-values.ts';
import type { ReasonExplanation } from './reason-explanation.ts';

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
    costs: 'The credit for its profile, or nothing if the profile was kept or shared.',
  },
  fields_written_some_unfit: {
    means:
      'Some values are in the CRM. Other values did not fit the type, length or choices of their field, or the CRM refused them and named their fields.',
    next: "`donor-sync runs RUN` shows which values are missing and why. Create or widen the field, grant access to it, or change the CRM's rule or the field map. The next run then writes those values from the kept profile. If the CRM refused a value, donor-sync tries to write five contacts every day for three days, and then every week. Once the CRM accepts one contact, the others follow.",
    costs: 'The credit for its profile. Values that are written later cost nothing.',
  },
  fields_written_some_refused: {
    means:
      'Some values are in the CRM. The other values fit their fields, but a CRM rule rejected them.',
    next: '`donor-sync runs RUN` lists the fields. Change the rule or the record. donor-sync tries to write five contacts every day for three days, and then every week. Once the CRM accepts one contact, the others follow. `donor-sync sync ID --contact CRM_ID` tries one contact immediately.',
    costs: 'The credit for its profile. Values that are written later cost nothing.',
  },
  former_values_blanked: {
    means:
      "The contact is now a different person, and a user decided that the former person's values do not belong to this person. donor-sync blanked these values and spent no credit.",
    next: 'No action is needed. The contact is enhanced again when its identity changes, or when its profile is too old.',
    costs: 'Nothing.',
  },
  typed_value_restored: {
    means:
      'Values are in the CRM. A user edited one of the fields while donor-sync was writing to it. donor-sync briefly overwrote that value, then restored it.',
    next: "No action is needed. The CRM contains the user's value.",
    costs: 'The credit for its profile.',
  },
  typed_value_lost: {
    means:
      "Values are in the CRM. A user edited one of the fields while donor-sync was writing to it. donor-sync tried to restore the user's value, but the CRM refused it, so it is lost.",
    next: "`donor-sync runs RUN` shows the field and the user's ID in the CRM. Run `donor-sync undo RUN` to restore the value, or ask the user to type it again.",
    costs: 'The credit for its profile.',
  },
  profile_fresh: {
    means:
      'The contact was already enhanced. Its name, address and employer have not changed, and the profile is younger than `refresh.afterDays`.',
    next: 'The contact is refreshed after `refresh.afterDays`, or when its name, address or employer changes.',
    costs: 'Nothing now. The refresh costs one credit.',
  },
  values_equal: {
    means: 'The CRM already contains the values of the profile.',
    next: 'The contact is refreshed after `refresh.afterDays`, or when its name, address or employer changes.',
    costs: 'The credit for its profile, or nothing if it was kept.',
  },
  values_protected: {
    means:
      'The values in the CRM differ from the profile. Either a user typed them, or `when` in the field map protects them.',
    next: 'The values stay unchanged. Set `when: always` for fields that no user should edit. donor-sync applies `when` again when a new profile arrives.',
    costs: 'The credit for its profile, or nothing if it was kept.',
  },
  profile_empty: {
    means: 'The profile has no value for any mapped field.',
    next: 'The contact is refreshed after `refresh.afterDays`, or when its name, address or employer changes. If you map more fields, the next run writes them from the kept profile.',
    costs: 'The credit for its profile. Mapping more fields later costs nothing.',
  },
  no_match_known: {
    means: 'The service did not know this person.',
    next: 'donor-sync sends the contact again after `refresh.afterDays`, or earlier if its name, address or employer changes. Complete the address or the employer in the CRM if you can.',
    costs: 'Nothing now. Sending the contact again costs one credit.',
  },
  identity_change_rejected: {
    means:
      'The name, address or employer of this contact and many others changed, and a user decided that this is still the same person. donor-sync spends no credit.',
    next: 'donor-sync has accepted the new details. It sends the contact again when the details change again, or when its profile is too old.',
    costs: 'Nothing now. Sending the contact again costs one credit.',
  },
  counted_as_paid: {
    means:
      'The database was restored from a backup, or the service key was replaced. A user then decided that this contact had already been paid for, so donor-sync spends no credit.',
    next: 'donor-sync does not change the values in the CRM. It sends the contact again when the contact changes, or when the next refresh is due.',
    costs: 'Nothing now. Sending the contact again costs one credit.',
  },
  profile_adopted: {
    means:
      'The CRM contains a donor ID that a different installation wrote. `sync --adopt` recorded the contact as enhanced and spent no credit.',
    next: 'The contact is enhanced again when it changes, or when its profile is too old.',
    costs: 'Nothing now. The enhancement costs one credit.',
  },
  first_name_missing: {
    means: 'The service needs both a first name and a last name.',
    next: 'Fill in the names. The next run then sends the contact.',
    costs: 'Nothing now. The contact costs one credit once both names are filled in.',
  },
  last_name_missing: {
    means: 'The service needs both a first name and a last name.',
    next: 'Fill in the names. The next run then sends the contact.',
    costs: 'Nothing now. The contact costs one credit once both names are filled in.',
  },
  opted_out: {
    means:
      "The contact's opt-out field is set, or `contacts.objections` in the settings lists the contact. The contact is never sent to the service.",
    next: 'donor-sync writes no values to the contact and removes it from every network. donor-sync deletes the kept profile 30 days after it first read the mark, or in the run that reads an objection. If many contacts were marked at the same time, donor-sync first asks for a decision. If someone removes the mark before the profile is deleted, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  deceased: {
    means: 'The CRM says that this person has died. The contact is never sent to the service.',
    next: 'Nothing, unless you set `contacts.includeDeceased`. If someone removes the mark, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  row_unreadable: {
    means:
      "donor-sync cannot read a row of the CSV file. It shows the row's number in a spreadsheet (`row 17`). With `crm.badRows: skip`, the other rows continue.",
    next: 'Correct the row in the file. `donor-sync doctor` lists such rows. The next run reads the row again.',
    costs: 'Nothing now. A new contact costs one credit.',
  },
  do_not_contact: {
    means:
      'The CRM says that this person does not want to be contacted. The contact is never sent to the service.',
    next: 'Nothing, unless you set `contacts.includeDoNotContact`. If someone removes the mark, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  deleted_in_crm: {
    means:
      "The contact is no longer in the CRM, or no longer among the client's contacts. If many contacts are missing, donor-sync first holds them as `contacts_missing`.",
    next: 'Nothing. If the contact comes back while its profile is fresh, donor-sync writes the values of its kept profile.',
    costs: 'Nothing, even if it comes back with a fresh profile.',
  },
  outside_filter: {
    means:
      'The contact was due to be enhanced, but `contacts.filter` no longer includes it. donor-sync does not enhance the contact or treat it as removed. The contact keeps its values and its networks.',
    next: 'Nothing. When the filter includes the contact again, donor-sync enhances it as usual and writes any waiting values.',
    costs: 'Nothing.',
  },
  merged_in_crm: {
    means:
      'The contact was merged into a different contact. donor-sync syncs the surviving contact instead.',
    next: "The surviving contact keeps its values, or uses the merged contact's paid job.",
    costs: 'Nothing.',
  },
  forgotten: {
    means: 'The contact was erased with `donor-sync forget` and is never enhanced again.',
    next: 'Nothing. The contact is blocked permanently.',
    costs: 'Nothing.',
  },
  rejected_by_person: {
    means: 'A user decided that the profile belongs to a different person.',
    next: 'donor-sync writes nothing. The contact is sent again if its name, address or employer changes.',
    costs:
      'One credit, already spent and not refunded. Sending the contact again costs one credit.',
  },
  no_match: {
    means:
      'The service found no match. If a second contact is the same person, it gets the same outcome and costs no credit.',
    next: 'Complete the address or the employer in the CRM. donor-sync sends a changed contact again.',
    costs:
      'One credit, which the service does not refund. Sending the contact again costs one more credit.',
  },
  person_invalid: {
    means: "The service rejected this person's details. No credit was spent.",
    next: '`donor-sync runs RUN` shows the detail. If you correct it in the CRM, the next run sends the contact again.',
    costs: 'Nothing now. The contact costs one credit when the service accepts it.',
  },
  crm_refused: {
    means: 'The CRM refused every value of the profile.',
    next: "donor-sync keeps the profile, and tries to write five contacts every day for three days, and then every week. Once the CRM accepts one contact, the others follow. donor-sync still refreshes the contact and notices a change of its identity. `donor-sync runs RUN` shows the CRM's code and the fields. For 30 days, `donor-sync runs RUN --show` also shows the CRM's own message, such as the text of a validation rule.",
    costs: 'The credit for its profile. Trying again costs nothing.',
  },
  values_unfit: {
    means: 'No value of the profile fits its field.',
    next: 'Change the fields or the field map. `donor-sync fields check` shows the fields. The next run then writes the values from the kept profile.',
    costs: 'The credit for its profile. Values that are written later cost nothing.',
  },
  profile_unreadable: {
    means: "donor-sync could not read the service's response for this contact.",
    next: 'The next run fetches the result again. If the problem persists, report it.',
    costs: 'One credit, already spent. Fetching costs nothing.',
  },
  ...forHoldReasons(({ means, next, costs }) => ({ means, next, costs })),
  submission_pending: {
    means: 'The run ended before it submitted the contact.',
    next: 'The next run submits the contact.',
    costs: 'Nothing yet. The submission costs one credit.',
  },
  job_running: {
    means:
      'The service is still working on the job. If the service reports a job as unknown within ten minutes of its submission, donor-sync still treats it as running.',
    next: 'The next run fetches the profile and writes it.',
    costs: 'One credit, already spent.',
  },
  delivery_pending: {
    means: 'The profile is paid for and available.',
    next: 'The next run writes the profile.',
    costs: 'One credit, already spent.',
  },
  blanking_pending: {
    means: 'A user decided that the values in the CRM belong to a former person.',
    next: 'The next run blanks these values.',
    costs: 'Nothing.',
  },
  settlement_pending: {
    means:
      'The response to a submission with the same key was lost. The contact waits until donor-sync knows whether the service charged for that submission.',
    next: 'The next run submits the contact once the lost response is settled.',
    costs: 'Nothing yet. The submission costs one credit.',
  },
  crm_busy: {
    means: 'Someone was changing this record, or its parent record, in the CRM.',
    next: 'donor-sync keeps the profile, and the next run tries again.',
    costs: 'One credit, already spent. Trying again costs nothing.',
  },
  crm_passing: {
    means:
      "The CRM had a temporary failure for this record, or did not report the result. The detail contains the CRM's error code.",
    next: 'donor-sync keeps the profile, and the next run tries again.',
    costs: 'One credit, already spent. Trying again costs nothing.',
  },
  not_processed: {
    means: 'The service accepted the request, did not process this person and charged nothing.',
    next: 'The next run sends the contact again.',
    costs: 'Nothing yet. Processing the contact costs one credit.',
  },
  job_vanished: {
    means: 'The service no longer knows the job, and its profile was never delivered.',
    next: 'The next run sends the contact again. Schedule runs less than seven days apart.',
    costs:
      'One credit, already spent and not refunded. Sending the contact again costs one credit.',
  },
  job_too_old: {
    means: 'The job took much longer than usual.',
    next: 'The next run sends the contact again.',
    costs:
      'One credit, already spent and not refunded. Sending the contact again costs one credit.',
  },
  identity_unreadable: {
    means:
      'donor-sync can no longer read a part of the name, address or employer, because a permission or a scope was revoked. Until you restore it, donor-sync spends no credit on the contact.',
    next: '`donor-sync doctor` shows the field. Once access is restored, the next run continues.',
    costs: 'Nothing while the contact waits.',
  },
  match_rate_low: {
    means:
      'The service recognised too few of the first contacts, for example because a column is wrong. donor-sync sends no more contacts.',
    next: '`donor-sync plan` shows contacts as they would be sent. Correct the columns, or accept the match rate with `donor-sync sync --accept-match-rate`.',
    costs: 'Nothing while the contact waits. Sending it costs one credit.',
  },
  marks_unconfirmed: {
    means:
      'An opt-out, deceased or do-not-contact field excludes more than half of at least 20 contacts, and no user has confirmed this. donor-sync sends no contacts to the service, but still delivers paid profiles.',
    next: "The run's reason shows the field and its values. Correct the values in the settings, or confirm them once with `donor-sync sync --accept-marks`.",
    costs: 'Nothing while the contact waits. Sending it costs one credit.',
  },
  mark_unknown: {
    means:
      'The opt-out, deceased or do-not-contact field of the contact has a value that the settings do not list. donor-sync does not send the contact to the service, and keeps a paid profile until you have listed the value. donor-sync treats the contact neither as opted out nor as deceased.',
    next: '`donor-sync doctor` lists the values. Add each value to `contacts.optOutValues`, `.deceasedValues` or `.doNotContactValues`, or to `contacts.unmarkedValues`.',
    costs: 'Nothing while the contact waits. donor-sync writes a paid profile at no cost.',
  },
  budget_reached: {
    means: '`budget` in the settings does not allow more credits.',
    next: 'A later run continues when the budget allows it, or when you raise the budget.',
    costs: 'Nothing yet. Sending the contact costs one credit.',
  },
  credits_exhausted: {
    means: "The service key's bucket is empty.",
    next: 'Buy credits. `donor-sync credits` shows the balance. A run continues once the bucket has credits again.',
    costs: 'Nothing yet. Sending the contact costs one credit.',
  },
};

/** The reasons why values wait to be written. */
export const WAITING_EXPLANATIONS: Readonly<Record<WaitingCause, ReasonExplanation>> = {
  no_such_field: {
    means: "The CRM does not have this field, or hides it from the integration's user.",
    next: 'Create the field (`donor-sync fields create`) or grant access to it. The next run then writes the values.',
    costs: 'Nothing.',
  },
  no_permission: {
    means: "The integration's user cannot write the field.",
    next: 'Grant that permission. The next run then writes the values.',
    costs: 'Nothing.',
  },
  other_currency: {
    means:
      'The field shows amounts in the currency of its record, which is not US dollars, and `crm.currency` is `usdOnly`.',
    next: 'Set `crm.currency` to `convert`, or map a number field. The next run then writes the values.',
    costs: 'Nothing.',
  },
  no_rate: {
    means:
      "`crm.currency` is `convert`, and the CRM has no active exchange rate for US dollars or for the currency of the record. Or the CRM hides its rates from the integration's user.",
    next: 'Activate the rate, or let the user read the rates. The next run then writes the values.',
    costs: 'Nothing.',
  },
  does_not_fit: {
    means:
      'The value is too long, has too many digits or is not one of the choices, or the field has a different type.',
    next: 'Change the field. The next run then writes the values.',
    costs: 'Nothing.',
  },
  refused: {
    means: "A CRM rule rejected the value. donor-sync shows the CRM's error code.",
    next: 'Change the rule or the contacts. donor-sync tries to write five contacts every day for three days, and then every week. Once the CRM accepts one contact, the others follow.',
    costs: 'Nothing.',
  },
  no_profile: {
    means: 'donor-sync no longer keeps the profile, and the service no longer has the result.',
    next: 'donor-sync writes the values with the next refresh.',
    costs: 'The credit for the refresh.',
  },
};

/** The reasons for which `sync --redeliver` excludes contacts, in addition to the reasons of outcomes. */
export const EXCLUSION_EXPLANATIONS: Readonly<Record<string, ReasonExplanation>> = {
  decision_pending: {
    means: 'The contact waits for a decision.',
    next: 'Answer with `donor-sync holds`. Your answer also determines whether donor-sync writes the profile.',
    costs: 'Nothing.',
  },
  profile_coming: {
    means: 'The service is preparing a new profile.',
    next: 'donor-sync writes the values of the new profile.',
    costs: 'The credit for that profile.',
  },
  no_profile: {
    means: 'donor-sync keeps no profile, and the service no longer has the result.',
    next: 'You get a new profile with the next refresh.',
    costs: 'The credit for the refresh.',
  },
  profile_unopened: {
    means: 'donor-sync cannot read the profile at the moment.',
    next: 'Run the command again.',
    costs: 'Nothing.',
  },
  another_donor: {
    means: 'The values in the CRM and the kept profile belong to two different donors.',
    next: 'When the next profile arrives, donor-sync replaces all values.',
    costs: 'The credit for that profile.',
  },
  donor_change: {
    means:
      'The values in the CRM belong to a different donor, so donor-sync must replace all of them, not just one field.',
    next: 'Run the command again without `--field`.',
    costs: 'Nothing.',
  },
  never_delivered: {
    means: 'The profile was never delivered, because it does not belong to this contact.',
    next: "donor-sync delivers the contact's next profile as usual.",
    costs: 'The credit for that profile.',
  },
};
