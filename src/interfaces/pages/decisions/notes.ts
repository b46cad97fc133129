/** The notes that the next page can show. The page's address contains only the name of a note. */
export const DECISION_NOTES = {
  decided: 'This has already been decided.',
  withdrawn: 'Withdrawn. Nothing was changed.',
  second: 'Nothing has been decided yet: this is waiting for a second user.',
  confirmed: 'Confirmed.',
  refused: 'Refused. The action is not carried out.',
  'too-late':
    'The answer has already taken effect, so it can no longer be withdrawn. Nothing was changed.',
} as const;

export type DecisionNote = keyof typeof DECISION_NOTES;
