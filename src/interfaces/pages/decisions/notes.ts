/** The notes that the next page can show. Its address only selects one of them. */
export const DECISION_NOTES = {
  decided: 'That was decided already.',
  withdrawn: 'Withdrawn. Nothing was changed.',
  second: 'Nothing has been decided yet: this waits for a second user.',
  confirmed: 'Confirmed.',
  refused: 'Refused. It is not done.',
  'too-late': 'It counts already, so it can no longer be withdrawn. Nothing was changed.',
} as const;

export type DecisionNote = keyof typeof DECISION_NOTES;
