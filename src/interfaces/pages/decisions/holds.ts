/** What may be said about a hold, in the words of the pages. */
import type { Integration } from '../../../core/integration.ts';
import type { NetworkQuestion, Question } from '../../../decisions/statements/questions.ts';
import type { DecisionWord } from '../../../decisions/views/kinds.ts';
import { decisionsFor } from '../../../decisions/views/question.ts';

/** One of the decisions that make sense for a hold. */
export interface Choice {
  decision: DecisionWord;
  label: string;
  /** What happens then, before anybody says it. */
  effect: string;
}

/** The decisions that make sense; without a profile none that would write it. */
export function choicesFor(hold: Question, { isGone = false } = {}): Choice[] {
  return decisionsFor(hold)
    .filter((decision) => !(isGone && decision === 'approve'))
    .map((decision) => ({ decision, ...getLabel(hold, decision) }));
}

type Label = Pick<Choice, 'label' | 'effect'>;

function getLabel(hold: Question, decision: DecisionWord): Label {
  if (hold.about === 'contact') {
    return (LABELS_BY_KIND.get(hold.kind) ?? CONTACT_LABELS)[decision];
  }
  return decision === 'approve' ? getApprovalLabel(hold) : getRejectionLabel(hold);
}

const CONTACT_LABELS: Readonly<Record<DecisionWord, Label>> = {
  approve: {
    label: 'It is the same person',
    effect: 'The next sync writes the profile into the CRM.',
  },
  reject: { label: 'It is another person', effect: 'The contact is left alone.' },
  resubmit: {
    label: 'Ask again (1 credit)',
    effect: 'The next sync asks the service once more.',
  },
};

const DECEASED_LABELS: Readonly<Record<DecisionWord, Label>> = {
  approve: {
    label: 'Write it all the same',
    effect: 'The next sync writes the profile into the CRM.',
  },
  reject: { label: 'Leave it alone', effect: 'Nothing is written into the contact.' },
  resubmit: CONTACT_LABELS.resubmit,
};

const TWO_PEOPLE_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'Try again',
    effect: 'The next sync tries to replace all values at once. No credit is spent.',
  },
  reject: { label: 'Keep the former values', effect: 'The contact is left as it is.' },
};

const FORMER_NAME_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'Same person, new name',
    effect: 'The values stay as they are. No credit is spent.',
  },
  reject: {
    label: 'Blank our values',
    effect: 'The next sync clears what donor-sync wrote into this contact.',
  },
};

const DONOR_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'Write the new profile',
    effect: 'The next sync replaces all values of the former donor at once.',
  },
  reject: { label: 'Keep the former values', effect: 'The contact is left as it is.' },
};

const CHANGE_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'Ask again (1 credit)',
    effect: 'The next sync asks the service about the new details.',
  },
  reject: {
    label: 'It is the same person',
    effect: 'The new details are taken over. No credit is spent.',
  },
};

const ERASED_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'It is another person',
    effect: 'The next sync goes on with the contact, and does not ask again.',
  },
  reject: {
    label: 'It is the erased person',
    effect: 'This id is blocked too. What an earlier sync has written is erased with "forget".',
  },
};

const MISSING_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'It is gone',
    effect: 'It counts as removed. If it comes back, it costs no further credit.',
  },
  reject: {
    label: 'Wait for it',
    effect: 'It is kept. If it is still missing in seven days, donor-sync asks again.',
  },
};

const OPT_OUT_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'The mark is right',
    effect: 'Its profile is deleted 30 days after the mark was set.',
  },
  reject: {
    label: 'The mark is an error',
    effect: 'Its profile is kept, and delivered once the mark is gone.',
  },
};

const ERASURE_LABELS: Readonly<Record<DecisionWord, Label>> = {
  ...CONTACT_LABELS,
  approve: {
    label: 'Erase it',
    effect: 'All data about it is erased, here and in the fields that donor-sync wrote.',
  },
  reject: {
    label: 'Keep it',
    effect: 'Nothing is erased. It is not researched as long as the CRM marks it.',
  },
};

const LABELS_BY_KIND: ReadonlyMap<string, Readonly<Record<DecisionWord, Label>>> = new Map([
  ['identity_mass_change', CHANGE_LABELS],
  ['contacts_missing', MISSING_LABELS],
  ['mass_opt_out', OPT_OUT_LABELS],
  ['erasure_requested', ERASURE_LABELS],
  ['profile_deceased', DECEASED_LABELS],
  ['values_of_two_people', TWO_PEOPLE_LABELS],
  ['new_person_unknown', FORMER_NAME_LABELS],
  ['donor_mass_change', DONOR_LABELS],
  ['forgotten_person', ERASED_LABELS],
]);

function getApprovalLabel({ kind, detail }: NetworkQuestion): Label {
  return kind === 'group_shrunk'
    ? { label: 'Let them go', effect: 'The next sync removes them from the network.' }
    : { label: 'Make it anew', effect: `That takes ${detail ?? 'some'} credits.` };
}

function getRejectionLabel({ kind }: NetworkQuestion): Label {
  switch (kind) {
    case 'group_shrunk':
      return { label: 'Keep them', effect: 'The network stays as it is until the group changes.' };
    case 'network_deleted':
      return { label: 'Leave it', effect: 'The network is not mirrored any more.' };
    case 'group_unreadable':
      return hide('Correct the group in the CRM, or name another one in the settings');
    case 'name_taken':
      return hide('Rename one of the two networks');
    case 'network_refused':
      return hide('Correct in the settings what is refused');
  }
}

/** What cannot be approved has to be fixed elsewhere. */
function hide(fix: string): Label {
  return { label: 'Hide it', effect: `${fix}: then the hold goes by itself.` };
}

/**
 * The page of a contact in its CRM; null where the settings do not tell where that is. A My Domain
 * of Salesforce shows the record of any id. HubSpot's pages need the number of the account, which
 * is kept nowhere, and a file has no pages.
 */
export function recordUrl({ crm }: Pick<Integration, 'crm'>, contactId: string): string | null {
  const { kind, url } = crm;
  if (kind !== 'salesforce' || typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, hostname, origin } = new URL(url);
  if (protocol !== 'https:' || !hostname.endsWith('.my.salesforce.com')) return null;
  return `${origin}/${encodeURIComponent(contactId)}`;
}
