import { describe, expect, it } from 'vitest';
import { mapProfile } from '../../src/mapping/map-profile.ts';
import { profileValues } from '../../src/mapping/profile-values.ts';
import { aField, aProfile } from './samples.ts';

const values = profileValues(aProfile({ age: null }), Date.UTC(2026, 10, 20));
const fields = [
  aField({ name: 'Low__c', type: 'currency' }),
  aField({ name: 'Name__c', maxLength: 5 }),
  aField({ name: 'Age__c', type: 'integer' }),
];

describe('mapProfile', () => {
  it('takes each value to its field and reports those that do not fit', () => {
    const result = mapProfile({
      values,
      mappings: [
        { from: 'netWorth.low', to: 'Low__c', when: 'always' },
        { from: 'name.full', to: 'Name__c', when: 'always' },
      ],
      fields,
    });
    expect(result.mapped).toEqual({ Low__c: 1_000_000 });
    expect(result.unfit).toEqual([
      {
        field: 'Name__c',
        reason: 'Name__c holds at most 5 characters; the value has 17: make the field longer.',
        why: 'does_not_fit',
      },
    ]);
  });

  it('says nothing about a field for which the profile has no value', () => {
    const result = mapProfile({
      values,
      mappings: [
        { from: 'age', to: 'Age__c', when: 'always' },
        { from: 'age', to: 'Nowhere__c', when: 'always' },
      ],
      fields,
    });
    expect(result).toEqual({ mapped: {}, unfit: [], cut: [], rates: new Map() });
  });

  it('reports a field that the CRM does not have, with its fix', () => {
    const mappings = [{ from: 'bio', to: 'low__c', when: 'always' }] as const;
    const [unfit] = mapProfile({ values, mappings, fields }).unfit;
    expect(unfit?.reason).toBe(
      "The CRM does not have a contact field low__c, or hides it from the integration's user. Write it as Low__c in the settings.",
    );
  });

  it('tells which fields take a part of their value', () => {
    const cutAt = (maxLength: number | null, options: readonly string[] = []) =>
      mapProfile({
        values: new Map([
          ['bio', { kind: 'prose', text: 'Founded Acme, then sold it.' }],
          ['work.all', { kind: 'list', items: ['Acme', 'Beta'] }],
          ['education.all', { kind: 'list', items: ['Yale', 'MIT'] }],
        ]),
        mappings: [
          { from: 'bio', to: 'Bio__c', when: 'always' },
          { from: 'work.all', to: 'Work__c', when: 'always' },
          { from: 'education.all', to: 'Schools__c', when: 'always' },
        ],
        fields: [
          aField({ name: 'Bio__c', maxLength }),
          aField({ name: 'Work__c', maxLength }),
          aField({ name: 'Schools__c', type: 'multiPicklist', options, restricted: true }),
        ],
      }).cut;
    expect(cutAt(15, ['Yale'])).toEqual(['Bio__c', 'Schools__c']);
    expect(cutAt(9, ['Yale'])).toEqual(['Bio__c', 'Work__c', 'Schools__c']);
    expect(cutAt(27, ['Yale', 'MIT'])).toEqual([]);
  });

  it('lets the first of two lines for one field count', () => {
    const result = mapProfile({
      values,
      mappings: [
        { from: 'netWorth.low', to: 'Low__c', when: 'always' },
        { from: 'netWorth.high', to: 'Low__c', when: 'always' },
      ],
      fields,
    });
    expect(result.mapped).toEqual({ Low__c: 1_000_000 });
    expect(result.unfit.map(({ field }) => field)).toEqual(['Low__c']);
  });
});
