/**
 * Tests the regular expressions of validation rules. HubSpot's users write the expressions, so they run in an engine
 * that needs only linear time. The engine is loaded only for accounts that have a rule with a regular expression.
 */

/** Returns true if the value certainly does not match the expression. Returns false if the match is uncertain. */
export type Mismatch = (value: string) => boolean;

const MAX_EXPRESSION = 1_000;
const MAX_VALUE = 2_000;

/**
 * Matches a text with only ASCII characters. Engines differ in how they treat other letters, digits, white space and
 * line ends.
 */
const PLAIN_TEXT = /^[ -~]*$/;

/** Matches Java's own syntax for character classes, which other engines read differently. */
const DIALECT = /&&|\[\[/;

/**
 * HubSpot may compare the expression with the whole value or with a part of the value. HubSpot rejects a value that has
 * no match at all.
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
    // The engine does not support lookarounds and back references, because they need more than linear time.
    return null;
  }
}
