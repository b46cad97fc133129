/**
 * Judges regular expressions of validation rules. Other people write them, so they run in an engine with linear time,
 * which is loaded only for an account with such a rule.
 */

/** Returns true if an expression certainly does not match a value, and false if there is any doubt. */
export type Mismatch = (value: string) => boolean;

const MAX_EXPRESSION = 1_000;
const MAX_VALUE = 2_000;

/** Text in ASCII. Outside ASCII, engines disagree about letters, digits, white space and line ends. */
const PLAIN_TEXT = /^[ -~]*$/;

/** Java's own syntax for character classes, which other engines read differently. */
const DIALECT = /&&|\[\[/;

/**
 * Creates the test, or returns null if the expression cannot be judged. It is unknown whether HubSpot requires a match
 * of the whole value or only of a part. In both cases, a value without any match is rejected.
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
    // The engine supports no lookarounds and back references, because they would need more than linear time.
    return null;
  }
}
