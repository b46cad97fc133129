/**
 * Regular expressions of validation rules. They are strangers' expressions, so they run in an engine that
 * takes linear time; it is loaded only for an account that has such a rule.
 */

/** Tells for certain that an expression does not match a value; false wherever there is a doubt. */
export type Mismatch = (value: string) => boolean;

const MAX_EXPRESSION = 1_000;
const MAX_VALUE = 2_000;

/** Outside of it engines disagree about letters, digits, white space and line ends. */
const PLAIN_TEXT = /^[ -~]*$/;

/** Java's own syntax for character classes, which other engines read as something else. */
const DIALECT = /&&|\[\[/;

/**
 * Null if the expression cannot be judged. It is not known whether HubSpot wants a match of the whole value
 * or of a part of it: a value without a match anywhere is refused either way.
 */
export async function createMismatch(expression: string): Promise<Mismatch | null> {
  if (expression.length > MAX_EXPRESSION) return null;
  if (!PLAIN_TEXT.test(expression) || DIALECT.test(expression)) return null;
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression);
    return (value) =>
      value.length <= MAX_VALUE && PLAIN_TEXT.test(value) && !compiled.matcher(value).find();
  } catch {
    // The engine has no lookarounds and back references, which would cost more than linear time.
    return null;
  }
}
