/** Composes a sentence about a connection. */

import { calendarYear } from './calendar.ts';
import { TIE_KINDS, type TieKind } from './formula.ts';

/** Returns a person's relationship with an organisation in the service's words (service document, section 2.2). */
export function relationshipOf(kind: TieKind, isPresent: boolean): string {
  switch (kind) {
    case 'board':
      return 'sits_on_board_of';
    case 'service':
      return 'served_in';
    case 'work':
      return isPresent ? 'works_for' : 'worked_for';
    case 'school':
      return isPresent ? 'attends' : 'attended';
    case 'gift':
      return 'donates_to';
  }
}

export interface Meeting {
  organisationName: string;
  kinds: readonly [TieKind, TieKind];
  /** The first and the last day on which both people belonged to the organisation. */
  from: number;
  to: number;
  /** True if both people still belong to the organisation. */
  isPresent: boolean;
}

/** The maximum number of further organisations that the sentence names. All other organisations are only counted. */
const MAX_NAMED = 2;

/**
 * Returns a sentence that is correct for both donors, such as "Both on the board of Riverside Food Bank, 2012–2018;
 * also Hill College". The order of the kinds does not matter.
 */
export function snippetOf(meeting: Meeting, further: readonly string[]): string {
  return `${whatOf(meeting)}${whenOf(meeting)}${alsoOf(further)}`;
}

function whatOf({ organisationName: name, kinds, isPresent }: Meeting): string {
  const [one, other] = kinds.toSorted((a, b) => TIE_KINDS.indexOf(a) - TIE_KINDS.indexOf(b));
  if (one === undefined || other === undefined || one === other) {
    return sameKind(kinds[0], name, isPresent);
  }
  return `${WORDS[one].noun} and ${WORDS[other].noun.toLowerCase()} of ${name}`;
}

function sameKind(kind: TieKind, name: string, isPresent: boolean): string {
  const isBoardItself = /\b(board|committee|commission|council|conference|panel)\b/i.test(name);
  if (kind === 'board' && isBoardItself) return `Both members of ${name}`;
  return `Both ${isPresent ? WORDS[kind].present : WORDS[kind].past} ${name}`;
}

/** The text for two people with the same relationship, and the text for two people with different relationships. */
const WORDS = {
  board: { past: 'on the board of', present: 'on the board of', noun: 'Board member' },
  service: { past: 'served in', present: 'serving in', noun: 'Member' },
  work: { past: 'worked at', present: 'working at', noun: 'Employee' },
  school: { past: 'attended', present: 'attending', noun: 'Student' },
  gift: { past: 'gave to', present: 'giving to', noun: 'Donor' },
} satisfies Record<TieKind, { past: string; present: string; noun: string }>;

function whenOf({ from, to, isPresent }: Meeting): string {
  const first = calendarYear(from);
  const last = calendarYear(to);
  if (isPresent) return ` since ${first}`;
  return first === last ? `, ${first}` : `, ${first}–${last}`;
}

function alsoOf(further: readonly string[]): string {
  if (further.length === 0) return '';
  const named = further.slice(0, MAX_NAMED).join(', ');
  const rest = further.length - MAX_NAMED;
  return `; also ${named}${rest > 0 ? ` and ${rest} more` : ''}`;
}
