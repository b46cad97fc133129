import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FieldSpec } from '../../../src/core/crm-field.ts';
import { type Org, openOrg } from './org.ts';

const SPEC: FieldSpec = {
  name: 'New__c',
  label: 'New',
  type: 'text',
  maxLength: 40,
  description: 'Is new.',
};

describe('creating fields without the right to', () => {
  let org: Org;

  beforeEach(async () => {
    org = await openOrg();
  });

  afterEach(() => org.close());

  it.each([
    ['CustomizeApplication', /“Customize Application”.*System Administrator/],
    ['ManageProfilesPermissionsets', /“Manage Profiles and Permission Sets”.*System Administrator/],
    ['AssignPermissionSets', /“Assign Permission Sets”.*System Administrator/],
  ])('names the permission that the user lacks, and who can give it (%s)', async (right, words) => {
    await org.control('PUT', 'user-permissions', { denied: [right] });
    const connector = await org.connector();
    const [created] = await connector.createFields([SPEC]);
    expect(created).toMatchObject({ result: 'failed', problem: expect.stringMatching(words) });
    expect(created?.problem).not.toContain('this contact');
    await connector.close();
  });
});
