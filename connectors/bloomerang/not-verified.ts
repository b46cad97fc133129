/**
 * Assumptions that nobody has tested in a real Bloomerang account. The guide contains the same table, and `doctor`
 * prints it. Users should know the assumptions before the first run.
 */
export interface NotVerified {
  question: string;
  /** The behaviour of donor-sync until a user has tested the assumption. */
  answer: string;
}

export const NOT_VERIFIED: readonly NotVerified[] = [
  {
    question: 'Whether a PUT keeps the parts of a constituent that the request does not contain',
    answer: 'The first write goes to one constituent, and donor-sync compares all of its parts.',
  },
  {
    question: 'Whether a PUT needs the names of an individual',
    answer:
      'donor-sync leaves the names out. If Bloomerang refuses a request without names, donor-sync reads the names right before each write.',
  },
  {
    question: 'How many requests Bloomerang allows',
    answer: 'crm.requestsPerSecond is 5. After a 429 or 503, donor-sync waits and tries again.',
  },
  {
    question: 'Whether a changed address or custom value changes the date of the last modification',
    answer: 'Each run reads all individuals.',
  },
  {
    question: 'Whether a plan or a permission hides groups from the API',
    answer:
      'If no constituent shows groups, donor-sync does not change networks, and the run reports the reason.',
  },
  {
    question: 'Whether a refusal identifies the refused field',
    answer: 'donor-sync finds the refused value by writing parts of the change.',
  },
  {
    question: 'Whether Bloomerang reports merged constituents anywhere',
    answer:
      'donor-sync counts a merged constituent as missing. If many constituents are missing, a user decides.',
  },
];
