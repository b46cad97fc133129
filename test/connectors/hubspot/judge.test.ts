import { describe, expect, it } from 'vitest';
import type { DescribedProperty } from '../../../connectors/hubspot/describe.ts';
import { brokenRule, createJudge } from '../../../connectors/hubspot/validations/judge.ts';

const PROPERTY: DescribedProperty = {
  name: 'value',
  label: '',
  type: 'string',
  fieldType: 'text',
  options: [],
  externalOptions: false,
  calculated: false,
  archived: false,
};

type Case = [ruleType: string, ruleArguments: string[], type: string, value: string];

/** These values break their rule in every possible interpretation of the rule. */
const BROKEN: Case[] = [
  ['MIN_NUMBER', ['18'], 'number', '17.9'],
  ['MIN_NUMBER', ['0'], 'number', '-1'],
  ['MAX_NUMBER', ['44'], 'number', '45'],
  ['MAX_NUMBER', ['1e6'], 'number', '1000001'],
  ['DECIMAL', ['2'], 'number', '1.125'],
  ['DECIMAL', ['0'], 'number', '0.5'],
  ['MIN_LENGTH', ['3'], 'string', 'ab'],
  ['MAX_LENGTH', ['3'], 'string', 'abcd'],
  ['ALPHANUMERIC', ['NUMERIC_ONLY'], 'string', '12a'],
  ['ALPHANUMERIC', ['ALPHA_ONLY'], 'string', 'Anna 2'],
  ['START_DATE', ['2026-01-01'], 'date', '2025-12-30'],
  ['END_DATE', ['2026-01-01'], 'date', '2026-01-03'],
  ['END_DATE', ['1767225600000'], 'date', '2026-01-04'],
  ['START_DATETIME', ['2026-01-01T00:00:00Z'], 'datetime', '2025-12-31T23:59:59.999Z'],
  ['END_DATETIME', ['2026-01-01T00:00:00Z'], 'datetime', '2026-01-01T00:00:00.001Z'],
  ['REGEX', ['^[A-Z]{2}\\d+$'], 'string', 'us12'],
  ['REGEX', ['(a+)+$'], 'string', `${'a'.repeat(1_999)}!`],
];

/** These values follow their rule or might follow it. For some values, the product cannot decide. */
const SENT: Case[] = [
  ['MIN_NUMBER', ['18'], 'number', '18'],
  ['MAX_NUMBER', ['44'], 'number', '44'],
  ['MAX_NUMBER', [], 'number', '45'],
  ['MAX_NUMBER', ['forty'], 'number', '45'],
  ['MAX_NUMBER', ['1,000'], 'number', '2000'],
  ['MAX_NUMBER', ['44'], 'string', '45'],
  ['DECIMAL', ['2'], 'number', '1.12'],
  ['DECIMAL', ['2'], 'number', '1e-7'],
  ['DECIMAL', ['2'], 'number', '1.1200'],
  // The value has three code points, but four UTF-16 units.
  ['MIN_LENGTH', ['4'], 'string', 'ab🙂'],
  ['MAX_LENGTH', ['3'], 'string', 'ab🙂'],
  ['MAX_LENGTH', ['3'], 'string', ' abc '],
  ['MAX_LENGTH', ['-1'], 'string', 'abc'],
  ['ALPHANUMERIC', ['NUMERIC_ONLY'], 'string', '1 200-3'],
  ['ALPHANUMERIC', ['ALPHA_ONLY'], 'string', "O'Neil-Żuk"],
  ['ALPHANUMERIC', ['SOMETHING_ELSE'], 'string', 'a1'],
  ['ALPHANUMERIC', [], 'string', 'a1'],
  ['START_DATE', ['2026-01-01'], 'date', '2026-01-01'],
  ['END_DATE', ['1767225600000'], 'date', '2026-01-01'],
  ['END_DATE', ['soon'], 'date', '2026-01-01'],
  ['START_DATETIME', ['2026-01-01'], 'datetime', '2025-12-31T12:00:00Z'],
  // HubSpot may accept a value if only a part matches.
  ['REGEX', ['\\d+'], 'string', 'about 12'],
  ['REGEX', ['^(?!40)'], 'string', '40'],
  ['REGEX', ['^\\w+$'], 'string', 'Żuk'],
  ['REGEX', ['[a-z&&[^b]]'], 'string', 'b'],
  ['REGEX', ['('], 'string', 'a'],
  ['REGEX', [`a{1,${'9'.repeat(9)}}`], 'string', 'b'],
  ['REGEX', ['a'.repeat(1_001)], 'string', 'b'],
  ['SPECIAL_CHARACTERS', ['NONE'], 'string', '!'],
  ['BEFORE_DURATION', ['P1D'], 'date', '1900-01-01'],
  ['toString', [], 'string', 'a'],
  ['MIN_LENGTH', ['3'], 'string', ''],
  ['MIN_LENGTH', ['3'], 'string', ' '],
];

describe('the judge of validation rules', () => {
  it.each(BROKEN)('leaves out what breaks %s %j (%s): %s', async (...one) => {
    expect(await judged(one)).toBe(one[0]);
  });

  it.each(SENT)('leaves to HubSpot what may keep %s %j (%s): %s', async (...one) => {
    expect(await judged(one)).toBeNull();
  });

  it('does not judge what HubSpot changes before it applies the rule', async () => {
    const judge = await createJudge({
      ruleType: 'MAX_LENGTH',
      ruleArguments: ['3'],
      shouldApplyNormalization: true,
    });
    expect(judge).toBeNull();
  });

  it('does not judge a percentage, which is stored as 0.72 and shown as 72', async () => {
    const percent = { ...PROPERTY, type: 'number', numberDisplayHint: 'percentage' };
    const judge = await createJudge({ ruleType: 'MAX_NUMBER', ruleArguments: ['0.5'] });
    expect(judge?.breaks('0.72', percent)).toBe(false);
  });

  async function judged([ruleType, ruleArguments, type, value]: Case): Promise<string | null> {
    const judge = await createJudge({ ruleType, ruleArguments });
    return brokenRule(judge === null ? [] : [judge], value, { ...PROPERTY, type });
  }
});
