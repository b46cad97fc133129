/** What somebody is to an organization, as far as a sentence tells it apart. */
export type TieKind = 'board' | 'service' | 'work' | 'school' | 'gift';

/** A relationship in our words. */
export interface Tie {
  kind: TieKind;
  /** True if the service's word says that it is over. */
  isOver: boolean;
}

/**
 * The service's words for relationships. The complete set is not documented (section 2.2): a word
 * that is not here makes a plainer sentence.
 */
const TIES = {
  sits_on_board_of: { kind: 'board', isOver: false },
  sat_on_board_of: { kind: 'board', isOver: true },
  served_in: { kind: 'service', isOver: true },
  serves_in: { kind: 'service', isOver: false },
  works_for: { kind: 'work', isOver: false },
  worked_for: { kind: 'work', isOver: true },
  attends: { kind: 'school', isOver: false },
  attended: { kind: 'school', isOver: true },
  donates_to: { kind: 'gift', isOver: false },
  donated_to: { kind: 'gift', isOver: true },
} as const satisfies Record<string, Tie>;

/** The tie that a relationship is; null for a word that nobody has heard of. */
export function tieOf(relationship: string | null): Tie | null {
  const word = relationship?.trim().toLowerCase().replaceAll(' ', '_') ?? '';
  return isKnown(word) ? TIES[word] : null;
}

function isKnown(word: string): word is keyof typeof TIES {
  return Object.hasOwn(TIES, word);
}
