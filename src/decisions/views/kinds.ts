/**
 * Also declares what the user sees. A kind with a missing text does not compile. `batch-kinds.ts` has the texts for
 * batches, and `../statements/questions.ts` the effects.
 */

import { PAID_BEFORE, parsePaidBefore } from '../../contacts/many-at-once/paid-since-backup.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { didYouMean } from '../../core/near-miss.ts';
import { describeCount, formatCount } from '../../core/quantities.ts';
import type { QuestionKind } from '../../core/question-kinds.ts';
import { changedPartsText } from '../../identity/changed-parts-text.ts';
import { LIST_CHANGED, parseChangedParts } from '../statements/batches.ts';
import { type ErasureSource, toErasureSource } from '../statements/erasure-requests.ts';
import { BATCH_KINDS, byMarks, LIST_CHANGE } from './batch-kinds.ts';

/** The words that users type. */
export const HOLD_DECISIONS = ['approve', 'reject', 'resubmit'] as const;
export type DecisionWord = (typeof HOLD_DECISIONS)[number];

export interface Answer {
  /** The label of a button, or of a command option. */
  label: string;
  /** The consequences, in whole sentences. */
  effect: string;
}

type Answers = Readonly<Partial<Record<DecisionWord, Answer>>>;

interface Kind {
  /** The kind's name, in two words. */
  name: string;
  /** Starts in lower case and has no full stop. Contains no names. */
  why(detail: string | null, batchCount: number | undefined): string;
  answers: Answers;
  /** What the decision does, in whole sentences. */
  decided(word: DecisionWord, count: number): string;
  /** Why other decisions are impossible, in a whole sentence. If omitted, `why` explains it. */
  refusal?: string;
  /** Decisions that are possible for all questions of this kind together. Omitted if there are none. */
  atOnce?: readonly DecisionWord[];
  /** True if the question has a profile, which readers can see. */
  hasProfile: boolean;
}

const WRITE = 'The next sync writes the profile into the CRM.';

const ASK_AGAIN: Answer = {
  label: 'Ask again (1 credit)',
  effect: 'The next sync submits it to the service again.',
};

const KEEP_FORMER: Answer = {
  label: 'Keep the former values',
  effect: 'The contact is left as it is.',
};

/** Whether the contact is the person whose profile was bought. */
const SAME_OR_ANOTHER: Answers = {
  approve: { label: 'It is the same person', effect: WRITE },
  reject: { label: 'It is another person', effect: 'The contact is left alone.' },
  resubmit: ASK_AGAIN,
};

const OF_A_PROFILE = { hasProfile: true, decided: decidedText };
const OF_A_CONTACT = { hasProfile: false, decided: decidedText };
const OF_A_NETWORK = {
  hasProfile: false,
  decided: networkDecidedText,
  refusal: 'This decision is about a network, so there is nothing to submit again.',
};

