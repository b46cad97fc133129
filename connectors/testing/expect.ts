/** Assertions whose messages say what was expected, what came, and what to look at. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** A longer value is cut in a message. */
const LONGEST_SHOWN = 300;

/** Fails unless both are deeply equal. `what` is the subject, and `hint` the part of the connector to look at. */
export function expectEqual(actual: unknown, expected: unknown, what: string, hint: string): void {
  expectThat(isDeepStrictEqual(actual, expected), {
    ...{ what, hint },
    expected: show(expected),
    actual: show(actual),
  });
}

/** Fails unless the condition is true. */
export function expectThat(
  condition: boolean,
  message: { what: string; expected: string; actual: string; hint: string },
): void {
  const { what, expected, actual, hint } = message;
  assert.ok(condition, `${what}: expected ${expected}, but got ${actual}. ${hint}`);
}

/** Returns a value as it is written in JSON, cut if it is long. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… (${text.length})`;
}
