import type { CrmField } from '../../src/core/crm-field.ts';
import type { Profile } from '../../src/core/profile.ts';

/** Returns a writable text field without limits. `traits` overrides its properties. */
export function aField(traits: Partial<CrmField> = {}): CrmField {
  return {
    name: 'Target__c',
    label: 'Target',
    type: 'text',
    maxLength: null,
    integerDigits: null,
    decimalDigits: null,
    options: [],
    restricted: false,
    writable: true,
    ...traits,
  };
}

/** `traits` overrides its values. */
export function aProfile(traits: Partial<Profile> = {}): Profile {
  return {
    donorId: '0123456789abcdef0123456789abcdef',
    name: { first: 'Ada', middle: 'King', last: 'Lovelace' },
    profileUrl: 'https://service.test/donors/0123456789abcdef0123456789abcdef',
    age: 61,
    isDeceased: false,
    netWorth: { low: 1_000_000, high: 5_000_000 },
    capacity: { political: 12_000, nonprofit: 45_000.5 },
    education: ['University of London'],
    work: ['Analytical Engines, Inc.', 'Royal Society'],
    bio: ['Wrote the first program.', 'Loves horses.'],
    ...traits,
  };
}
