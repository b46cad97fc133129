import { createHmac } from 'node:crypto';
import { describe, it } from 'vitest';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { API_VERSIONS, type ApiVersion } from '../../../connectors/hubspot/paths.ts';
import {
  type ConformanceHarness,
  type HarnessOptions,
  testConnector,
} from '../../../connectors/testing/conformance.ts';
import { openAccount } from './account.ts';

const ABILITIES = [
  'api',
  'groups',
  'newField',
  'vanish',
  'mergeContacts',
  // If a write names a merged contact, HubSpot changes and returns the remaining contact. The connector refuses this
  // result.
  'followsMerges',
  'refuseWrites',
  'refuseField',
  'lock',
  'automate',
  'otherApp',
  'addBreakingGroup',
  'hideSources',
  'ids',
  'webhooks',
] as const;

const SOURCES = {
  addresses: ['address', 'city', 'state', 'zip', 'country'],
  employers: ['company'],
};

for (const apiVersion of API_VERSIONS) {
  testConnector(
    { describe, it },
    `HubSpot (${apiVersion})`,
    () => hubspotHarness(apiVersion),
    ABILITIES,
  );
}

async function hubspotHarness(apiVersion: ApiVersion): Promise<ConformanceHarness> {
  const account = await openAccount();
  await account.createProperty({ name: 'note' });
  await account.createProperty({ name: 'birthday', type: 'date', fieldType: 'date' });
  await account.createProperty({ name: 'seen', type: 'datetime', fieldType: 'date' });
  await account.createProperty({ name: 'points', type: 'number', fieldType: 'number' });
  await account.createProperty({
    name: 'interests',
    type: 'enumeration',
    fieldType: 'checkbox',
    options: ['arts', 'health', 'youth'].map((value) => ({ value, label: value })),
  });
  await account.createProperty({
    name: 'tier',
    type: 'enumeration',
    fieldType: 'select',
    options: ['low', 'high'].map((value) => ({ value, label: value })),
  });
  let lists = 0;

  return {
    open: (options) => account.connector(...choices(options)),
    check: (options) => account.check(...choices(options)),
    api: { url: account.sandbox.baseUrl },
    addContacts: account.addContacts,
    async editContact(id, changes) {
      await account.editContact(id, changes);
    },
    async deleteContact(id) {
      await account.archiveContact(id);
    },
    async setValue(id, field, value) {
      await account.setValue(id, field, value);
    },
    seenValue: account.seenValue,
    textFields: ['jobtitle', 'note'],
    typedFields: [
      { name: 'birthday', value: '1962-03-04' },
      { name: 'seen', value: '2026-11-20T02:00:00.000Z' },
      { name: 'points', value: 1250000.5 },
      { name: 'interests', value: 'arts;youth' },
      { name: 'tier', value: 'high' },
    ],
    newField: { name: 'fresh', label: 'Fresh', type: 'text', description: 'A new field.' },
    contactsForThreePages: 401,
    filter: {
      text: JSON.stringify([{ propertyName: 'lastname', operator: 'EQ', value: 'Lopez' }]),
      included: { firstName: 'Maria', lastName: 'Lopez', addresses: [], employers: [] },
      excluded: { firstName: 'Zoë', lastName: 'Hundred', addresses: [], employers: [] },
    },
    groups: { add: addGroup, unknown: { list: 'unknown group' } },
    async vanish(id) {
      await account.control('POST', 'edit', { action: 'erase', id });
    },
    async mergeContacts(loser, winner) {
      await account.mergeContacts(loser, winner);
    },
    async refuseWrites(id) {
      await account.control('POST', 'rules', { kind: 'refuse', ids: [id] });
    },
    async refuseField(id, property) {
      const pattern = `^(?!.*${id})`;
      await account.control('POST', 'rules', { kind: 'validation', property, pattern });
    },
    async lock(id, times) {
      const rule = { kind: 'refuse', ids: [id], category: 'RATE_LIMITS', times };
      await account.control('POST', 'rules', rule);
    },
    async automate(property) {
      const change = { kind: 'upperCase' };
      await account.control('POST', 'automation', { property, change });
    },
    async writeAsOtherApp(id, property, value) {
      const author = { source: 'INTEGRATION', sourceId: 'appId:9' };
      await account.edit({ action: 'update', id, values: { [property]: value }, ...author });
    },
    async addBreakingGroup(members) {
      const selector = await addGroup(members);
      await account.putFaults([{ on: { path: '*/memberships' }, fault: { kind: 'truncate' } }]);
      return selector;
    },
    async hideSources(part) {
      for (const property of SOURCES[part]) await account.hide(property);
      return SOURCES[part];
    },
    async showSources() {
      for (const property of Object.values(SOURCES).flat()) await account.hide(property, 'visible');
    },
    webhooks: {
      definition: hubspotConnector.about?.webhooks ?? {},
      changed: (ids) => callOf('contact.propertyChange', ids),
      deleted: (ids) => callOf('contact.deletion', ids),
      merged: (loser, winner) =>
        callOf('contact.merge', [winner], {
          primaryObjectId: Number(winner),
          mergedObjectIds: [Number(loser)],
        }),
      erased: (ids) => callOf('contact.privacyDeletion', ids),
      others: [
        callOf('company.propertyChange', ['1']),
        callOf('object.deletion', ['1'], { objectTypeId: '0-2' }),
      ],
      signed(body, secret) {
        const url = 'https://sync.example.org/hooks/hubspot';
        const time = String(Date.now());
        const signature = createHmac('sha256', secret)
          .update(`POST${url}${body}${time}`)
          .digest('base64');
        const headers = {
          'x-hubspot-request-timestamp': time,
          'x-hubspot-signature-v3': signature,
        };
        return { method: 'POST', url, headers };
      },
    },
    ids: {
      canonicalId: (text) => hubspotConnector.canonicalId?.(text) ?? null,
      otherForms: (id) => [`000${id}`, ` ${id} `],
      noIds: ['', '0', 'Maria', '97 51', '003Hs0000000001AAA'],
    },
    close: account.close,
  };

  function choices({ contacts, url, uses, ...deps }: HarnessOptions = {}) {
    const settings = { apiVersion, ...(url === undefined ? {} : { url }) };
    return [settings, deps, contacts ?? {}, uses] as const;
  }

  function callOf(subscriptionType: string, ids: readonly string[], more: object = {}): string {
    const { portalId } = account.sandbox;
    const eventOf = (id: string) => ({ subscriptionType, portalId, objectId: Number(id), ...more });
    return JSON.stringify(ids.map(eventOf));
  }

  async function addGroup(members: readonly string[]) {
    lists += 1;
    return { list: await account.addList(`List ${lists}`, members) };
  }
}
