import type { ContactKind } from './kind.ts';

/**
 * CRM workflows marked more contacts in a day than the limit allows. This contact is the first contact above the limit.
 */
export const workflowLimit = {
  outcome: null,
  hasSpentCredit: false,
  hasProfile: false,
  isOfKnownPerson: false,
  endsWithAnswer: true,
  waitsForRun: false,
  isAnsweredInCrm: false,
  name: 'Workflow limit',
  why: (detail) =>
    `workflows of the CRM marked ${detail ?? 'some'} more contacts that day than the settings allow, and it was the first of them`,
  answers: {
    approve: {
      label: 'Allow more that day',
      effect:
        'Until the end of that day (UTC), workflows may mark any number of contacts. Each costs at most one credit, within the budget. The marks beyond the limit so far were not kept.',
      event: null,
      credits: 0,
    },
    reject: {
      label: 'Leave the limit',
      effect: 'Nothing is marked beyond the limit.',
      event: null,
      credits: 0,
    },
  },
  decided: (word) =>
    word === 'approve'
      ? 'Decided: workflows may mark more contacts until the end of the day (UTC).'
      : 'Decided: nothing is marked beyond the limit.',
  refusal: 'Nothing was submitted, so there is nothing to submit again.',
} satisfies ContactKind;
