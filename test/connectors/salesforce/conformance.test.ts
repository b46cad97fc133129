import { describe, it } from 'vitest';
import { salesforceConnector } from '../../../connectors/salesforce/connector.ts';
import {
  type ConformanceHarness,
  type HarnessOptions,
  testConnector,
} from '../../../connectors/testing/conformance.ts';
import type { OrgShape } from '../../../sandbox/salesforce/metadata/catalogue.ts';
import { openOrg } from './org.ts';

/**
 * Both shapes and both APIs fail in at least one test. All four combinations would take more time and test nothing new.
 */
const FAILING = ['plain, REST', 'npsp, Bulk'];

const ABILITIES = [
  'groups',
  'newField',
  'vanish',
  'mergeContacts',
  'refuseWrites',
  'refuseField',
  'lock',
  'addBreakingGroup',
  'hideSources',
  'ids',
  // One request reads the former values and writes the new values. Salesforce has no idempotency keys, and keeps
  // histories only for a few fields.
  'losesFormer',
  // Without `optOutValues`, only a checkbox can contain the answer no.
  'anyTextMarks',
] as const;

const AFFILIATION = 'npsp__Primary_Affiliation';
const ADDRESSES = ['MailingAddress', 'OtherAddress'];
const ADDRESS_SOURCES = ['Mailing', 'Other'].flatMap((kind) =>
  ['Street', 'City', 'State', 'PostalCode', 'Country'].map((part) => `${kind}${part}`),
);

/**
 * The connector uses the Bulk API from this number of contacts. The first value avoids the Bulk API, and the second
 * value always uses it.
 */
const THRESHOLDS = { REST: 1_000_000, Bulk: 1 };

for (const shape of ['plain', 'npsp'] satisfies OrgShape[]) {
  for (const [api, bulkThreshold] of Object.entries(THRESHOLDS)) {
    testConnector(
      { describe, it },
      `Salesforce (${shape}, ${api})`,
      () => salesforceHarness(shape, bulkThreshold),
      [
        ...ABILITIES,
        ...(FAILING.includes(`${shape}, ${api}`) ? (['api'] as const) : []),
        ...(shape === 'npsp' ? (['ownMarks'] as const) : []),
      ],
    );
  }
}

async function salesforceHarness(
  shape: OrgShape,
  bulkThreshold: number,
): Promise<ConformanceHarness> {
  const org = await openOrg({ shape, bulkJobTimeMs: 0 });
  const lookup = shape === 'npsp' ? `${AFFILIATION}__c` : 'AccountId';
  return {
    open: (options) => org.connector(...choices(options)),
    check: (options) => org.check(...choices(options)),
    api: { url: org.sandbox.baseUrl },
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
      { name: 'LeadSource', value: 'Web' },
      ...(shape === 'npsp' ? [{ name: 'npo02__TotalOppAmount__c', value: 1_250_000.5 }] : []),
    ],
    newField: { name: 'Fresh__c', label: 'Fresh', type: 'text', description: 'A new field.' },
    ...(shape === 'npsp'
      ? {
          ownMarks: {
            deceased: (id: string) => org.setValue(id, 'npsp__Deceased__c', true),
            doNotContact: (id: string) => org.setValue(id, 'npsp__Do_Not_Contact__c', true),
          },
        }
      : {}),
    contactsForThreePages: 4_001,
    filter: {
      text: "LastName = 'Lopez'",
      included: { firstName: 'Maria', lastName: 'Lopez', addresses: [], employers: [] },
      excluded: { firstName: 'Zoë', lastName: 'Hundred', addresses: [], employers: [] },
    },
    groups: { add: addGroup, unknown: { campaign: 'unknown group' } },
    async vanish(id) {
      await org.control('PUT', 'record-access', { id, access: 'hidden' });
    },
    mergeContacts: org.mergeContacts,
    async refuseWrites(id) {
      const when = `Id = '${id}'`;
      const message = 'This contact is closed.';
      await org.control('POST', 'rules', { kind: 'validation', type: 'Contact', when, message });
    },
    async refuseField(id, field) {
      const rule = { kind: 'validation', type: 'Contact', field, message: 'Not this value.' };
      await org.control('POST', 'rules', { ...rule, when: `Id = '${id}' AND ${field} != null` });
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
    async hideSources(part) {
      const isAddress = part === 'addresses';
      for (const field of isAddress ? ADDRESSES : [lookup]) await setAccess(field, 'hidden');
      return isAddress
        ? ADDRESS_SOURCES
        : [shape === 'npsp' ? `${AFFILIATION}__r.Name` : 'Account.Name'];
    },
    async showSources() {
      for (const field of [...ADDRESSES, lookup]) await setAccess(field, 'visible');
    },
    ids: {
      canonicalId: (text) => salesforceConnector.canonicalId?.(text) ?? null,
      otherForms: (id) => [id.slice(0, 15), id.toLowerCase(), id.toUpperCase()],
      noIds: ['', '42', '001Hs0000000001AAA', '003Hs0000000001AAB'],
    },
    close: org.close,
  };

  function choices({ contacts, url, uses, ...deps }: HarnessOptions = {}) {
    const settings = { bulkThreshold, ...(url === undefined ? {} : { url }) };
    return [settings, deps, { filter: null, optOutField: null, ...contacts }, uses] as const;
  }

  async function setAccess(field: string, access: string): Promise<void> {
    await org.control('PUT', 'field-access', { type: 'Contact', field, access });
  }

  async function addGroup(members: readonly string[]) {
    const [campaign = ''] = await org.create('Campaign', [{ Name: 'Board', IsActive: true }]);
    await org.create(
      'CampaignMember',
      members.map((ContactId) => ({ CampaignId: campaign, ContactId })),
    );
    return { campaign };
  }
}
