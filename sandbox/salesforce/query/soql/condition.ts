/**
 * Converts the conditions of a WHERE clause to a tree. The parser returns a list in which each entry contains the
 * number of its parentheses.
 */

import type {
  ConditionWithValueQuery,
  HavingClause,
  NegationCondition,
  WhereClause,
} from '@jetstreamapp/soql-parser-js';
import { malformed } from './query-error.ts';

/** A comparison as the parser returns it. */
export type Comparison = Exclude<ConditionWithValueQuery, NegationCondition>;

export type Condition =
  | { kind: 'compare'; comparison: Comparison }
  | { kind: 'all' | 'any'; parts: Condition[] }
  | { kind: 'not'; part: Condition };

/** Returns the tree of conditions. Throws MALFORMED_QUERY if AND and OR are mixed without parentheses. */
export function readCondition(where: WhereClause | HavingClause, soql: string): Condition {
  const tokens = flatten(where);
  let position = 0;

  function readRow(): Condition {
    const parts = [readOne()];
    const operator = tokens[position];
    while (tokens[position] === 'AND' || tokens[position] === 'OR') {
      if (tokens[position] !== operator) {
        throw malformed(soql, `unexpected token: '${tokens[position]}'`, String(tokens[position]));
      }
      position += 1;
      parts.push(readOne());
    }
    const [only] = parts;
    if (parts.length === 1 && only !== undefined) return only;
    return { kind: operator === 'OR' ? 'any' : 'all', parts };
  }

  function readOne(): Condition {
    const token = tokens[position];
    position += 1;
    if (token === 'NOT') return { kind: 'not', part: readOne() };
    if (token === '(') {
      const inside = readRow();
      position += 1;
      return inside;
    }
    if (token === undefined || typeof token === 'string') {
      throw malformed(soql, `unexpected token: '${token ?? '<EOF>'}'`, token ?? '');
    }
    return { kind: 'compare', comparison: token };
  }

  return readRow();
}

type Token = Comparison | '(' | ')' | 'AND' | 'OR' | 'NOT';

function flatten(where: WhereClause | HavingClause): Token[] {
  const tokens: Token[] = [];
  let clause: WhereClause | HavingClause | undefined = where;
  while (clause !== undefined) {
    tokens.push(...tokensOf(clause.left));
    if (!('operator' in clause)) break;
    tokens.push(clause.operator);
    clause = clause.right;
  }
  return tokens;
}

function tokensOf(left: ConditionWithValueQuery | null): Token[] {
  if (left === null) return [];
  const opening = repeat('(', left.openParen);
  return 'operator' in left ? [...opening, left, ...repeat(')', left.closeParen)] : opening;
}

function repeat(token: '(' | ')', times = 0): Token[] {
  return Array.from({ length: times }, () => token);
}
