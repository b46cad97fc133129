/** Reads the parts of a question about people's age. */

import type { Filters } from '../criteria.ts';
import { type Clause, clausePattern, LEAD, type Reading } from './clause.ts';

/** A pattern for a number of years. The pattern does not match, for example, a number of dollars. */
const YEARS = String.raw`\d{2,3}(?!\d|[,.]\d|\s*(?:k|m|b|bn|mm|thousand|million|billion|dollars|%)\b)`;
const OLD = String.raw`(?:\s+years?)?(?:\s+(?:old|of age))?`;
const AGED = String.raw`(?:(?:aged|ages?|the ages? of)\s+)?`;

const SENIOR_AGE = 65;

/** The kinds of statements about age. */
export const AGE_CLAUSES: readonly Clause[] = [
  {
    pattern: clausePattern(
      `${LEAD}\\b(?:between\\s+(?:the ages of\\s+)?|aged?\\s+(?:between\\s+)?|ages\\s+)`,
      `(?<low>${YEARS})\\s*(?:and|to|-|–)\\s*(?<high>${YEARS})${OLD}`,
    ),
    read: ({ group }, filters) => setAges(filters, numberIn(group('low')), numberIn(group('high'))),
  },
  {
    pattern: clausePattern(`${LEAD}\\bin (?:his|her|their) (?<decade>[2-9]0)'?s\\b`),
    read({ group }, filters) {
      const decade = numberIn(group('decade'));
      return setAges(filters, decade, decade + 9);
    },
  },
  {
    pattern: clausePattern(
      `${LEAD}${AGED}(?<age>${YEARS})${OLD}(?:\\+|\\s+(?:or|and)\\s+(?<side>older|over|above|up|younger|under|below))`,
    ),
    read({ group }, filters) {
      const age = numberIn(group('age'));
      return /younger|under|below/i.test(group('side') ?? '')
        ? setAges(filters, undefined, age)
        : setAges(filters, age, undefined);
    },
  },
  {
    pattern: clausePattern(
      `${LEAD}${AGED}\\b(?:older than|over|above|more than)\\s+${AGED}(?<age>${YEARS})${OLD}\\b`,
    ),
    read: ({ group }, filters) => setAges(filters, numberIn(group('age')) + 1, undefined),
  },
  {
    pattern: clausePattern(`${LEAD}${AGED}\\bat least\\s+${AGED}(?<age>${YEARS})${OLD}\\b`),
    read: ({ group }, filters) => setAges(filters, numberIn(group('age')), undefined),
  },
  {
    pattern: clausePattern(
      `${LEAD}${AGED}\\b(?:younger than|under|below|less than)\\s+${AGED}(?<age>${YEARS})${OLD}\\b`,
    ),
    read: ({ group }, filters) => setAges(filters, undefined, numberIn(group('age')) - 1),
  },
  {
    pattern: clausePattern(
      `${LEAD}\\baged?\\s+(?<age>${YEARS})${OLD}\\b|${LEAD}\\b(?<years>${YEARS})\\s+years?\\s+old\\b`,
    ),
    read({ group }, filters) {
      const age = numberIn(group('age') ?? group('years'));
      return setAges(filters, age, age);
    },
  },
  {
    pattern: clausePattern(`${LEAD}\\bseniors\\b`),
    read: (_, filters) => setAges(filters, SENIOR_AGE, undefined),
  },
];

function setAges(filters: Filters, min: number | undefined, max: number | undefined): Reading {
  const isTaken =
    (min !== undefined && filters.min_age !== undefined) ||
    (max !== undefined && filters.max_age !== undefined);
  if (isTaken) {
    return { reason: 'the question says this twice, and the first one counts' };
  }
  filters.min_age = min ?? filters.min_age;
  filters.max_age = max ?? filters.max_age;
  return { meaning: `age ${describe(min, max)}` };
}

function describe(min: number | undefined, max: number | undefined): string {
  if (max === undefined) {
    return `${min} or more`;
  }
  if (min === undefined) {
    return `${max} or less`;
  }
  return min === max ? `${min}` : `${min} to ${max}`;
}

function numberIn(text: string | undefined): number {
  return Number(text ?? 0);
}
