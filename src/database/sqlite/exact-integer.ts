import { FatalError } from '../../core/errors.ts';

/** Throws a FatalError for a number that JavaScript cannot represent exactly. */
export function requireExact(rows: unknown[]): unknown[] {
  for (const row of rows) {
    const values: Record<string, unknown> = Object(row);
    for (const column in values) {
      const value = values[column];
      if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
        throw inexact(String(value));
      }
    }
  }
  return rows;
}

/** Returns the number for a decimal text. Throws a FatalError if JavaScript would round the number. */
export function parseExactInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw inexact(text);
  return number;
}

function inexact(text: string): FatalError {
  return new FatalError(`The database holds the number ${text}, which is too large to be exact.`, {
    code: 'database_number_too_large',
  });
}
