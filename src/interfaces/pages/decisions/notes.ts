/** What the next page says, whatever its address has. */
export const DECISION_NOTES = {
  decided: 'That was decided already.',
  'taken-back': 'Taken back. Nothing was changed.',
  second: 'Nothing is decided yet: it waits for a second person.',
  confirmed: 'Confirmed.',
  refused: 'Refused. Nothing of it is done.',
  'too-late': 'It counts already, so it cannot be taken back any more.',
} as const;

export type DecisionNote = keyof typeof DECISION_NOTES;
