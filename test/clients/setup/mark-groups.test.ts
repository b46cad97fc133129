import { describe, expect, it } from 'vitest';
import { isMarkGroup } from '../../../src/clients/setup/mark-groups.ts';
import { contactsSchema } from '../../../src/core/integration-settings.ts';

const NONE = contactsSchema.parse({});

describe('isMarkGroup', () => {
  it.each([
    'Do Not Contact: X',
    'Deceased: Yes',
    'Status: Deceased',
    'Deceased donors',
    'DO-NOT-CONTACT (2026)',
    'Verstorben: ja',
    'Nicht kontaktieren: 1',
    'Opt-out: true',
  ])('recognises %s', (name) => {
    expect(isMarkGroup({ selector: { list: '1' }, name }, NONE)).toBe(true);
  });

  it.each([
    'Board: Yes',
    'Deadline Group',
    'Contact committee',
    'Donors of the Dodge Fund',
    'Research council',
    '',
  ])('does not take %s for a mark', (name) => {
    expect(isMarkGroup({ selector: { list: '1' }, name }, NONE)).toBe(false);
  });

  it('recognises the fields that the settings name for marks, whatever they are called', () => {
    const contacts = contactsSchema.parse({ deceasedField: 'Gone', optOutField: 'quiet' });
    const isMark = (selector: Record<string, string>) =>
      isMarkGroup({ selector, name: 'x' }, contacts);
    expect(isMark({ column: 'Gone', equals: 'yes' })).toBe(true);
    expect(isMark({ property: 'quiet', equals: 'true' })).toBe(true);
    expect(isMark({ column: 'Role', equals: 'Board' })).toBe(false);
  });
});