export const KINDS: Readonly<Record<QuestionKind, Kind>> = {
  name_mismatch: {
    ...OF_A_PROFILE,
    name: 'Names differ',
    why: (detail) =>
      mismatchText(detail) ?? "the name in the profile differs from the contact's name",
    answers: SAME_OR_ANOTHER,
    atOnce: HOLD_DECISIONS,
  },
  match_unsure: {
    ...OF_A_PROFILE,
    name: 'Match is unsure',
    why: (detail) =>
      `the service reports a match probability of ${detail ?? 'less than the required value'}`,
    answers: SAME_OR_ANOTHER,
    atOnce: HOLD_DECISIONS,
  },
  lost_answer: {
    ...OF_A_CONTACT,
    name: 'Response was lost',
    why: (detail) =>
      `the response to its submission was lost, and its credit may have been spent${detail === null ? '' : ` (${detail})`}`,
    answers: {
      reject: { label: 'Leave it alone', effect: 'Nothing is written to the contact.' },
      resubmit: ASK_AGAIN,
    },
    refusal: 'The response was lost, so there is no profile to approve.',
    atOnce: ['reject', 'resubmit'],
  },
  identity_mass_change: {
    name: 'Details changed',
    why: massChangeReason,
    answers: {
      // Approving a changed identity submits the contact again.
      approve: {
        label: 'Ask again (1 credit)',
        effect: 'The next sync submits the new details to the service.',
      },
      reject: {
        label: 'It is the same person',
        effect: 'The new details are accepted. No credit is spent.',
      },
    },
    decided: BATCH_KINDS.identity_mass_change.decided,
    refusal: 'This decision is about changed details, and nothing has been submitted yet.',
    hasProfile: false,
  },
  paid_since_backup: {
    name: 'Perhaps paid for',
    why: (detail) => {
      const paidBefore = parsePaidBefore(detail);
      return paidBefore === null
        ? 'the database was restored from a backup, and it may have been paid for after the backup'
        : `it was paid for: ${PAID_BEFORE[paidBefore]}`;
    },
    answers: {
      approve: {
        label: 'Buy it (1 credit)',
        effect: 'The next sync submits it and spends one credit, perhaps a second time.',
      },
      reject: {
        label: 'It is paid for',
        effect: 'No credit is spent until it changes or its profile would have become too old.',
      },
    },
    decided: BATCH_KINDS.paid_since_backup.decided,
    refusal:
      'This decision is about a contact that may be paid for, and nothing has been submitted yet.',
    hasProfile: false,
  },
  contacts_missing: {
    name: 'Missing from the CRM',
    why: (detail) =>
      `it is missing from the CRM with many others, and nothing shows that it was deleted: approve if it is gone, reject to wait${detail === LIST_CHANGED ? `; ${LIST_CHANGE}` : ''}`,
    answers: {
      approve: {
        label: 'It is gone',
        effect: 'It counts as removed. If it comes back, it costs no further credit.',
      },
      reject: {
        label: 'Wait for it',
        effect: 'It is kept. If it is still missing in seven days, donor-sync asks again.',
      },
    },
    decided: BATCH_KINDS.contacts_missing.decided,
    refusal: 'This decision is about a contact that is missing from the CRM.',
    hasProfile: false,
  },
  mass_opt_out: {
    name: 'Many opted out',
    why: (detail) =>
      `it was marked as opted out with many others${byMarks(detail === null ? [] : [detail])}: approve if the marks are correct, reject if they are an error`,
    answers: {
      approve: {
        label: 'The mark is correct',
        effect: 'Its profile is deleted 30 days after donor-sync first detected the mark.',
      },
      reject: {
        label: 'The mark is an error',
        effect: 'Its profile is kept, and delivered once the mark is gone.',
      },
    },
    decided: BATCH_KINDS.mass_opt_out.decided,
    refusal: 'This decision is about an opt-out mark.',
    hasProfile: false,
  },
  workflow_limit: {
    ...OF_A_CONTACT,
    name: 'Workflow limit',
    why: (detail) =>
      `workflows of the CRM marked ${detail ?? 'some'} more contacts that day than the settings allow, and it was the first of them`,
    answers: {
      approve: {
        label: 'Allow more that day',
        effect:
          'Until the end of that day (UTC), workflows may mark any number of contacts. Each costs at most one credit, within the budget. The marks beyond the limit so far were not kept.',
      },
      reject: {
        label: 'Leave the limit',
        effect: 'Nothing is marked beyond the limit.',
      },
    },
    decided: (word) =>
      word === 'approve'
        ? 'Decided: workflows may mark more contacts until the end of the day (UTC).'
        : 'Decided: nothing is marked beyond the limit.',
    refusal: 'Nothing was submitted, so there is nothing to submit again.',
  },
  erasure_requested: {
    name: 'CRM requests erasure',
    why: (detail) => erasureReason(toErasureSource(detail)),
    answers: {
      approve: {
        label: 'Erase it',
        effect: 'All data about it is erased, both here and in the fields that donor-sync wrote.',
      },
      reject: {
        label: 'Keep it',
        effect: 'Nothing is erased. It is not researched as long as the CRM marks it.',
      },
    },
    decided: BATCH_KINDS.erasure_requested.decided,
    hasProfile: false,
  },
  profile_deceased: {
    ...OF_A_PROFILE,
    name: 'Has died',
    why: () => 'the profile says that this person has died',
    answers: {
      approve: { label: 'Write it anyway', effect: WRITE },
      reject: { label: 'Leave it alone', effect: 'Nothing is written to the contact.' },
      resubmit: ASK_AGAIN,
    },
    atOnce: ['approve', 'reject'],
  },
  values_of_two_people: {
    ...OF_A_PROFILE,
    name: 'Change of person was refused',
    why: twoPeopleReason,
    answers: {
      approve: {
        label: 'Try again',
        effect: 'The next sync tries to replace all values at once. No credit is spent.',
      },
      reject: KEEP_FORMER,
    },
    refusal: 'Its profile is available and is not bought again.',
    atOnce: ['approve', 'reject'],
  },
  new_person_unknown: {
    ...OF_A_CONTACT,
    name: 'Holds values of a former name',
    why: () =>
      'it has another name now, and the CRM still contains the values for the former name: approve if it is the same person, reject to clear these values',
    answers: {
      approve: {
        label: 'Same person, new name',
        effect: 'The values stay as they are. No credit is spent.',
      },
      reject: {
        label: "Clear donor-sync's values",
        effect: 'The next sync clears the values that donor-sync wrote to this contact.',
      },
      resubmit: ASK_AGAIN,
    },
  },
  donor_mass_change: {
    ...OF_A_PROFILE,
    name: 'Another donor for many',
    why: () =>
      'the service now matches it to another donor, as it does many other contacts that did not change',
    answers: {
      approve: {
        label: 'Write the new profile',
        effect: 'The next sync replaces all values of the former donor at once.',
      },
      reject: KEEP_FORMER,
    },
    refusal: 'Its profile is available and is not bought again.',
    atOnce: ['approve', 'reject'],
  },
  forgotten_person: {
    name: 'Looks like an erased person',
    why: () =>
      'it looks like a person who was erased: approve if it is another person, reject to block this ID too',
    answers: {
      approve: {
        label: 'It is another person',
        effect: 'The next sync continues with the contact, and does not ask again.',
      },
      reject: {
        label: 'It is the erased person',
        effect: 'This ID is blocked too. To erase the values of an earlier sync, use "forget".',
      },
    },
    decided: erasedDecidedText,
    refusal: 'This decision is about a contact that looks like an erased person.',
    hasProfile: false,
  },
  group_shrunk: {
    ...OF_A_NETWORK,
    name: 'Group has shrunk',
    why: (detail) => `${detail ?? 'many'} members would leave the network: more than half`,
    answers: {
      approve: { label: 'Let them go', effect: 'The next sync removes them from the network.' },
      reject: {
        label: 'Keep them',
        effect: 'The network stays as it is until the group changes.',
      },
    },
  },
  group_unreadable: {
    ...OF_A_NETWORK,
    name: 'Group cannot be read',
    why: (detail) =>
      `the group cannot be read completely (${detail ?? 'unknown'}); no member is added or removed`,
    ...toBeFixed('Correct the group in the CRM, or name another one in the settings'),
  },
  network_deleted: {
    ...OF_A_NETWORK,
    name: 'Network is gone',
    why: (detail) =>
      `the service no longer has the network; creating it again costs ${detail ?? 'some'} credits`,
    answers: {
      approve: {
        label: 'Create it again',
        effect: 'The next sync spends the credits named above.',
      },
      reject: { label: 'Leave it', effect: 'The network is no longer mirrored.' },
    },
  },
  name_taken: {
    ...OF_A_NETWORK,
    name: 'Name is taken',
    why: () => 'another network at the service has this name',
    ...toBeFixed('Give one of the two networks another name, here or at the service'),
  },
  network_refused: {
    ...OF_A_NETWORK,
    name: 'Network was refused',
    why: (detail) =>
      `the service refuses the network or its members (${detail ?? 'no reason given'})`,
    ...toBeFixed('Correct the refused value in the settings, for example a name that is too long'),
  },
};

