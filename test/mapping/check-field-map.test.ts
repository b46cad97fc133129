import { describe, expect, it } from 'vitest';
import type { CrmField } from '../../src/core/crm-field.ts';
import type { FieldSource } from '../../src/core/field-map.ts';
import { checkFieldMap } from '../../src/mapping/check-field-map.ts';
import { aField } from './samples.ts';

function problems(from: FieldSource, traits: Partial<CrmField>): string[] {
  const mappings = [{ from, to: 'Target__c', when: 'always' }] as const;
  return checkFieldMap(mappings, [aField(traits)]).map(({ problem }) => problem);
}

describe('checkFieldMap', () => {
  it('finds nothing wrong with fields that can hold what is mapped to them', () => {
    expect(problems('netWorth.low', { type: 'currency', integerDigits: 16 })).toEqual([]);
    expect(problems('netWorth.low', { type: 'text', maxLength: 255 })).toEqual([]);
    expect(problems('donorId', { maxLength: 32 })).toEqual([]);
    expect(problems('enhancedAt', { type: 'date' })).toEqual([]);
  });

  it.each([
    ['netWorth.low', { type: 'boolean' }, 'type'],
    ['work.primary', { type: 'number' }, 'type'],
    ['name.full', { type: 'url' }, 'type'],
    ['work.all', { type: 'picklist' }, 'type'],
    ['age', { type: 'date' }, 'type'],
    ['warmPath.strength', { type: 'integer' }, 'type'],
    ['donorId', { maxLength: 31 }, 'too_short'],
    ['netWorth.high', { type: 'number', integerDigits: 6 }, 'too_short'],
    ['warmPath.strength', { type: 'number', decimalDigits: 0 }, 'too_short'],
    ['bio', { writable: false }, 'not_writable'],
    ['age', { name: 'Other__c' }, 'missing'],
    ['netWorth.label', { type: 'picklist', restricted: true, options: ['Tier 1'] }, 'type'],
    ['work.primary', { type: 'picklist', restricted: true }, 'type'],
  ] as const)('finds what is wrong with %s into a field of %j', (from, traits, problem) => {
    expect(problems(from, traits)).toEqual([problem]);
  });

  it('accepts a restricted picklist whose options are ranges', () => {
    const options = ['Unknown', '$1M - $5M'];
    expect(problems('netWorth.low', { type: 'picklist', restricted: true, options })).toEqual([]);
  });

  it('reports a field that two lines write to at the later line', () => {
    const findings = checkFieldMap(
      [
        { from: 'netWorth.low', to: 'Target__c', when: 'always' },
        { from: 'netWorth.high', to: 'Target__c', when: 'always' },
      ],
      [aField()],
    );
    expect(findings).toMatchObject([
      { field: 'Target__c', from: 'netWorth.high', problem: 'duplicate' },
    ]);
  });

  it('names the field, the source and the fix', () => {
    const [finding] = checkFieldMap(
      [{ from: 'donorId', to: 'Target__c', when: 'always' }],
      [aField({ maxLength: 18 })],
    );
    expect(finding).toEqual({
      field: 'Target__c',
      from: 'donorId',
      problem: 'too_short',
      message: 'Target__c holds at most 18 characters, and donorId needs 32.',
      fix: 'Make the field larger in the CRM, or map another field.',
    });
  });

  it('names the statuses that a picklist has no option for', () => {
    const mappings = [{ from: 'sync.status', to: 'Status', when: 'unlessEdited' }] as const;
    const field = { name: 'Status', type: 'picklist', restricted: true } as const;
    const some = aField({ ...field, options: ['written', 'Unknown', 'Held'] });
    expect(checkFieldMap(mappings, [some])).toMatchObject([
      { problem: 'type', message: 'Status has no option for Refused, Opted out.' },
    ]);
    expect(checkFieldMap(mappings, [aField({ ...field, restricted: false })])).toEqual([]);
  });
});
