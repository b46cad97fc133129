/**
 * The reasons why contacts and networks wait for a decision, and the properties of each reason. Their texts and
 * possible answers are in `src/decisions/views/kinds.ts`.
 */

interface ContactKind {
  /**
   * The outcome's text for a contact that waits for the decision, as in `OUTCOME_TEXTS`. Null if the contact does not
   * wait.
   */
  outcome: string | null;
  /** True if a credit was spent on the contact, so a merge must not cost another one. */
  isPaid: boolean;
  /** True if the question is about an existing profile and has to be answered before its delivery. */
  isOfProfile: boolean;
  /** True if the question assumes that the profile belongs to this person. */
  isOfKnownPerson: boolean;
  /** True if the answer is no longer needed once it is carried out, so it can be deleted after a while. */
  endsWithAnswer: boolean;
}

const OF_PROFILE = {
  isPaid: true,
  isOfProfile: true,
  isOfKnownPerson: false,
  endsWithAnswer: false,
};
const OF_CONTACT = {
  isPaid: false,
  isOfProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: false,
};

const CONTACT_QUESTION_KINDS = {
  name_mismatch: {
    ...OF_PROFILE,
    outcome: "the name in the profile differs from the contact's name; a user decides",
    endsWithAnswer: true,
  },
  match_unsure: {
    ...OF_PROFILE,
    outcome:
      'the service is less certain that the profile belongs to this person than the settings require; a user decides',
  },
  /** If it is rejected, its credit is not spent again. */
  lost_answer: {
    ...OF_CONTACT,
    outcome: 'the response was lost after the credit may have been spent; a user decides',
    isPaid: true,
  },
  identity_mass_change: {
    ...OF_CONTACT,
    outcome:
      'its details changed together with the details of many other contacts; a user decides whether that is worth a credit',
    isPaid: true,
    endsWithAnswer: true,
  },
  /**
   * The contact may have been paid for, after the backup that was restored or with a service key that was replaced
   * since.
   */
  paid_since_backup: {
    ...OF_CONTACT,
    outcome:
      'may have been paid for, after the backup that the database was restored from or with a former service key; a user decides whether to buy its profile',
    isPaid: true,
    endsWithAnswer: true,
  },
  /** The contact is missing together with many others. The question is whether they are gone. */
  contacts_missing: {
    ...OF_CONTACT,
    outcome:
      'is missing from the CRM, and there is no sign that it was deleted; it is kept until it is back or a user confirms that it is gone',
    endsWithAnswer: true,
  },
  profile_deceased: {
    ...OF_PROFILE,
    outcome: 'the profile says that this person has died; a user decides',
    isOfKnownPerson: true,
    endsWithAnswer: true,
  },
  /** The values of another person could not all be replaced, so nothing was written. */
  values_of_two_people: {
    ...OF_PROFILE,
    outcome:
      'the CRM does not accept all values of the new person at once, so nothing was written; a user decides',
    isOfKnownPerson: true,
  },
  /** The contact has a different name now that no paid profile matches, and contains the former name's values. */
  new_person_unknown: {
    ...OF_CONTACT,
    outcome:
      'has another name now, and the CRM still has the values of the former name; a user decides',
    isPaid: true,
  },
  /** The service now returns other donors for many contacts that did not change. */
  donor_mass_change: {
    ...OF_PROFILE,
    outcome:
      'the service now returns a different donor for this contact and for many others that did not change; a user decides',
  },
  /** The contact looks like a person who was erased, or an erased contact was merged into it. */
  forgotten_person: {
    ...OF_CONTACT,
    outcome: 'looks like a person who was erased with "forget"; a user decides',
  },
  /**
   * The contact was marked as opted out together with many others. The question is whether the marks are
   * correct.
   */
  mass_opt_out: { ...OF_CONTACT, outcome: null },
  /** Workflows of the CRM marked more contacts in a day than the settings allow. The contact is the first of them. */
  workflow_limit: { ...OF_CONTACT, outcome: null, endsWithAnswer: true },
  /** The CRM requests the erasure of the contact. */
  erasure_requested: { ...OF_CONTACT, outcome: null },
} as const satisfies Record<string, ContactKind>;

/** Why a contact waits for a user. */
export type ContactQuestionKind = keyof typeof CONTACT_QUESTION_KINDS;

/** The kinds of questions that end the run's work on a contact. */
export type HoldReason = {
  [Kind in ContactQuestionKind]: (typeof CONTACT_QUESTION_KINDS)[Kind]['outcome'] extends null
    ? never
    : Kind;
}[ContactQuestionKind];

/** Why a network waits for a user. */
export const NETWORK_QUESTION_KINDS = [
  /** More than half of the group's members would leave. */
  'group_shrunk',
  /** The group cannot be read completely. */
  'group_unreadable',
  /** The service no longer has the network. */
  'network_deleted',
  /** Another network already has the name. */
  'name_taken',
  /** The service rejects the network or its members as invalid. */
  'network_refused',
] as const;
export type NetworkQuestionKind = (typeof NETWORK_QUESTION_KINDS)[number];

export type QuestionKind = ContactQuestionKind | NetworkQuestionKind;

/** Returns the kinds of questions about contacts that meet a condition. */
export function listContactKinds(isSo: (kind: ContactKind) => boolean): ContactQuestionKind[] {
  return Object.entries<ContactKind>(CONTACT_QUESTION_KINDS)
    .filter(([, kind]) => isSo(kind))
    .map(([word]) => word as ContactQuestionKind);
}

/** Returns a value for each reason for which a contact can be held. */
export function forHoldReasons<Value>(
  toValue: (outcome: string) => Value,
): Readonly<Record<HoldReason, Value>> {
  const entries = Object.entries<ContactKind>(CONTACT_QUESTION_KINDS).flatMap(
    ([word, { outcome }]) => (outcome === null ? [] : [[word, toValue(outcome)]]),
  );
  return Object.fromEntries(entries);
}
