/** Assertions. Each message contains the expected value, the received value and the part of the connector to check. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { likelyCause } from './likely-causes.ts';

/** The number of characters after which a message truncates a value. */
const LONGEST_SHOWN = 300;

/**
 * Throws unless both values are deeply equal. `what` is the subject of the message. `hint` names the part of the
 * connector that the author should check.
 */
export function expectEqual(actual: unknown, expected: unknown, what: string, hint: string): void {
  expectThat(isDeepStrictEqual(actual, expected), {
    ...{ what, hint },
    expected: show(expected),
    actual: show(actual),
  });
}

/** Throws unless the condition is true. */
export function expectThat(
  condition: boolean,
  message: { what: string; expected: string; actual: string; hint: string },
): void {
  if (condition) return;
  const { what, expected, actual, hint } = message;
  const error = new assert.AssertionError({
    message: `${what}: expected ${expected}, but got ${actual}. ${hint}`,
    stackStartFn: expectThat,
  });
  explained.add(error);
  throw error;
}

/** Errors whose messages already contain the promise, the values and the hint. */
const explained = new WeakSet<object>();

/**
 * Returns an error with the broken promise, the expected value and the likely cause. The message of `assert` shows two
 * values but does not describe the situation. Any other error is returned unchanged.
 */
export function explain(title: string, error: unknown): unknown {
  if (!(error instanceof assert.AssertionError) || explained.has(error)) return error;
  const { generatedMessage, operator, actual, expected, stack = '' } = error;
  const cause = likelyCause(title) ?? '';
  const found = generatedMessage ? differenceOf(operator, actual, expected) : error.message;
  const message = `The promise “${title}” is broken: ${found} ${cause}`.trim();
  const clear = new assert.AssertionError({ message, actual, expected, operator });
  const frames = stack.slice(Math.max(0, stack.indexOf('\n    at ')));
  clear.stack = `AssertionError [ERR_ASSERTION]: ${message}${frames}`;
  explained.add(clear);
  return clear;
}

function differenceOf(operator: string, actual: unknown, expected: unknown): string {
  switch (operator) {
    case 'rejects':
      return 'expected an error (a RetriableError or another one of `donor-sync/errors`), but the call ended as if everything were well.';
    case '==':
      return 'expected a condition to be met that is not.';
    case 'notStrictEqual':
    case 'notDeepStrictEqual':
      return `expected another value than ${show(expected)}.`;
    case 'partialDeepStrictEqual':
      return `expected an object with ${show(expected)}, but got ${show(actual)}.`;
    case 'match':
      return `expected a text that matches ${expected}, but got ${show(actual)}.`;
    default:
      return `expected ${show(expected)}, but got ${show(actual)}.`;
  }
}

/** Returns the value as text, and truncates a long text. */
export function show(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(plain(value));
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… (${text.length})`;
}

/** JSON cannot represent sets and maps. */
function plain(value: unknown): unknown {
  return value instanceof Set || value instanceof Map ? [...value] : value;
}
