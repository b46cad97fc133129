import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldValue, FieldValues } from '../../src/core/crm-field.ts';
import { type FieldMapping, WRITE_RULES, type WriteRule } from '../../src/core/field-map.ts';
import { diffValues } from '../../src/mapping/diff-values.ts';

const never = () => false;
const always = () => true;

function mapping(when: WriteRule, to = 'Field__c'): FieldMapping {
  return { from: 'bio', to, when };
}

function fate(when: WriteRule, present: FieldValue, isOurs: boolean): string {
  const diff = diffValues({
    mapped: { Field__c: 'new' },
    present: { Field__c: present },
    mappings: [mapping(when)],
    wasOurs: () => isOurs,
  });
  if ('Field__c' in diff.changes) return 'changed';
  return diff.protected.includes('Field__c') ? 'protected' : 'equal';
}

describe('diffValues', () => {
  it.each([
    ['always', 'typed by a person', false, 'changed'],
    ['ifEmpty', 'written by us', true, 'protected'],
    ['ifEmpty', null, false, 'changed'],
    ['ifEmpty', ' \n', false, 'changed'],
    ['unlessEdited', 'typed by a person', false, 'protected'],
    ['unlessEdited', 'written by us', true, 'changed'],
    ['unlessEdited', '', false, 'changed'],
    ['unlessEdited', 'new', false, 'equal'],
    ['always', 'new ', true, 'equal'],
    ['ifEmpty', 'new', false, 'equal'],
  ] as const)('under %s with %j present (ours: %s) the field is %s', (when, present, ours, end) => {
    expect(fate(when, present, ours)).toBe(end);
  });

  it('asks whether the present value of the field is ours', () => {
    const asked: unknown[] = [];
    diffValues({
      mapped: { A__c: 2, B__c: 2 },
      present: { A__c: 1, B__c: null },
      mappings: [mapping('unlessEdited', 'A__c'), mapping('unlessEdited', 'B__c')],
      wasOurs: (field, value) => asked.push([field, value]) > 0,
    });
    expect(asked).toEqual([['A__c', 1]]);
  });

  it('never erases', () => {
    const diff = diffValues({
      mapped: { A__c: null, B__c: '  ' },
      present: { A__c: 'kept', B__c: 'kept' },
      mappings: [mapping('always', 'A__c'), mapping('always', 'B__c')],
      wasOurs: always,
    });
    expect(diff).toEqual({ changes: {}, equal: [], protected: [] });
  });

  it('protects what people typed even where the field map says nothing of the field', () => {
    const input = { mapped: { A__c: 1 }, present: { A__c: 2 }, mappings: [], wasOurs: never };
    expect(diffValues(input).protected).toEqual(['A__c']);
  });

  it('is not confused by field names that objects have of their own', () => {
    const input = { mapped: { constructor: 'new' }, present: {}, mappings: [], wasOurs: never };
    expect(Object.entries(diffValues(input).changes)).toEqual([['constructor', 'new']]);
  });

  it('yields no null, changes nothing that it protects, and has nothing left after the write', () => {
    fc.assert(
      fc.property(
        anyValues(),
        anyValues(),
        anyMappings(),
        fc.boolean(),
        (mapped, present, mappings, ours) => {
          const diff = diffValues({ mapped, present, mappings, wasOurs: () => ours });
          expect(Object.values(diff.changes)).not.toContain(null);
          expect(diff.protected.filter((field) => Object.hasOwn(diff.changes, field))).toEqual([]);
          const written = { ...present, ...diff.changes };
          const again = diffValues({ mapped, present: written, mappings, wasOurs: () => ours });
          expect(again.changes).toEqual({});
          expect(again.protected).toEqual(diff.protected);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('protects every value that is not ours unless the rule is always', () => {
    fc.assert(
      fc.property(anyValues(), anyValues(), anyMappings(), (mapped, present, mappings) => {
        const { changes } = diffValues({ mapped, present, mappings, wasOurs: never });
        for (const field of Object.keys(changes)) {
          const isFree = String(present[field] ?? '').trim() === '';
          const rule = mappings.find(({ to }) => to === field)?.when;
          expect(isFree || rule === 'always').toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const FIELDS = ['A__c', 'B__c', 'C__c'];

function anyValues(): fc.Arbitrary<FieldValues> {
  const value = fc.oneof(
    fc.constantFrom<FieldValue[]>(
      '5',
      '5.0',
      5,
      'a',
      'a ',
      'b',
      null,
      '',
      ' ',
      true,
      'x\r\ny',
      'x\ny',
    ),
    fc.string(),
    fc.double({ noNaN: true }),
  );
  return fc.dictionary(fc.constantFrom(...FIELDS), value);
}

function anyMappings(): fc.Arbitrary<FieldMapping[]> {
  const rule = fc.constantFrom(...WRITE_RULES);
  return fc.tuple(rule, rule).map(([a, b]) => [mapping(a, 'A__c'), mapping(b, 'B__c')]);
}