/** A kind that cannot be approved. Its cause must be fixed elsewhere, and users can hide the question until then. */
function toBeFixed(fix: string): Pick<Kind, 'answers' | 'refusal'> {
  const effect = `${fix}. Then the hold is released automatically.`;
  return {
    answers: { reject: { label: 'Hide it', effect } },
    refusal: `It cannot be approved. ${effect}`,
  };
}

/** In the order of `HOLD_DECISIONS`. */
export function listDecisions({ answers }: Pick<Kind, 'answers'>): DecisionWord[] {
  return HOLD_DECISIONS.filter((word) => answers[word] !== undefined);
}

function decidedText(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  switch (word) {
    case 'approve':
      return `${holds} approved. The next sync writes the profiles.`;
    case 'reject':
      return `${holds} rejected. The contacts are left alone.`;
    case 'resubmit':
      return `${holds} to be submitted again. The next sync spends ${describeCount(count, 'credit')} on that.`;
  }
}

function erasedDecidedText(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  return word === 'approve'
    ? `${holds} approved as people other than the erased person. The next sync continues and does not ask again.`
    : `${holds} rejected and blocked like the erased person. \`donor-sync forget\` erases the values that were written before.`;
}

function networkDecidedText(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  return word === 'approve'
    ? `${holds} about networks approved. The next sync carries this out.`
    : `${holds} about networks rejected. The networks stay unchanged until something else changes.`;
}

