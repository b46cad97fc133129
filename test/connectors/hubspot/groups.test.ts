import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, GroupSelector } from '../../../connectors/contract.ts';
import { hubspotGroupSchema } from '../../../connectors/hubspot/settings.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

describe('groups of HubSpot', () => {
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

  async function members(selector: GroupSelector): Promise<string[]> {
    return (await toArray(connector.readGroup(selector))).flat();
  }

  it('reads a list by its name and by its id', async () => {
    const ids = await account.addContacts(people(4));
    const list = await account.addList('Our Board', ids.slice(1, 3));
    expect((await members({ list: 'Our Board' })).sort()).toEqual(ids.slice(1, 3).sort());
    expect((await members({ list })).sort()).toEqual(ids.slice(1, 3).sort());
  });

  it('reads a list whose name is a number', async () => {
    const ids = await account.addContacts(people(2));
    await account.addList('2026', ids);
    expect((await members({ list: '2026' })).sort()).toEqual([...ids].sort());
  });

  it('reads a list of many pages, each member once', async () => {
    const ids = await account.addContacts(people(620));
    await account.addList('Everybody', ids);
    const found = await members({ list: 'Everybody' });
    expect(found).toHaveLength(620);
    expect(new Set(found)).toEqual(new Set(ids));
  });

  it('reads a list that HubSpot keeps by filters', async () => {
    const ids = await account.create('contacts', [
      { lastname: 'In', city: 'Springfield' },
      { lastname: 'Out', city: 'Shelbyville' },
    ]);
    const filter = {
      filterType: 'PROPERTY',
      property: 'city',
      operation: {
        operationType: 'MULTISTRING',
        operator: 'IS_EQUAL_TO',
        values: ['Springfield'],
      },
    };
    await account.ask('POST', '/crm/lists/2026-09', {
      name: 'Springfield',
      objectTypeId: '0-1',
      processingType: 'DYNAMIC',
      filterBranch: {
        filterBranchType: 'OR',
        filterBranchOperator: 'OR',
        filters: [],
        filterBranches: [
          {
            filterBranchType: 'AND',
            filterBranchOperator: 'AND',
            filters: [filter],
            filterBranches: [],
          },
        ],
      },
    });
    expect(await members({ list: 'Springfield' })).toEqual(ids.slice(0, 1));
  });

  it('refuses a list that does not hold contacts', async () => {
    const created = await account.ask('POST', '/crm/lists/2026-09', {
      name: 'Firms',
      objectTypeId: '0-2',
      processingType: 'MANUAL',
    });
    const schema = z.object({ list: z.object({ listId: z.string() }) });
    for (const list of ['Firms', schema.parse(created).list.listId]) {
      await expect(members({ list })).rejects.toMatchObject({ code: 'crm_group_unknown' });
    }
  });

  it('finds the contacts with a value, more than one search may show', async () => {
    const records = Array.from({ length: 450 }, (_, at) => ({
      lastname: `L${at}`,
      city: at < 420 ? 'Springfield' : 'Shelbyville',
    }));
    const ids = await account.create('contacts', records);
    expect(await members({ property: 'city', equals: 'Springfield' })).toEqual(ids.slice(0, 420));
  });

  it('finds everybody beside a merged contact, whose id is newer than its age', async () => {
    await account.close();
    let now = Date.now();
    account = await openAccount({ clock: () => now });
    const springfield = (count: number) =>
      Array.from({ length: count }, () => ({ lastname: 'L', city: 'Springfield' }));
    const ids = await account.create('contacts', springfield(199));
    now += 1_000;
    const [loser = '', winner = ''] = await account.create('contacts', springfield(2));
    now += 1_000;
    ids.push(...(await account.create('contacts', springfield(100))));
    ids.push(await account.mergeContacts(loser, winner, true));
    await connector.close();
    connector = await account.connector();
    expect(await members({ property: 'city', equals: 'Springfield' })).toEqual(ids);
  });

  it('takes numbers and booleans of a settings file for their texts', () => {
    expect(hubspotGroupSchema.parse({ property: 'board', equals: true })).toEqual({
      property: 'board',
      equals: 'true',
    });
    expect(hubspotGroupSchema.parse({ list: 42 })).toEqual({ list: '42' });
  });

  it('throws for a property that is not there', async () => {
    await account.addContacts(people(1));
    await expect(members({ property: 'board__c', equals: 'true' })).rejects.toMatchObject({
      kind: 'configuration',
    });
  });

  it('throws for a list in the middle, and reads the next one all the same', async () => {
    const ids = await account.addContacts(people(300));
    const first = await account.addList('First', ids);
    const second = await account.addList('Second', ids.slice(0, 2));
    await account.putFaults([
      {
        on: { path: `*/${first}/memberships` },
        after: 1,
        fault: { kind: 'gatewayError', status: 503 },
      },
    ]);
    await expect(members({ list: first })).rejects.toMatchObject({ kind: 'retriable' });
    expect(await members({ list: second })).toHaveLength(2);
  });

  describe('of which a list is not complete', () => {
    let ids: string[];
    let listId: string;
    beforeEach(async () => {
      ids = await account.addContacts(people(20));
      listId = await account.addList('Patrons', ids);
    });

    it.each(['PROCESSING', 'A_WORD_OF_TOMORROW'])('throws if its status is %s', async (status) => {
      await account.control('PUT', 'list-processing', { listId, status, members: 12 });
      for (const list of [listId, 'Patrons']) {
        await expect(members({ list })).rejects.toMatchObject({
          kind: 'retriable',
          code: 'crm_list_in_progress',
          message: expect.stringContaining(status),
        });
      }
      await account.control('PUT', 'list-processing', { listId, status: 'COMPLETE' });
      expect(await members({ list: listId })).toHaveLength(20);
    });

    it('throws if HubSpot starts to process it while it is read', async () => {
      const reading = connector.readGroup({ list: listId })[Symbol.asyncIterator]();
      expect((await reading.next()).value).toHaveLength(20);
      await account.control('PUT', 'list-processing', { listId, status: 'PROCESSING' });
      await expect(reading.next()).rejects.toMatchObject({ code: 'crm_list_in_progress' });
    });

    it('throws if far fewer members are shown than HubSpot counts', async () => {
      const status = 'COMPLETE';
      await account.control('PUT', 'list-processing', { listId, status, members: 12, size: 20 });
      await expect(members({ list: listId })).rejects.toMatchObject({
        kind: 'retriable',
        code: 'crm_list_in_progress',
        message: expect.stringContaining('12 of 20'),
      });
    });

    it('takes a list of which HubSpot counts a few members more than it shows', async () => {
      const status = 'COMPLETE';
      await account.control('PUT', 'list-processing', { listId, status, members: 19, size: 20 });
      expect(await members({ list: listId })).toHaveLength(19);
    });
  });

  it('reads a list with the scope that replaces the one of lists', async () => {
    const ids = await account.addContacts(people(2));
    const list = await account.addList('Board', ids);
    await account.control('PUT', 'oauth', { withheldScopes: ['crm.lists.read'] });
    await connector.close();
    const auth = { type: 'oauth', ...(await account.install(['crm.segments.read'])) };
    connector = await account.connector({ auth });
    expect(await members({ list })).toEqual(ids);
    expect(await connector.listGroups()).toContainEqual(expect.objectContaining({ name: 'Board' }));
  });

  it('offers the lists of contacts with their sizes', async () => {
    const ids = await account.addContacts(people(3));
    await account.addList('Three', ids);
    const groups = await connector.listGroups();
    const three = groups.find(({ name }) => name === 'Three');
    expect(three).toMatchObject({ memberCount: 3 });
    expect((await members(three?.selector ?? {})).sort()).toEqual([...ids].sort());
  });
});
