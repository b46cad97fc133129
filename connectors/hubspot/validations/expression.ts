/**
 * Tests the regular expressions of validation rules. Other people write them, so they run in an engine that needs only
 * linear time. The engine is loaded only for accounts that have such a rule.
 */

/** False if a mismatch is uncertain. */
export type Mismatch = (value: string) => boolean;

const MAX_EXPRESSION = 1_000;
const MAX_VALUE = 2_000;

/** Text in ASCII. Outside ASCII, engines treat letters, digits, white space and line ends differently. */
const PLAIN_TEXT = /^[ -~]*$/;

/** Java's own syntax for character classes, which other engines read differently. */
const DIALECT = /&&|\[\[/;

/** HubSpot may match the whole value or a part. Both reject a value without a match. */
export async function createMismatch(expression: string): Promise<Mismatch | null> {
  if (expression.length > MAX_EXPRESSION) return null;
  if (!PLAIN_TEXT.test(expression) || DIALECT.test(expression)) return null;
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression);
    return (value) =>
      value.length <= MAX_VALUE && PLAIN_TEXT.test(value) && !compiled.matcher(value).find();
  } catch {
    // The engine does not support lookarounds or back references, because they would need more than linear time.
    return null;
  }
}
