import { describeCount } from '../quantities.ts';
import type { DecisionWord } from './decisions.ts';
import type { ContactKind } from './kind.ts';

/** The contact looks like an erased person, or the CRM merged an erased contact into this contact. */
export const forgottenPerson = {
  outcome: {
    text: 'looks like a person who was erased with "forget"; a user decides',
    means:
      'The contact looks like an erased person. Either it has the same name with the same address or employer and a different ID, or the CRM merged an erased contact into it. donor-sync sends and writes nothing.',
    next: 'Use `donor-sync holds approve` if it is a different person. donor-sync then treats the contact like any other contact, and does not ask again. `reject` also blocks this ID. Then `donor-sync forget` erases its remaining data.',
    costs: 'Nothing for `reject`. `approve` costs one credit, as for a new contact.',
  },
  hasSpentCredit: false,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: false,
  waitsForRun: true,
  isAnsweredInCrm: true,
  name: 'Looks like an erased person',
  why: () =>
    'it looks like a person who was erased: approve if it is another person, reject to block this ID too',
  answers: {
    approve: {
      label: 'It is another person',
      effect: 'The next sync continues with the contact, and does not ask again.',
      event: 'distinguished',
      credits: 0,
    },
    reject: {
      label: 'It is the erased person',
      effect: 'This ID is blocked too. To erase the values of an earlier sync, use "forget".',
      event: 'confirmedErased',
      credits: 0,
    },
  },
  decided: describeErased,
  refusal: 'This decision is about a contact that looks like an erased person.',
} satisfies ContactKind;

function describeErased(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  return word === 'approve'
    ? `${holds} approved as people other than the erased person. The next sync continues and does not ask again.`
    : `${holds} rejected and blocked like the erased person. \`donor-sync forget\` erases the values that were written before.`;
}
