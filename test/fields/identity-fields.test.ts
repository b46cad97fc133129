/**
 * Tests a field map that writes into a contact's identity fields. The product would treat each value that it writes as
 * a change of the contact. It would then spend a credit on the change.
 */
import { expect, it } from 'vitest';
import { plainField } from '../../src/core/crm-field.ts';
import type { IdentityShape } from '../../src/core/identity-shape.ts';
import { readFields } from '../../src/fields/describe.ts';

const identity: IdentityShape = {
  columns: 'all',
  mode: 'plain',
  names: ['First', 'Last'],
  sources: [
    { name: 'City', part: 'addresses', readable: true },
    { name: 'Employer', part: 'employers', readable: false },
  ],
};

function read(to: string, from: 'work.primary' | 'sync.status' = 'work.primary') {
  const connector = {
    describeFields: async () => ['First', 'Last', 'City', 'Employer', 'Work'].map(plainField),
    capabilities: { createsFields: true, remote: false } as never,
    identity: () => identity,
  };
  return readFields(connector, [{ from, to, when: 'always' }]);
}

it.each([
  ['First', 'name'],
  ['Last', 'name'],
  ['City', 'address'],
  ['Employer', 'employer'],
])('is told that %s is read as the %s of contacts', async (field, part) => {
  const { findings } = await read(field);
  expect(findings).toMatchObject([{ field, problem: 'not_writable' }]);
  expect(findings[0]?.message).toBe(
    `${field} is read as the ${part} of contacts: a value written there would count as a change of the contact, which costs a credit.`,
  );
  expect(findings[0]?.fix).toBe('Map another field.');
});

it('the check refuses a status in a field that contacts are read from, and accepts other fields', async () => {
  const { optional } = await read('City', 'sync.status');
  expect(optional).toMatchObject([{ field: 'City', problem: 'not_writable' }]);
  expect((await read('Work')).findings).toEqual([]);
});
