/**
 * Assumptions that nobody has verified in a real Bloomerang account. The guide has the same table, and `doctor` shows
 * it, because users of a preview should know them before the first run.
 */
export interface NotVerified {
  question: string;
  /** How donor-sync works until somebody knows. */
  answer: string;
}

export const NOT_VERIFIED: readonly NotVerified[] = [
  {
    question: 'Whether a PUT keeps the parts of a constituent that it does not name',
    answer: 'the first write goes to one constituent, which is compared in all parts',
  },
  {
    question: 'Whether a PUT needs the names of an individual',
    answer: 'they are left out; if Bloomerang refuses this, they are read right before each write',
  },
  {
    question: 'How many requests Bloomerang allows',
    answer: 'crm.requestsPerSecond is 5; after a 429 or 503, donor-sync waits and tries again',
  },
  {
    question: 'Whether a changed address or custom value changes the date of the last modification',
    answer: 'each run reads all individuals',
  },
  {
    question: 'Whether a plan or a permission hides groups from the API',
    answer: 'if no constituent shows groups, networks are not changed, and the run says so',
  },
  {
    question: 'How a refusal names the field that it is about',
    answer: 'the refused value is found by writing parts of the change',
  },
  {
    question: 'Whether merged constituents are reported anywhere',
    answer: 'a merged constituent counts as missing; if many are missing, a user decides',
  },
];
