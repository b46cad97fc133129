import { describe, expect, it } from 'vitest';
import { FIELD_SOURCES } from '../../src/core/field-map.ts';
import { checkFieldMap } from '../../src/mapping/check-field-map.ts';
import { fieldSpecFor } from '../../src/mapping/field-specs.ts';
import { aField } from './samples.ts';

const specs = FIELD_SOURCES.map((from) => ({ from, spec: fieldSpecFor(from, `To_${from}`) }));

describe('fieldSpecFor', () => {
  it('describes the field for a source under the name it is given', () => {
    expect(fieldSpecFor('netWorth.low', 'donor_low')).toEqual({
      name: 'donor_low',
      label: 'Donor Net Worth (low)',
      type: 'currency',
      description: 'The lower bound of the estimated net worth, in US dollars.',
    });
  });

  it('gives every source a label of its own that Salesforce accepts', () => {
    const labels = specs.map(({ spec }) => spec.label);
    expect(new Set(labels).size).toBe(FIELD_SOURCES.length);
    expect(labels.filter((label) => label.length > 40)).toEqual([]);
  });

  it('asks for fields in which the check finds no fault', () => {
    const fields = specs.map(({ spec }) => aField({ ...spec, maxLength: spec.maxLength ?? null }));
    const mappings = specs.map(
      ({ from, spec }) => ({ from, to: spec.name, when: 'always' }) as const,
    );
    expect(checkFieldMap(mappings, fields)).toEqual([]);
  });
});
