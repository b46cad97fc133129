import { describe, expect, it } from 'vitest';
import type { DescribedProperty } from '../../../connectors/hubspot/describe.ts';
import { canonicalValue, wireValue } from '../../../connectors/hubspot/values.ts';

function property(described: Partial<DescribedProperty>): DescribedProperty {
  return {
    name: 'p',
    label: 'P',
    type: 'string',
    fieldType: 'text',
    options: [],
    externalOptions: false,
    calculated: false,
    archived: false,
    ...described,
  };
}

const PERCENT = property({ type: 'number', numberDisplayHint: 'percentage' });
const CHECKBOXES = property({
  type: 'enumeration',
  fieldType: 'checkbox',
  options: ['arts', 'health', 'youth'].map((value) => ({ value, label: value, hidden: false })),
});

describe('canonicalValue', () => {
  it.each([
    ['text as it is', property({}), ' a b ', ' a b '],
    ['white space as blank', property({}), '  ', null],
    ['an empty text as blank', property({ type: 'number' }), '', null],
    ['a number', property({ type: 'number' }), '1250000.50', 1_250_000.5],
    ['what is no number as blank', property({ type: 'number' }), 'many', null],
    ['a share as the percentage that people see', PERCENT, '0.72', 72],
    ['true', property({ type: 'bool' }), 'true', true],
    ['false', property({ type: 'bool' }), 'false', false],
    ['one checkbox', property({ type: 'enumeration', fieldType: 'booleancheckbox' }), 'true', true],
    ['a date', property({ type: 'date' }), '1962-03-04', '1962-03-04'],
    ['a date in milliseconds', property({ type: 'date' }), '1763596800000', '2025-11-20'],
    [
      'an instant without milliseconds',
      property({ type: 'datetime' }),
      '2026-11-20T02:00:00Z',
      '2026-11-20T02:00:00.000Z',
    ],
    ['picked values in the order of the options', CHECKBOXES, 'youth;arts', 'arts;youth'],
    ['a picked value that is no option any more', CHECKBOXES, 'choir;arts', 'arts;choir'],
  ])('reads %s', (_, described, raw, expected) => {
    expect(canonicalValue(raw, described)).toBe(expected);
  });
});

describe('wireValue', () => {
  it.each([
    ['blank as the empty text that clears', property({}), null, ''],
    ['a number', property({ type: 'number' }), 1_250_000.5, '1250000.5'],
    ['a percentage as the share that HubSpot stores', PERCENT, 72, '0.72'],
    ['a small percentage without rounding errors', PERCENT, 0.1, '0.001'],
    ['true', property({ type: 'bool' }), true, 'true'],
    ['false', property({ type: 'bool' }), false, 'false'],
    ['a property without a description', undefined, 5, '5'],
  ])('writes %s', (_, described, value, expected) => {
    expect(wireValue(value, described)).toBe(expected);
  });

  it('writes what is read back as the same percentage', () => {
    for (const percent of [0, 1, 7, 28, 55, 57, 72, 99.5, 100]) {
      expect(canonicalValue(wireValue(percent, PERCENT), PERCENT)).toBe(percent);
    }
  });
});
