/** An SQL expression, with the values for its placeholders. */

import type { StoredValue } from '../../metadata/field.ts';

/** A part of an SQL statement with its values in order. */
export interface Sql {
  text: string;
  values: StoredValue[];
}

/** Creates a part of an SQL statement without values. */
export function plainSql(text: string): Sql {
  return { text, values: [] };
}

/** Joins several SQL conditions with an operator, in parentheses. */
export function joinSql(pieces: readonly Sql[], between: ' and ' | ' or '): Sql {
  return {
    text: `(${pieces.map(({ text }) => text).join(between)})`,
    values: pieces.flatMap(({ values }) => values),
  };
}