export function isKind(word: string): word is QuestionKind {
  return Object.hasOwn(KINDS, word);
}

/** Explanations for the name guard's results. The guard is in `name-guard.ts`. */
const MISMATCHES: ReadonlyMap<string | null, string> = new Map([
  ['last_name_differs', 'the profile has a different last name'],
  ['first_name_unrelated', 'the profile has a first name that is not a form of the contact’s'],
  ['profile_name_missing', 'the profile has no name to compare'],
]);

export function mismatchText(detail: string | null): string | null {
  return MISMATCHES.get(detail) ?? null;
}

/** Why values of two people would be mixed. `detail` is the CRM's message or a delivery's result. */
function twoPeopleReason(detail: string | null): string {
  const tail = 'approve to try again, reject to keep the former values';
  if (detail === 'not_together') {
    return `the values of another person have to be replaced at once, which this CRM's connector cannot do: ${tail}`;
  }
  const [, hidden] = detail?.split('hidden: ') ?? [];
  if (hidden !== undefined) {
    return `the CRM no longer shows fields that may hold values of another person (${hidden}): make the fields visible again, or approve if the values are gone`;
  }
  return `the CRM does not accept all values of the new person at once (${detail ?? 'no reason given'}), so nothing was written: ${tail}`;
}

/** Why one contact is to be erased. The end of a sentence without a full stop. */
function erasureReason(source: ErasureSource): string {
  const decide = 'approve to erase it, reject to keep it';
  switch (source) {
    case 'crm_event':
      return `the CRM deleted it for privacy: ${decide}`;
    case 'should_forget':
      return `the CRM marks it to be forgotten (ShouldForget): ${decide}`;
    case 'privacy_hold':
      return 'the CRM marks it to be forgotten (ShouldForget), and a privacy hold in the CRM (HasPrivacyHold) forbids the erasure. End the hold in the CRM first, or reject to keep it';
    case 'objection':
      return `the person objects to profiling (HasOptedOutProfiling): ${decide}`;
    case 'merged':
      return `a contact that was merged into it was deleted in the CRM for privacy: ${decide}`;
  }
}

/** Why a batch's contact is held. Starts in lower case and has no full stop. */
function massChangeReason(detail: string | null, batchCount: number | undefined): string {
  const changed = changedPartsText(parseChangedParts(detail));
  if (batchCount === 2) return `its ${changed} changed together with those of 1 other contact`;
  const others = batchCount === undefined || batchCount < 2 ? 'many' : formatCount(batchCount - 1);
  return `its ${changed} changed together with those of ${others} others`;
}

/** Null stays null. Throws a ConfigurationError (unknown) with the list of reasons. */
export function requireReason(word: string): QuestionKind {
  if (isKind(word)) return word;
  throw new ConfigurationError(
    `There is no reason "${word}"${didYouMean(word, REASONS) || '.'} Nothing was changed. The reasons for a decision: ${REASONS.join(', ')}`,
    { code: 'reason_unknown', refusal: 'unknown', details: { reason: word } },
  );
}

const REASONS = Object.keys(KINDS).sort();

/** Decisions for all contacts with this reason. Empty if each contact needs its own decision. */
export function decisionsAtOnce(reason: string): readonly DecisionWord[] {
  return isKind(reason) ? (KINDS[reason].atOnce ?? []) : [];
}
