/**
 * Reads the parts of a question about relationships with organisations, for example as a board member, employee,
 * student or donor.
 */

import type { Filters, TieFilter } from '../criteria.ts';
import { type Clause, clausePattern, LEAD, type Words } from './clause.ts';
import { dollarsIn, inDollars, MONEY, OVER } from './money.ts';

/**
 * A pattern for an organisation's name. An organisation's name is a text in quotes, or the words before the next
 * clause.
 */
const ORGANISATION = String.raw`(?:(?:the|an?)\s+)?(?:"(?<quoted>[^"]+)"|(?<organization>[^|,;"]+?)(?=\s*(?:[|,;]|$)|\s+(?:who|whose|that|with|since|before|after|during|and\s+(?:who|whose|have|has|are|is|also|live|lives|work|works|worked|gave|give|donated|serve|sit|sat|attended|studied|alumni|board|graduates|employees))\b))`;

const FORMER = String.raw`(?:\b(?<former>former|past|retired|ex)[\s-]+)?`;

/** Titles that people usually shorten, with their full forms. */
const TITLES = new Map([
  ['ceo', 'chief executive officer'],
  ['cfo', 'chief financial officer'],
  ['cto', 'chief technology officer'],
  ['coo', 'chief operating officer'],
  ['vp', 'vice president'],
  ['executive', 'chief officer'],
]);

const TITLE = String.raw`(?<title>(?:senior |managing |vice |general |chief \w+ |regional )?(?:CEO|CFO|CTO|COO|VP|executive|officer|president|partner|founder|engineer|analyst|counsel|controller|manager|supervisor|technician|designer|associate|director|judge|justice|senator|representative|governor|professor|attorney))s?`;

/** The kinds of statements about relationships. The most precise kinds come first. */
export const TIE_CLAUSES: readonly Clause[] = [
  {
    pattern: clausePattern(
      `${LEAD}${FORMER}\\b(?:boards?\\s+(?:members?|(?<chair>chair)(?:s|men|man|woman|women|persons?)?|directors?|trustees?)|trustees?`,
      `|(?:(?:directors?|members?|trustees?)\\s+)?(?:(?<tense>sat|served|serving|serves?|sit|sits|sitting)\\s+)?on\\s+(?:the\\s+|an?\\s+)?(?:board|boards)(?:\\s+of\\s+(?:directors|trustees))?)\\b`,
      `(?:\\s+(?:of|at|for|from)\\s+${ORGANISATION})?`,
    ),
    read: (words, filters) =>
      addTie(filters, {
        relationship: 'sits_on_board_of',
        organization: organisationIn(words),
        title: words.group('chair') === undefined ? undefined : 'chair',
        when: timeOf(words, /^(?:sat|served)$/i),
      }),
  },
  {
    pattern: clausePattern(
      `${LEAD}\\b(?:gave|give|gives|given|giving|donated|donates?|donating|contributed|contributes?)\\b`,
      `(?:\\s+(?:(?<bound>${OVER})\\s*)?(?<money>${MONEY})(?:\\s+or more)?)?(?:\\s+to\\s+${ORGANISATION})?`,
    ),
    read: (words, filters) => addDonation(words, filters),
  },
  {
    pattern: clausePattern(
      `${LEAD}\\b(?:donors|supporters|contributors|givers)\\s+(?:to|of)\\s+${ORGANISATION}`,
    ),
    read: (words, filters) => addDonation(words, filters),
  },
  {
    pattern: clausePattern(
      `${LEAD}${FORMER}\\b(?:alumn(?:i|ae|us|a)|alums?|graduates?)\\s+(?:of|from|at)\\s+${ORGANISATION}`,
    ),
    read: addSchool,
  },
  {
    pattern: clausePattern(
      `${LEAD}\\b(?:attended|studied\\s+at|went\\s+to|graduated\\s+from)\\s+${ORGANISATION}`,
    ),
    read: addSchool,
  },
  {
    pattern: clausePattern(
      `(?:^|(?<=\\|))\\s*(?<organization>[^|,;"]+?)\\s+(?:alumni|alumnae|alums?|graduates)\\b`,
    ),
    read: addSchool,
  },
  {
    pattern: clausePattern(
      `${LEAD}\\b(?:(?<former>used\\s+to\\s+work|no\\s+longer\\s+works?)|(?<tense>worked)|works?|working|employed)\\s+(?:at|for|with|by)\\s+${ORGANISATION}`,
    ),
    read: addWork,
  },
  {
    pattern: clausePattern(
      `${LEAD}${FORMER}\\b(?:employees?|staff|workers?)\\s+(?:of|at|from)\\s+${ORGANISATION}`,
    ),
    read: addWork,
  },
  {
    pattern: clausePattern(
      `${LEAD}${FORMER}\\b${TITLE}\\b(?:\\s+(?:of|at|for|from|with)\\s+${ORGANISATION})?`,
    ),
    read: addWork,
  },
  {
    pattern: clausePattern(`${LEAD}${FORMER}\\bmembers?\\s+of\\s+${ORGANISATION}`),
    read: (words, filters) =>
      addTie(filters, { organization: organisationIn(words), when: timeOf(words) }),
  },
];

function addSchool(words: Words, filters: Filters) {
  return addTie(filters, {
    relationship: 'attends',
    organization: organisationIn(words),
    when: 'ever',
  });
}

function addWork(words: Words, filters: Filters) {
  const title = words.group('title')?.toLowerCase();
  return addTie(filters, {
    relationship: 'works_for',
    organization: organisationIn(words),
    title: title === undefined ? undefined : (TITLES.get(title) ?? title),
    when: timeOf(words, /^worked$/i),
  });
}

/**
 * Adds a donation, or completes an existing donation. For example, "Donors to X who gave over $1,000" mentions the same
 * donation twice.
 */
function addDonation(words: Words, filters: Filters) {
  const money = words.group('money');
  const tie: TieFilter = {
    relationship: 'donates_to',
    organization: organisationIn(words),
    when: 'ever',
    min_amount: money === undefined ? undefined : dollarsIn(money),
  };
  const other = filters.ties.find((present) => completes(tie, present));
  if (other === undefined) {
    return addTie(filters, tie);
  }
  other.organization ??= tie.organization;
  other.min_amount ??= tie.min_amount;
  return { meaning: describe(other) };
}

function completes(tie: TieFilter, other: TieFilter): boolean {
  return (
    other.relationship === tie.relationship &&
    (other.organization === undefined || tie.organization === undefined) &&
    (other.min_amount === undefined || tie.min_amount === undefined)
  );
}

function addTie(filters: Filters, tie: TieFilter) {
  filters.ties.push(tie);
  return { meaning: describe(tie) };
}

function organisationIn({ group }: Words): string | undefined {
  return group('quoted') ?? group('organization')?.trim();
}

/**
 * Returns the time of a relationship. "Former" means the past, and "served" and "worked" mean any time. All other words
 * mean the present.
 */
function timeOf({ group }: Words, ever?: RegExp): TieFilter['when'] {
  if (group('former') !== undefined) {
    return 'past';
  }
  return ever?.test(group('tense') ?? '') === true ? 'ever' : 'present';
}

function describe({ relationship, organization, title, when, min_amount }: TieFilter): string {
  return [
    relationship?.replaceAll('_', ' ') ?? 'is tied to',
    organization === undefined ? 'any organization' : `an organization named "${organization}"`,
    title === undefined ? '' : `as "${title}"`,
    when === 'ever' ? '' : `(${when})`,
    min_amount === undefined ? '' : `with ${inDollars(min_amount)} or more at once`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
