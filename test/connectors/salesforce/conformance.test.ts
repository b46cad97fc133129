import { type ConformanceHarness, testConnector } from '../../../connectors/testing/conformance.ts';
import type { OrgShape } from '../../../sandbox/salesforce/catalogue.ts';
import { connectorDeps } from '../connector-options.ts';
import { openOrg } from './org.ts';

const ABILITIES = ['mergeContacts', 'refuseWrites', 'lock', 'addBreakingGroup'] as const;

/** From so many contacts on the Bulk API is used: never, or always. */
const THRESHOLDS = { REST: 1_000_000, Bulk: 1 };

for (const shape of ['plain', 'npsp'] satisfies OrgShape[]) {
  for (const [api, bulkThreshold] of Object.entries(THRESHOLDS)) {
    testConnector(
      `Salesforce (${shape}, ${api})`,
      () => salesforceHarness(shape, bulkThreshold),
      ABILITIES,
    );
  }
}

async function salesforceHarness(
  shape: OrgShape,
  bulkThreshold: number,
): Promise<ConformanceHarness> {
  const org = await openOrg({ shape, bulkJobTimeMs: 0 });
  return {
    connector: (options) => org.connector({ bulkThreshold }, connectorDeps(options?.signal)),
    addContacts: org.addContacts,
    editContact: org.editContact,
    deleteContact: org.deleteContact,
    setValue: org.setValue,
    async seenValue(id, field) {
      const value = await org.seenValue(id, field);
      return value === null ? null : String(value);
    },
    textFields: ['Title', 'Department'],
    typedFields: [
      { name: 'Birthdate', value: '1962-03-04' },
      { name: 'HasOptedOutOfEmail', value: true },
    ],
    newField: { name: 'Fresh__c', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 4_001,
    addGroup,
    unknownGroup: { campaign: 'nobody knows' },
    mergeContacts: org.mergeContacts,
    async refuseWrites(id) {
      const when = `Id = '${id}'`;
      const message = 'This contact is closed.';
      await org.control('POST', 'rules', { kind: 'validation', type: 'Contact', when, message });
    },
    async lock(id, times) {
      await org.control('POST', 'locks', { id, times });
    },
    async addBreakingGroup(members) {
      const selector = await addGroup(members);
      const rule = { on: { path: '/query' }, after: 1, fault: { kind: 'truncate' } };
      await org.control('PUT', 'faults', [rule]);
      return selector;
    },
    close: org.close,
  };

  async function addGroup(members: readonly string[]) {
    const [campaign = ''] = await org.create('Campaign', [{ Name: 'Board', IsActive: true }]);
    await org.create(
      'CampaignMember',
      members.map((ContactId) => ({ CampaignId: campaign, ContactId })),
    );
    return { campaign };
  }
}
