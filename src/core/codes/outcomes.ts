/** Explains each outcome and each reason. `docs/outcomes.md` has the same texts, and a test compares them. */
import type { Outcome, OutcomeReason } from '../outcome.ts';
import type { WaitingCause } from '../waiting-values.ts';

/** Explains a reason: what it means, what happens next, and what it costs. */
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
    costs: 'The credit for its profile, or nothing if the profile was kept or shared.',
  },
  fields_written_some_unfit: {
    means:
      'Some values are in the CRM. Others did not fit the type, length or choices of their field, or the CRM refused them and said which fields they were.',
    next: "`donor-sync runs RUN` shows which values are missing and why. Create or widen the field, grant access to it, or change the CRM's rule or the field map. The next run then writes those values from the kept profile. If the CRM refused a value, donor-sync tries five contacts daily for three days and then weekly. Once the CRM accepts one contact, the others follow.",
    costs: 'The credit for its profile. Values that are written later cost nothing.',
  },
  fields_written_some_refused: {
    means:
      'Some values are in the CRM. The other values fit their fields, but a rule of the CRM refused them.',
    next: '`donor-sync runs RUN` lists the fields. Change the rule or the record. donor-sync tries five contacts daily for three days and then weekly. Once the CRM accepts one contact, the others follow. `donor-sync sync ID --contact CRM_ID` tries one contact immediately.',
    costs: 'The credit for its profile. Values that are written later cost nothing.',
  },
  former_values_blanked: {
    means:
      "The contact is another person now, and a user decided that the former person's values do not belong to this person. donor-sync blanked them, and spent no credit.",
    next: 'You do not have to do anything. The contact is enhanced again when its identity changes, or when its profile is too old.',
    costs: 'Nothing.',
  },
  typed_value_restored: {
    means:
      'Values are in the CRM. While donor-sync wrote the values, a user typed a value into one of the fields. donor-sync replaced that value for a moment and restored it.',
    next: "You do not have to do anything. The user's value stays.",
    costs: 'The credit for its profile.',
  },
  typed_value_lost: {
    means:
      "Values are in the CRM. While donor-sync wrote the values, a user typed a value into one of the fields. The CRM did not accept this value when donor-sync restored it, so the user's value is replaced.",
    next: "`donor-sync runs RUN` shows the field, and the user by the user's ID in the CRM. Run `donor-sync undo RUN` to restore the value, or ask the user to type it again.",
    costs: 'The credit for its profile.',
  },
  profile_fresh: {
    means:
      'The contact was enhanced before, its name, address and employer are the same, and the profile is younger than `refresh.afterDays`.',
    next: 'The contact is refreshed after `refresh.afterDays`, or when its name, address or employer changes.',
    costs: 'Nothing now. The refresh costs one credit.',
  },
  values_equal: {
    means: 'The CRM already has the values of the profile.',
    next: 'The contact is refreshed after `refresh.afterDays`, or when its name, address or employer changes.',
    costs: 'The credit for its profile, or nothing if it was kept.',
  },
  values_protected: {
    means: 'A user typed every value that differs, or `when` in the field map protects it.',
    next: 'The values stay unchanged. Set `when: always` for fields that no user should edit. A new profile follows `when` again.',
    costs: 'The credit for its profile, or nothing if it was kept.',
  },
  profile_empty: {
    means: 'The profile has no value for any mapped field.',
    next: 'The contact is refreshed after `refresh.afterDays`, or when its name, address or employer changes. If you map more fields, the next run writes them from the kept profile.',
    costs: 'The credit for its profile. Fields that you map later cost nothing.',
  },
  no_match_known: {
    means: 'The service did not know this person.',
    next: 'The contact is sent again when its name, address or employer changes, and after `refresh.afterDays`. Complete the address or the employer in the CRM if you can.',
    costs: 'Nothing now. Sending the contact again costs one credit.',
  },
  identity_change_rejected: {
    means:
      'The name, address or employer changed for this contact and many others, and a user decided that it is still the same person. No credit is spent.',
    next: 'The new details count as known. The contact is sent again when the details change once more, or when its profile is too old.',
    costs: 'Nothing now. Sending the contact again costs one credit.',
  },
  counted_as_paid: {
    means:
      'The database was restored from a backup, or the service key was replaced, and a user decided that this contact was paid for. No credit is spent.',
    next: 'Values in the CRM stay. The contact is sent again when it changes, or when its profile would be too old.',
    costs: 'Nothing now. Sending the contact again costs one credit.',
  },
  profile_adopted: {
    means:
      'The CRM contains the donor ID that another installation wrote, and `sync --adopt` recorded the contact as enhanced without a credit.',
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
      'The opt-out field of the contact is set, or `contacts.objections` in the settings lists the contact. The contact is never sent to the service.',
    next: 'donor-sync delivers nothing to the contact, and removes it from every network. donor-sync deletes the kept profile 30 days after it first read the mark, or in the run that reads an objection. If many contacts were marked together, a decision comes first. If someone removes the mark before the profile is deleted, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  deceased: {
    means: 'The CRM says that this person has died. The contact is never sent to the service.',
    next: 'Nothing, unless you set `contacts.includeDeceased`. If someone removes the mark, the next run writes the kept profile.',
    costs: 'Nothing.',
  },
  row_unreadable: {
    means:
      'donor-sync cannot read a row of the CSV file. donor-sync lists the row under its number in a spreadsheet (`row 17`). With `crm.badRows: skip`, the other rows continue.',
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
    next: 'Nothing. If the contact comes back while its profile is fresh, it gets the values of its kept profile.',
    costs: 'Nothing, even if it comes back with a fresh profile.',
  },
  outside_filter: {
    means:
      'A credit was due for the contact, and `contacts.filter` no longer includes it. The contact is neither enhanced nor counted as removed. Its values and its networks stay.',
    next: 'Nothing. Once a run reads the contact within the filter, donor-sync enhances it as usual and writes any values that are waiting for it.',
    costs: 'Nothing.',
  },
  merged_in_crm: {
    means: 'The contact was merged into another contact, which is synced instead.',
    next: 'The surviving contact keeps its values, or adopts the paid job of the merged contact.',
    costs: 'Nothing.',
  },
  forgotten: {
    means: 'The contact was erased with `donor-sync forget` and is never enhanced again.',
    next: 'Nothing. The contact stays blocked.',
    costs: 'Nothing.',
  },
  rejected_by_person: {
    means: 'A user decided that the profile belongs to another person.',
    next: 'donor-sync writes nothing. The contact is sent again if its name, address or employer changes.',
    costs:
      'One credit, already spent and not refunded. Sending the contact again costs one credit.',
  },
  no_match: {
    means:
      'The service found no match. If another contact is the same person, that contact gets this outcome without a credit.',
    next: 'Complete the address or the employer in the CRM. donor-sync sends a changed contact again.',
    costs:
      'One credit, which the service does not refund. Another credit when the contact is sent again.',
  },
  person_invalid: {
    means: 'The service refused the details of this person. No credit was spent.',
    next: '`donor-sync runs RUN` shows the detail. Correct it in the CRM, and the next run sends the contact again.',
    costs: 'Nothing now. The contact costs one credit when the service accepts it.',
  },
  crm_refused: {
    means: 'The CRM refused every value of the profile.',
    next: "donor-sync keeps the profile, and tries five contacts daily for three days and then weekly. Once the CRM accepts one contact, the others follow. donor-sync still refreshes the contact and notices a change of its identity. `donor-sync runs RUN` shows the CRM's code and the fields. For 30 days, `donor-sync runs RUN --show` also shows the CRM's own text, such as a validation rule's message.",
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
  name_mismatch: {
    means:
      'The profile and the contact have different last names or unrelated first names. donor-sync wrote nothing.',
    next: 'Run `donor-sync holds --show` to see both names. After that, run `donor-sync holds approve` to write the kept profile, or use `reject` or `resubmit`. You can also correct the name in the CRM, and donor-sync sends the contact again.',
    costs:
      'One credit, already spent. `approve` and `reject` cost nothing. `resubmit` and a corrected name cost one credit.',
  },
  match_unsure: {
    means:
      'The service reports a lower match probability than `match.minProbability`. donor-sync wrote nothing.',
    next: 'Run `donor-sync holds --show` to see both names. Then run `donor-sync holds approve`, `reject` or `resubmit`.',
    costs:
      'One credit, already spent. `approve` and `reject` cost nothing. `resubmit` costs one credit.',
  },
  lost_answer: {
    means:
      'The response to a submission was lost, and its credit was or might have been spent. The submission was for this contact, or for the same person in another contact.',
    next: '`donor-sync holds resubmit` sends the contact again, and `reject` does not. With `onLostAnswer: resubmit` in the settings, donor-sync always resubmits.',
    costs:
      'One credit that was or might have been spent. `reject` costs nothing. `resubmit` costs one credit.',
  },
  identity_mass_change: {
    means:
      'The name, address or employer of many known contacts changed within seven days, for example through an address tool. donor-sync sent nothing.',
    next: '`donor-sync holds` shows which part changed and the possible cost. `donor-sync holds reject --batch` accepts the new details without a credit, and `approve --batch` submits the contacts again.',
    costs: 'Nothing now. `reject` costs nothing. `approve` costs one credit for each contact.',
  },
  paid_since_backup: {
    means:
      'The database was restored from a backup, and this contact is new or has changed. The contact might have been paid for after the backup, because no record outside the database rules this out. There are three more causes. A job was in progress in the backup, and the service no longer has it. The service key was replaced while the job was running, and the current key cannot see that job. The profile could not be written while the service had it, and no copy is kept (`retention.profiles`). donor-sync sent nothing.',
    next: '`donor-sync holds` shows how many contacts are affected. If you use a replaced key again within six days, the next sync delivers the profiles without a credit. `donor-sync holds approve --batch` buys their profiles, for some contacts perhaps a second time. `reject --batch` counts these contacts as paid for.',
    costs: 'Nothing now. `reject` costs nothing. `approve` costs one credit for each contact.',
  },
  contacts_missing: {
    means:
      'The contact is missing. A complete read did not return it, or the CRM does not find it by its ID, and there is no sign of a deletion. An incomplete export and lost access look like this. donor-sync does not remove the contact, keeps its values and its networks, and spends nothing on it.',
    next: 'If the contact is back at the next complete run, the decision closes automatically. Otherwise, `donor-sync holds` shows how many contacts are missing. Use `approve --batch` if they are gone, or `reject --batch` to wait for them.',
    costs: 'Nothing. Both answers are free.',
  },
  profile_deceased: {
    means: 'The profile says that this person has died. donor-sync wrote nothing.',
    next: '`donor-sync holds approve` writes the profile anyway, and `reject` does not.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  values_of_two_people: {
    means:
      'The contact is another person now, and the CRM does not accept all values of the new person together. One contact must not contain the values of two people, so donor-sync wrote nothing. Trying again costs no credit.',
    next: "Change the refused value or the CRM's rule. Then `donor-sync holds approve` tries again, and `reject` keeps the former values.",
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  new_person_unknown: {
    means:
      'The contact has another name now, and no paid profile fits it. Either the service does not know the new name, or the CRM changed the name in a merge. The CRM still contains the values for the former name.',
    next: 'Use `donor-sync holds approve` if it is the same person under a new name. The values then stay. Use `reject` if it is another person. The next sync then blanks the values that donor-sync wrote. `resubmit` sends the contact again.',
    costs: 'Nothing for `approve` and `reject`. `resubmit` costs one credit.',
  },
  donor_mass_change: {
    means:
      'The service now returns a different donor for this contact and for many others that did not change. donor-sync wrote nothing.',
    next: '`donor-sync holds approve` writes all values of the new profile together, and `reject` keeps the former values.',
    costs: 'One credit, already spent. Both answers cost nothing.',
  },
  forgotten_person: {
    means:
      'The contact looks like an erased person. Either it has the same name with the same address or employer under another ID, or the CRM merged an erased contact into it. donor-sync sends and writes nothing.',
    next: 'Use `donor-sync holds approve` if it is another person. donor-sync then treats the contact like any other, and does not ask again. `reject` also blocks this ID. Then `donor-sync forget` erases its remaining data.',
    costs: 'Nothing for `reject`. `approve` costs one credit, as for a new contact.',
  },
  submission_pending: {
    means: 'The run selected the contact, but ended before it submitted the contact.',
    next: 'The next run submits the contact.',
    costs: 'Nothing yet. The submission costs one credit.',
  },
  job_running: {
    means:
      'The service is still working on the job. If the service reports a job as unknown within ten minutes of its submission, the job still counts as running.',
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
      'A submission with the same key has lost its response. The contact waits until donor-sync knows whether that submission was charged.',
    next: 'The next run submits the contact once the lost response is settled.',
    costs: 'Nothing yet. The submission costs one credit.',
  },
  crm_busy: {
    means: 'Someone was changing this record in the CRM, or a record that it belongs to.',
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
    next: 'The next run sends the contact again. Schedule runs more often than every seven days.',
    costs:
      'One credit, already spent and not refunded. Sending the contact again costs one credit.',
  },
  job_too_old: {
    means: 'The job ran longer than any job should.',
    next: 'The next run sends the contact again.',
    costs:
      'One credit, already spent and not refunded. Sending the contact again costs one credit.',
  },
  identity_unreadable: {
    means:
      'donor-sync could read a part of the name, address or employer before, and cannot now, because a permission or a scope was revoked. In the meantime, it spends no credit on the contact.',
    next: '`donor-sync doctor` shows the field. Restore the access, and the next run continues.',
    costs: 'Nothing while the contact waits.',
  },
  match_rate_low: {
    means:
      'The service knew too few of the contacts that were sent first, for example because a column is wrong. donor-sync sends nothing more.',
    next: '`donor-sync plan` shows contacts as they would be sent. Correct the columns, or accept the match rate with `donor-sync sync --accept-match-rate`.',
    costs: 'Nothing while the contact waits. Sending it costs one credit.',
  },
  marks_unconfirmed: {
    means:
      'An opt-out, deceased or do-not-contact field excludes more than half of at least 20 contacts, and no user has confirmed that. donor-sync sends nobody, but still delivers paid profiles.',
    next: 'The reason of the run contains the field and its values. Correct the values in the settings, or confirm them once with `donor-sync sync --accept-marks`.',
    costs: 'Nothing while the contact waits. Sending it costs one credit.',
  },
  mark_unknown: {
    means:
      'The opt-out, deceased or do-not-contact field of the contact has a value that the settings do not list. donor-sync does not send the contact to the service, and keeps a paid profile until you have listed the value. The contact counts neither as opted out nor as deceased.',
    next: '`donor-sync doctor` lists the values. Add each to `contacts.optOutValues`, `.deceasedValues` or `.doNotContactValues`, or to `contacts.unmarkedValues`.',
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

/** The causes for which values wait to be written. */
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
      'The value is too long, has too many digits or is not among the choices, or the field has another type.',
    next: 'Change the field. The next run then writes the values.',
    costs: 'Nothing.',
  },
  refused: {
    means: "One of the CRM's rules refused the value. donor-sync shows the CRM's error code.",
    next: 'Change the rule or the contacts. donor-sync tries five contacts daily for three days and then weekly. Once the CRM accepts one contact, the others follow.',
    costs: 'Nothing.',
  },
  no_profile: {
    means: 'donor-sync no longer keeps the profile, and the service no longer has the result.',
    next: 'The next refresh brings the values.',
    costs: 'Nothing beyond the credit for the refresh.',
  },
};

/** The reasons for which `sync --redeliver` excludes contacts, in addition to the reasons of outcomes. */
export const EXCLUSION_EXPLANATIONS: Readonly<Record<string, ReasonExplanation>> = {
  decision_pending: {
    means: 'The contact waits for a decision.',
    next: 'Answer with `donor-sync holds`. Your answer also decides about the profile.',
    costs: 'Nothing.',
  },
  profile_coming: {
    means: 'The service is preparing a new profile.',
    next: 'The new profile brings the values.',
    costs: 'Nothing beyond the credit for that profile.',
  },
  no_profile: {
    means: 'donor-sync keeps no profile, and the service no longer has the result.',
    next: 'The next refresh brings a profile.',
    costs: 'Nothing beyond the credit for the refresh.',
  },
  profile_unopened: {
    means: 'donor-sync cannot read the profile at the moment.',
    next: 'Run the command again.',
    costs: 'Nothing.',
  },
  another_donor: {
    means: 'The values in the CRM and the kept profile belong to two different donors.',
    next: 'The next profile replaces all values together.',
    costs: 'Nothing beyond the credit for that profile.',
  },
  donor_change: {
    means:
      'The values in the CRM belong to another donor, and donor-sync can only replace all values together.',
    next: 'Run the command again without `--field`.',
    costs: 'Nothing.',
  },
  never_delivered: {
    means: 'The profile was never delivered, because it does not belong to this contact.',
    next: 'The next profile of the contact is delivered as usual.',
    costs: 'Nothing beyond the credit for that profile.',
  },
};
