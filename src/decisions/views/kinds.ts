/**
 * Every kind of question, declared once: its name, why it is asked, what a user may decide and what that user looks at. A
 * kind that lacks one of these does not compile. What a decision does to a contact is in `../statements/questions.ts`.
 */
import { BY_OBJECTION } from '../../contacts/many-at-once/opt-outs.ts';
import { formatCount } from '../../core/quantities.ts';
import type { QuestionKind } from '../../database/tables/decisions.ts';
import { changedPartsText } from '../../identity/changed-parts-text.ts';
import { LIST_CHANGED, parseChangedParts } from '../statements/batches.ts';
import { type ErasureSource, toErasureSource } from '../statements/erasure-requests.ts';

/** What a user may say. */
export const HOLD_DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type DecisionWord = (typeof HOLD_DECISIONS)[number];

interface Kind {
  /** In two words. */
  name: string;
  /** A sentence without its capital and its full stop, and without names. */
  why(detail: string | null, batchCount: number | undefined): string;
  decisions: readonly DecisionWord[];
  /** Whether a profile is behind it, which is shown to those who decide. */
  hasProfile: boolean;
}

const YES_OR_NO = ['approve', 'reject'] as const;

/** About a contact, with the profile that was bought for it. */
const OF_A_PROFILE = { decisions: HOLD_DECISIONS, hasProfile: true };
/** About a contact, with a profile that is not bought again. */
const OF_A_PROFILE_ONCE = { decisions: YES_OR_NO, hasProfile: true };
/** About a contact or a network itself. */
const OF_ITSELF = { decisions: YES_OR_NO, hasProfile: false };
/** It cannot be approved: it has to be fixed elsewhere, and can be hidden until then. */
const TO_BE_FIXED = { decisions: ['reject'] as const, hasProfile: false };

export const KINDS: Readonly<Record<QuestionKind, Kind>> = {
  name_mismatch: {
    ...OF_A_PROFILE,
    name: 'Names differ',
    why: (detail) => mismatchText(detail) ?? 'the name in the profile is not that of the contact',
  },
  match_unsure: {
    ...OF_A_PROFILE,
    name: 'Match is unsure',
    why: (detail) =>
      `the service gives its match a probability of ${detail ?? 'less than is asked for'}`,
  },
  lost_answer: {
    name: 'Answer was lost',
    why: (detail) =>
      `the answer to its submission was lost, and its credit may be spent${detail === null ? '' : ` (${detail})`}`,
    // There is no profile that could be approved.
    decisions: ['reject', 'resubmit'],
    hasProfile: false,
  },
  identity_mass_change: {
    // To approve a changed identity is to submit it again.
    ...OF_ITSELF,
    name: 'Details changed',
    why: massChangeReason,
  },
  contacts_missing: {
    ...OF_ITSELF,
    name: 'Missing from the CRM',
    why: (detail) =>
      `it is missing from the CRM with many others, and nothing says that it was deleted: approve if it is gone, reject to wait${detail === LIST_CHANGED ? `; ${LIST_CHANGE}` : ''}`,
  },
  mass_opt_out: {
    ...OF_ITSELF,
    name: 'Many opted out',
    why: (detail) =>
      `it was marked as opted out with many others${byMarks(detail === null ? [] : [detail])}: approve if the marks are right, reject if they are an error`,
  },
  erasure_requested: {
    ...OF_ITSELF,
    name: 'CRM asks for erasure',
    why: (detail) => erasureReason(toErasureSource(detail)),
  },
  profile_deceased: {
    ...OF_A_PROFILE,
    name: 'Has died',
    why: () => 'the profile says that this person has died',
  },
  values_of_two_people: {
    ...OF_A_PROFILE_ONCE,
    name: 'Change of person was refused',
    why: twoPeopleReason,
  },
  new_person_unknown: {
    decisions: HOLD_DECISIONS,
    hasProfile: false,
    name: 'Holds values of a former name',
    why: () =>
      'it has another name now, and the CRM still holds the values of the former name: approve if it is the same person, reject to blank these values',
  },
  donor_mass_change: {
    ...OF_A_PROFILE_ONCE,
    name: 'Another donor for many',
    why: () =>
      'the service now gives another donor for it, and for many others that did not change',
  },
  forgotten_person: {
    ...OF_ITSELF,
    name: 'Looks like an erased person',
    why: () =>
      'it looks like a person who was erased: approve if it is another one, reject to block this id too',
  },
  group_shrunk: {
    ...OF_ITSELF,
    name: 'Group has shrunk',
    why: (detail) => `${detail ?? 'many'} members would leave the network: more than half`,
  },
  group_unreadable: {
    ...TO_BE_FIXED,
    name: 'Group cannot be read',
    why: (detail) =>
      `the group cannot be read to its end (${detail ?? 'unknown'}); no member is added or removed`,
  },
  network_deleted: {
    ...OF_ITSELF,
    name: 'Network is gone',
    why: (detail) =>
      `the service does not have the network any more; making it anew takes ${detail ?? 'some'} credits`,
  },
  name_taken: {
    ...TO_BE_FIXED,
    name: 'Name is taken',
    why: () => 'another network of the service has this name',
  },
  network_refused: {
    ...TO_BE_FIXED,
    name: 'Network was refused',
    why: (detail) =>
      `the service refuses the network or its members (${detail ?? 'no reason given'})`,
  },
};

