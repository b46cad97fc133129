/** An SQL expression with the values for its question marks. */

import type { StoredValue } from '../../metadata/field.ts';

/** A piece of SQL and its values, in order. */
export interface Sql {
  text: string;
  values: StoredValue[];
}

/** SQL without values. */
export function plainSql(text: string): Sql {
  return { text, values: [] };
}

/** Joins several pieces with an operator, in parentheses. */
export function joinSql(pieces: readonly Sql[], between: ' and ' | ' or '): Sql {
  return {
    text: `(${pieces.map(({ text }) => text).join(between)})`,
    values: pieces.flatMap(({ values }) => values),
  };
}
