/** Why contacts and networks wait for a decision. */

interface ContactKind {
  /** The sentence for a contact that waits for this decision. Null if no contact waits. */
  outcome: string | null;
  /** True if a credit was spent, so a merge must not cost another. */
  isPaid: boolean;
  /** True if the question must be answered before the profile is delivered. */
  isOfProfile: boolean;
  /** True if the profile belongs to this person. */
  isOfKnownPerson: boolean;
  /** True if the answer is not needed after it is carried out. */
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
  /** The contact may have been paid for after the backup or with a former service key. */
  paid_since_backup: {
    ...OF_CONTACT,
    outcome:
      'may have been paid for, after the backup that the database was restored from or with a former service key; a user decides whether to buy its profile',
    isPaid: true,
    endsWithAnswer: true,
  },
  /** The contact went missing together with many others. A user has to decide if they have left. */
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
  /** Another person's values could not be replaced, so nothing was written. */
  values_of_two_people: {
    ...OF_PROFILE,
    outcome:
      'the CRM does not accept all values of the new person at once, so nothing was written; a user decides',
    isOfKnownPerson: true,
  },
  /** No paid profile matches the contact's new name, and the CRM contains the former name's values. */
  new_person_unknown: {
    ...OF_CONTACT,
    outcome:
      'has another name now, and the CRM still has the values of the former name; a user decides',
    isPaid: true,
  },
  /** The service returns new donors for many contacts that did not change. */
  donor_mass_change: {
    ...OF_PROFILE,
    outcome:
      'the service now returns a different donor for this contact and for many others that did not change; a user decides',
  },
  /** The contact looks like an erased person, or an erased contact was merged into it. */
  forgotten_person: {
    ...OF_CONTACT,
    outcome: 'looks like a person who was erased with "forget"; a user decides',
  },
  /** Many contacts were marked as opted out together. A user must decide whether the marks are correct. */
  mass_opt_out: { ...OF_CONTACT, outcome: null },
  /** CRM workflows marked more contacts in a day than allowed. This contact is the first of them. */
  workflow_limit: { ...OF_CONTACT, outcome: null, endsWithAnswer: true },
  erasure_requested: { ...OF_CONTACT, outcome: null },
} as const satisfies Record<string, ContactKind>;

/** The reasons why a contact can wait for a user. */
export type ContactQuestionKind = keyof typeof CONTACT_QUESTION_KINDS;

export type HoldReason = {
  [Kind in ContactQuestionKind]: (typeof CONTACT_QUESTION_KINDS)[Kind]['outcome'] extends null
    ? never
    : Kind;
}[ContactQuestionKind];

export const NETWORK_QUESTION_KINDS = [
  /** More than half of the group's members would leave. */
  'group_shrunk',
  /** The group cannot be read completely. */
  'group_unreadable',
  /** The service has lost the network. */
  'network_deleted',
  /** Another network has the name. */
  'name_taken',
  /** The service rejects the network or its members as invalid. */
  'network_refused',
] as const;
export type NetworkQuestionKind = (typeof NETWORK_QUESTION_KINDS)[number];

export type QuestionKind = ContactQuestionKind | NetworkQuestionKind;

/** Returns the kinds of contact questions that meet a condition. */
export function listContactKinds(isSo: (kind: ContactKind) => boolean): ContactQuestionKind[] {
  return Object.entries<ContactKind>(CONTACT_QUESTION_KINDS)
    .filter(([, kind]) => isSo(kind))
    .map(([word]) => word as ContactQuestionKind);
}

export function forHoldReasons<Value>(
  toValue: (outcome: string) => Value,
): Readonly<Record<HoldReason, Value>> {
  const entries = Object.entries<ContactKind>(CONTACT_QUESTION_KINDS).flatMap(
    ([word, { outcome }]) => (outcome === null ? [] : [[word, toValue(outcome)]]),
  );
  return Object.fromEntries(entries);
}