/** True of a word that is a kind of question. */
export function isKind(word: string): word is QuestionKind {
  return Object.hasOwn(KINDS, word);
}

/** What the name guard found; its words are in `name-guard.ts`. */
const MISMATCHES: ReadonlyMap<string | null, string> = new Map([
  ['last_name_differs', 'the profile has another last name'],
  ['first_name_unrelated', 'the profile has a first name that is no form of the contact’s'],
  ['profile_name_missing', 'the profile has no name to compare'],
]);

/** What a word of the name guard means; null for any other word. */
export function mismatchText(detail: string | null): string | null {
  return MISMATCHES.get(detail) ?? null;
}

/** `detail` is what the CRM said, or a word of the delivery. */
function twoPeopleReason(detail: string | null): string {
  const tail = 'approve to try again, reject to keep the former values';
  if (detail === 'not_together') {
    return `the values of another person have to be replaced at once, which this CRM's connector cannot do: ${tail}`;
  }
  const [, hidden] = detail?.split('hidden: ') ?? [];
  if (hidden !== undefined) {
    return `the CRM no longer shows fields that may hold values of another person (${hidden}): show them again, or approve if they are gone`;
  }
  return `the CRM does not accept all values of the new person at once (${detail ?? 'no reason given'}), so nothing was written: ${tail}`;
}

/** Why one contact is to be erased; the tail of a sentence without its full stop. */
function erasureReason(source: ErasureSource): string {
  const decide = 'approve to erase it, reject to keep it';
  switch (source) {
    case 'crm_event':
      return `the CRM deleted it for privacy: ${decide}`;
    case 'should_forget':
      return `the CRM marks it to be forgotten (ShouldForget): ${decide}`;
    case 'privacy_hold':
      return 'the CRM marks it to be forgotten (ShouldForget), and a privacy hold of the CRM (HasPrivacyHold) forbids the erasure: end the hold in the CRM first, or reject to keep it';
    case 'objection':
      return `its person objects to profiling (HasOptedOutProfiling): ${decide}`;
    case 'merged':
      return `a contact that was merged into it was deleted in the CRM for privacy: ${decide}`;
  }
}

/** How contacts were marked, for the middle of a sentence; empty if the settings name no field. */
export function byMarks(marks: readonly string[]): string {
  if (marks.length === 0) return '';
  const ways = marks.map((mark) =>
    mark === BY_OBJECTION ? 'by objections' : `by the field "${mark}"`,
  );
  return ` ${ways.join(' and ')}`;
}

export const LIST_CHANGE =
  'the settings that make the list (filter, file or columns) have changed since it was last complete';

/** Why a contact of a batch is held: a sentence without its capital and its full stop. */
function massChangeReason(detail: string | null, batchCount: number | undefined): string {
  const changed = changedPartsText(parseChangedParts(detail));
  if (batchCount === 2) return `its ${changed} changed, with that of 1 other`;
  const others = batchCount === undefined || batchCount < 2 ? 'many' : formatCount(batchCount - 1);
  return `its ${changed} changed, with those of ${others} others`;
}
