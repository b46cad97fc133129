import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector } from '../../../connectors/contract.ts';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { fieldSpecFor } from '../../../src/mapping/field-specs.ts';
import { type Account, openAccount } from './account.ts';

const NOTE = { name: 'note', label: 'Note', type: 'text', description: 'A note.' } as const;
const PROPERTIES = '/crm/properties/2026-09/contacts';

describe('the properties of HubSpot', () => {
  let account: Account;
  let connector: Connector;

  beforeEach(async () => {
    account = await openAccount();
    connector = await account.connector();
  });

  afterEach(async () => {
    await connector.close();
    await account.close();
  });

  async function restart(settings = {}): Promise<void> {
    await connector.close();
    connector = await account.connector(settings);
  }

  async function fieldNamed(name: string) {
    return (await connector.describeFields()).find((field) => field.name === name);
  }

  describe('as fields', () => {
    it.each([
      ['a line of text', {}, { type: 'text', maxLength: 65_536 }],
      ['a text with lines', { fieldType: 'textarea' }, { type: 'longText' }],
      ['a number', { type: 'number', fieldType: 'number' }, { type: 'number' }],
      ['a date', { type: 'date', fieldType: 'date' }, { type: 'date' }],
      ['an instant', { type: 'datetime', fieldType: 'date' }, { type: 'datetime' }],
    ])('describes %s', async (_, form, expected) => {
      await account.createProperty({ name: 'p', ...form });
      await restart();
      expect(await fieldNamed('p')).toMatchObject({ ...expected, name: 'p', writable: true });
    });

    it.each([
      ['select', 'picklist'],
      ['radio', 'picklist'],
      ['checkbox', 'multiPicklist'],
    ])('offers the internal values of an enumeration (%s)', async (fieldType, type) => {
      const options = [
        { label: '$1M – $5M', value: '1m_5m' },
        { label: 'Old', value: 'old', hidden: true },
      ];
      await account.createProperty({ name: 'p', type: 'enumeration', fieldType, options });
      await restart();
      expect(await fieldNamed('p')).toMatchObject({ type, options: ['1m_5m'], restricted: true });
    });

    it('knows what HubSpot writes itself', async () => {
      await restart();
      for (const name of ['createdate', 'lastmodifieddate', 'hs_object_id']) {
        expect(await fieldNamed(name)).toMatchObject({ writable: false });
      }
    });

    it('shows a property that was archived no more', async () => {
      await account.createProperty({ name: 'p' });
      await account.ask('DELETE', `${PROPERTIES}/p`);
      await restart();
      expect(await fieldNamed('p')).toBeUndefined();
    });
  });

  describe('created', () => {
    it('holds every value of the default map', async () => {
      await restart();
      const specs = hubspotConnector.defaultFields.map(({ from, to }) => fieldSpecFor(from, to));
      const created = await connector.createFields(specs);
      expect(created.map(({ result }) => result)).toEqual(specs.map(() => 'created'));
      expect(await connector.createFields(specs)).toEqual(
        specs.map(({ name }) => ({ name, result: 'existed', problem: null })),
      );
      for (const { name } of specs) {
        expect(await fieldNamed(name)).toMatchObject({ name, writable: true });
      }
      expect(await fieldNamed('donor_net_worth_low')).toMatchObject({ type: 'number' });
      expect(await fieldNamed('donor_enhanced_at')).toMatchObject({ type: 'datetime' });
      expect(await fieldNamed('donor_biography')).toMatchObject({ type: 'longText' });
    });

    it('stands in a group of its own, with its description', async () => {
      await restart();
      await connector.createFields([NOTE]);
      expect(await account.ask('GET', `${PROPERTIES}/note`)).toMatchObject({
        groupName: 'donor_sync',
        label: 'Note',
        description: 'A note.',
      });
    });

    it('is a checkbox with two options where a boolean is wanted', async () => {
      await restart();
      const [id = ''] = await account.addContacts(people(1));
      expect(await connector.createFields([{ ...NOTE, type: 'boolean' }])).toMatchObject([
        { result: 'created' },
      ]);
      expect(await fieldNamed('note')).toMatchObject({ type: 'boolean' });
      for await (const result of connector.write([{ id, values: { note: true } }])) {
        expect(result).toEqual({ status: 'written', id });
      }
      expect(await account.seenValue(id, 'note')).toBe('true');
    });

    it('names the scope that the token lacks, and who can give it', async () => {
      await account.withdraw(['crm.schemas.contacts.write']);
      await restart();
      expect(await connector.createFields([NOTE])).toMatchObject([
        {
          result: 'failed',
          problem: expect.stringMatching(/scope crm\.schemas\.contacts\.write\. A super admin/),
        },
      ]);
    });

    it('brings a name back that was archived', async () => {
      await restart();
      await connector.createFields([NOTE]);
      await account.ask('DELETE', `${PROPERTIES}/note`);
      expect(await connector.createFields([NOTE])).toMatchObject([{ result: 'created' }]);
      expect(await fieldNamed('note')).toMatchObject({ writable: true });
    });

    it.each([
      ['has a name that HubSpot does not take', { ...NOTE, name: 'Note__c' }, 'lowercase letters'],
      ['needs options that are not known', { ...NOTE, type: 'picklist' as const }, 'by hand'],
    ])('fails alone if it %s', async (_, spec, problem) => {
      await restart();
      const creations = await connector.createFields([spec, { ...NOTE, name: 'other' }]);
      expect(creations).toEqual([
        { name: spec.name, result: 'failed', problem: expect.stringContaining(problem) },
        { name: 'other', result: 'created', problem: null },
      ]);
    });

    it('names the scope that creating needs, and leaves the rest alone', async () => {
      const scopes = ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'];
      await restart({ auth: { type: 'token', token: await account.issueToken({ scopes }) } });
      expect(await connector.createFields([NOTE])).toEqual([
        {
          name: 'note',
          result: 'failed',
          problem: expect.stringContaining('crm.schemas.contacts.write'),
        },
      ]);
    });
  });
});
