/** Lists the kinds of questions. A new kind needs one file in this folder and one line in this list. */

import { ConfigurationError } from '../errors.ts';
import { didYouMean } from '../near-miss.ts';
import { contactsMissing } from './contacts-missing.ts';
import { DECIDED, type DecisionWord, HOLD_DECISIONS, type QuestionDecision } from './decisions.ts';
import { donorMassChange } from './donor-mass-change.ts';
import { erasureRequested } from './erasure-requested.ts';
import { forgottenPerson } from './forgotten-person.ts';
import { identityMassChange } from './identity-mass-change.ts';
import type {
  BatchWords,
  ContactAnswer,
  ContactKind,
  NetworkKind,
  WaitingOutcome,
} from './kind.ts';
import { lostAnswer } from './lost-answer.ts';
import { massOptOut } from './mass-opt-out.ts';
import { matchUnsure } from './match-unsure.ts';
import { nameMismatch } from './name-mismatch.ts';
import { NETWORK_KINDS } from './network-kinds.ts';
import { newPersonUnknown } from './new-person-unknown.ts';
import { paidSinceBackup } from './paid-since-backup.ts';
import { profileDeceased } from './profile-deceased.ts';
import { valuesOfTwoPeople } from './values-of-two-people.ts';
import { workflowLimit } from './workflow-limit.ts';

const CONTACT = {
  name_mismatch: nameMismatch,
  match_unsure: matchUnsure,
  lost_answer: lostAnswer,
  identity_mass_change: identityMassChange,
  paid_since_backup: paidSinceBackup,
  contacts_missing: contactsMissing,
  profile_deceased: profileDeceased,
  values_of_two_people: valuesOfTwoPeople,
  new_person_unknown: newPersonUnknown,
  donor_mass_change: donorMassChange,
  forgotten_person: forgottenPerson,
  mass_opt_out: massOptOut,
  workflow_limit: workflowLimit,
  erasure_requested: erasureRequested,
} as const satisfies Record<string, ContactKind>;

/** The reasons for which donor-sync asks a user about a contact. */
export type ContactQuestionKind = keyof typeof CONTACT;

export const CONTACT_KINDS: Readonly<Record<ContactQuestionKind, ContactKind>> = CONTACT;

/** The reasons for which a contact waits. */
export type HoldReason = {
  [Kind in ContactQuestionKind]: (typeof CONTACT)[Kind]['outcome'] extends null ? never : Kind;
}[ContactQuestionKind];

/** The kinds of question whose contacts a user decides about together. */
export type BatchKind = {
  [Kind in ContactQuestionKind]: (typeof CONTACT)[Kind] extends { batch: BatchWords }
    ? Kind
    : never;
}[ContactQuestionKind];

export type NetworkQuestionKind = keyof typeof NETWORK_KINDS;

export type QuestionKind = ContactQuestionKind | NetworkQuestionKind;

export const KINDS: Readonly<Record<QuestionKind, ContactKind | NetworkKind>> = {
  ...CONTACT,
  ...NETWORK_KINDS,
};

/** Returns the kinds of contact questions that meet a condition. */
export function listContactKinds(isSo: (kind: ContactKind) => boolean): ContactQuestionKind[] {
  return Object.keys(CONTACT)
    .filter(isContactKind)
    .filter((kind) => isSo(CONTACT_KINDS[kind]));
}

export const BATCH_KINDS: readonly BatchKind[] = Object.keys(CONTACT).filter(isBatchKind);

export function isBatchKind(kind: string): kind is BatchKind {
  return isContactKind(kind) && CONTACT_KINDS[kind].batch !== undefined;
}

/** Returns the texts of a kind of question whose contacts a user decides about together. */
export function getBatchWords(kind: BatchKind): BatchWords {
  return CONTACT[kind].batch;
}

function isContactKind(word: string): word is ContactQuestionKind {
  return Object.hasOwn(CONTACT, word);
}

export function isNetworkKind(word: string): word is NetworkQuestionKind {
  return Object.hasOwn(NETWORK_KINDS, word);
}

export function isKind(word: string): word is QuestionKind {
  return isContactKind(word) || isNetworkKind(word);
}

/** Returns the answer to a question about a contact, or null if this kind of question does not have the answer. */
export function findContactAnswer(
  kind: ContactQuestionKind,
  decision: QuestionDecision,
): ContactAnswer | null {
  const word = HOLD_DECISIONS.find((one) => DECIDED[one] === decision);
  return (word && CONTACT_KINDS[kind].answers[word]) ?? null;
}

/** Returns the maximum number of credits that the next run spends on one contact because of this decision. */
export function getMostCredits(kind: ContactQuestionKind, decision: QuestionDecision): number {
  return findContactAnswer(kind, decision)?.credits ?? 0;
}

/** Lists the answers that a kind of question allows, in the order of `HOLD_DECISIONS`. */
export function listDecisions(kind: QuestionKind): DecisionWord[] {
  const answers: ContactKind['answers'] | NetworkKind['answers'] = KINDS[kind].answers;
  return HOLD_DECISIONS.filter((word) => Object.hasOwn(answers, word));
}

/** Returns an object with a value for each reason for which a contact waits. */
export function forHoldReasons<Value>(
  toValue: (outcome: WaitingOutcome) => Value,
): Readonly<Record<HoldReason, Value>> {
  const entries = listContactKinds(() => true).flatMap((kind) => {
    const { outcome } = CONTACT_KINDS[kind];
    return outcome === null ? [] : [[kind, toValue(outcome)]];
  });
  return Object.fromEntries(entries);
}

/** Returns the kind of question with this reason. Throws a ConfigurationError (unknown) with the list of reasons. */
export function requireReason(word: string): QuestionKind {
  if (isKind(word)) return word;
  throw new ConfigurationError(
    `There is no reason "${word}"${didYouMean(word, REASONS) || '.'} Nothing was changed. The reasons for a decision: ${REASONS.join(', ')}`,
    { code: 'reason_unknown', refusal: 'unknown', details: { reason: word } },
  );
}

const REASONS = Object.keys(KINDS).sort();

/**
 * Returns the decisions that a user can make about all contacts with this reason. Empty if each contact needs its own
 * decision.
 */
export function decisionsAtOnce(reason: string): readonly DecisionWord[] {
  return isKind(reason) ? (KINDS[reason].atOnce ?? []) : [];
}
