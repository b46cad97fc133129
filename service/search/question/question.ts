/**
 * Reads a question in plain English. The reader recognises a fixed set of statements. The result contains the meaning
 * of each part of the question, or says that the part was not understood. The reader never guesses without saying so.
 */

import { type Filters, isEmpty } from '../criteria.ts';
import { AGE_CLAUSES } from './age.ts';
import { type Clause, clausePattern, LEAD, setOnce } from './clause.ts';
import { placeClauses } from './place.ts';
import { TIE_CLAUSES } from './tie.ts';
import { WEALTH_CLAUSES } from './wealth.ts';

/** Words from a question, with their meaning. */
export interface Understood {
  text: string;
  meaning: string;
}

export interface Ignored {
  text: string;
  reason: string;
}

export interface Question {
  filters: Filters;
  understood: Understood[];
  ignored: Ignored[];
}

/** Creates a reader of questions. `isName` returns true if the words may be a donor's name. */
export function createReader(isName: (text: string) => boolean): (question: string) => Question {
  const clauses = [
    NEGATION,
    ...WEALTH_CLAUSES,
    ...AGE_CLAUSES,
    ALTERNATIVE,
    ...placeClauses(),
    ...TIE_CLAUSES,
    NAMED,
  ];
  return (text) => {
    const question: Question = { filters: { ties: [] }, understood: [], ignored: [] };
    const plain = text.replaceAll(/[“”]/g, '"').replaceAll('’', "'").replaceAll(/\s+/g, ' ').trim();
    const rest = clauses.reduce(
      (left, clause) => readClause(left, clause, question),
      plain.replace(/(?<![.?!])[.?!]+$/, '').replaceAll('|', ' '),
    );
    readRest(rest, question, isName);
    return question;
  };
}

/**
 * Matches negations. The search ignores these words, because it would otherwise search for the opposite of the
 * question.
 */
const NEGATION: Clause = {
  pattern: clausePattern(
    `${LEAD}\\b(?:not|never|except|excluding|without|nobody|neither|\\w+n't)\\b[^|,;]*?(?=\\s*[|,;]|\\s+and\\b|$)`,
  ),
  read: () => ({ reason: 'what must not hold is not understood' }),
};

const ALTERNATIVE: Clause = {
  pattern: clausePattern(`\\bor\\b[^|,;]*?(?=\\s*[|,;]|\\s+and\\b|\\s+(?:in|who|with)\\b|$)`),
  read: () => ({ reason: 'alternatives are not understood' }),
};

const NAMED: Clause = {
  pattern: clausePattern(
    `${LEAD}\\b(?:named|called)\\s+"?(?<name>[\\p{L}'.-]+(?:\\s+(?!and\\b|who\\b|with\\b)[\\p{L}'.-]+){0,3})"?`,
  ),
  read({ group }, filters) {
    const name = group('name') ?? '';
    return setOnce(filters, 'name', name, `the name is ${name}`);
  },
};

/** Words that are ignored because they do not change the meaning of a question. */
const FILLERS = new Set(
  `a all an and any anybody anyone are at can donor donors everybody everyone find for from give had
   has have having i in individual individuals is list living me my of on our people person persons
   please prospect prospects search show some somebody someone that the their them there these they
   those to us we were which who whom whose with you`.split(/\s+/),
);

/** Reads a clause, and replaces its text with a vertical bar. The bar ends other clauses. */
function readClause(text: string, { pattern, read }: Clause, question: Question): string {
  return text.replaceAll(pattern, (found: string, ...parts: unknown[]) => {
    const groups = groupsOf(parts);
    const after = text.slice(offsetOf(parts) + found.length);
    const reading = read({ group: (name) => groups[name], after }, question.filters);
    if (reading === undefined) {
      return found;
    }
    const words = found.trim();
    if ('meaning' in reading) {
      question.understood.push({ text: words, meaning: reading.meaning });
    } else {
      question.ignored.push({ text: words, reason: reading.reason });
    }
    return ' | ';
  });
}

/**
 * Returns the position of a match. A replacer function receives the position and the whole text as arguments. The last
 * argument contains the named groups.
 */
function offsetOf(parts: readonly unknown[]): number {
  return parts.find((part) => typeof part === 'number') ?? 0;
}

function groupsOf(parts: readonly unknown[]): Record<string, string | undefined> {
  const last = parts.at(-1);
  return typeof last === 'object' && last !== null
    ? Object.fromEntries(
        Object.entries(last).map(([name, text]) => [
          name,
          typeof text === 'string' ? text : undefined,
        ]),
      )
    : {};
}

/** Reads the remaining text. A question can consist of a name without other words. */
function readRest(rest: string, question: Question, isName: (text: string) => boolean): void {
  for (const part of rest.split(/[|;]/)) {
    const words = part.split(/[\s,]+/).filter((word) => word !== '');
    const telling = words.filter((word) => !FILLERS.has(word.toLowerCase()));
    const text = part.trim();
    if (telling.length === 0) {
      continue;
    }
    if (isEmpty(question.filters) && words.length <= MAX_NAME_WORDS && isName(text)) {
      question.filters.name = text;
      question.understood.push({ text, meaning: `the name is ${text}` });
    } else {
      question.ignored.push({ text: telling.join(' '), reason: 'not understood' });
    }
  }
}

const MAX_NAME_WORDS = 4;
