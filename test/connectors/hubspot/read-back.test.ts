import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connector, ContactChange } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';
import { openFront } from './front.ts';

const READ = '/crm/objects/2026-09/contacts/batch/read';

/** A change of the property `note` after our write, as an entry in its history. */
type Entry = [sourceType: string, value: string, sourceId?: string];

const historySchema = z.looseObject({
  results: z.array(
    z.looseObject({
      properties: z.record(z.string(), z.string().nullable()),
      propertiesWithHistory: z
        .record(z.string(), z.array(z.looseObject({ timestamp: z.string() })))
        .optional(),
    }),
  ),
});

describe('values of HubSpot that are read back after they were written', () => {
  let account: Account;
  let connector: Connector;
  let id: string;
  let later: Entry[];
  const open: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    account = await openAccount();
    open.push(account);
    await account.createProperty({ name: 'note' });
    await account.createProperty({ name: 'worth', type: 'number', fieldType: 'number' });
    later = [];
    const front = await openFront(account.sandbox.baseUrl, (url, body) =>
      url === READ ? { status: 200, body: withLater(body) } : null,
    );
    open.push(front);
    connector = await account.connector({ url: front.url });
    open.push(connector);
    [id = ''] = await account.addContacts(people(1));
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('are ours where nothing came after our write', async () => {
    expect(await writeAndRead({ note: 'ours', worth: 12_345 })).toEqual([
      { id, values: { note: 'ours', worth: 12_345 }, automated: [] },
    ]);
  });

  it.each<[string, Entry[]]>([
    ['a workflow', [['AUTOMATION_PLATFORM', 'OURS']]],
    ['a workflow of the older kind', [['WORKFLOWS', 'OURS']]],
    ['a calculation', [['CALCULATED', 'OURS']]],
    ['data of HubSpot itself', [['DATA_ENRICHMENT', 'OURS']]],
    [
      'one workflow after the other',
      [
        ['WORKFLOWS', 'x'],
        ['AUTOMATION_PLATFORM', 'OURS'],
      ],
    ],
    ['a workflow that clears it', [['AUTOMATION_PLATFORM', '']]],
  ])('are changed by automation where it was %s', async (_, entries) => {
    later = entries;
    const value = entries.at(-1)?.[1] || null;
    expect(await writeAndRead({ note: 'ours', worth: 12 })).toEqual([
      { id, values: { note: value, worth: 12 }, automated: ['note'] },
    ]);
  });

  it.each<[string, Entry[]]>([
    ['a user typed', [['CRM_UI', 'theirs']]],
    [
      'a user typed and a workflow changed then',
      [
        ['CRM_UI', 'x'],
        ['WORKFLOWS', 'X'],
      ],
    ],
    [
      'a user typed over what a workflow had changed',
      [
        ['WORKFLOWS', 'X'],
        ['CRM_UI', 'theirs'],
      ],
    ],
    ['a user typed on a phone', [['MOBILE_IOS', 'theirs']]],
    ['an import brought', [['IMPORT', 'theirs']]],
    ['another app wrote', [['INTEGRATION', 'theirs', 'appId:9']]],
    [
      'another app wrote and a workflow changed then',
      [
        ['INTEGRATION', 'x', 'appId:9'],
        ['WORKFLOWS', 'X'],
      ],
    ],
    ['a merge brought', [['MERGE_OBJECTS', 'theirs']]],
    ['an unknown source brought', [['SOMETHING_NEW', 'theirs']]],
  ])('are a user’s where %s', async (_, entries) => {
    later = entries;
    expect(await writeAndRead({ note: 'ours' })).toEqual([
      { id, values: { note: entries.at(-1)?.[1] }, automated: [] },
    ]);
  });

  it('tell what a workflow of the account rounded from what a user typed then', async () => {
    await account.control('POST', 'automation', {
      ...{ property: 'worth', change: { kind: 'round', to: 1_000 } },
    });
    expect(await writeAndRead({ note: 'ours', worth: 12_345 })).toEqual([
      { id, values: { note: 'ours', worth: 12_000 }, automated: ['worth'] },
    ]);
    const sentAtMs = Date.now();
    await write({ id, values: { worth: 54_321 } });
    await account.edit({ action: 'update', id, values: { worth: '7700' } });
    const read = await connector.readBack?.([{ id, fields: ['worth'], sentAtMs }]);
    // The workflow has also rounded the user's value.
    expect(read).toEqual([{ id, values: { worth: 8_000 }, automated: [] }]);
  });

  it('are not automation’s where it changed them before our write', async () => {
    await write({ id, values: { note: 'ours' } });
    later = [['AUTOMATION_PLATFORM', 'OURS']];
    const sentAtMs = Date.now() + 60_000;
    const read = await connector.readBack?.([{ id, fields: ['note'], sentAtMs }]);
    expect(read).toEqual([{ id, values: { note: 'OURS' }, automated: [] }]);
  });

  it('are automation’s whatever the clock says, if the value that it changed is the sent one', async () => {
    const sentAtMs = Date.now() + 60_000;
    await write({ id, values: { note: 'ours' } });
    later = [['AUTOMATION_PLATFORM', 'OURS']];
    const readFor = (note: string) =>
      connector.readBack?.([{ id, fields: ['note'], sentAtMs, sent: { note } }]);
    expect(await readFor('ours')).toMatchObject([{ automated: ['note'] }]);
    expect(await readFor('other')).toMatchObject([{ automated: [] }]);
  });

  it('are read by fifties, one entry for each write, in their order', async () => {
    const ids = await account.addContacts(people(120));
    for (const each of [ids[3] ?? '', ids[77] ?? '']) await account.archiveContact(each);
    const before = await reads();
    const asked = [...ids.slice(0, 99).reverse(), 'no id'];
    const read = await connector.readBack?.(
      asked.map((one) => ({ id: one, fields: ['note'], sentAtMs: Date.now() })),
    );
    expect(await reads()).toBe(before + 2);
    expect(read?.map((one) => one.id)).toEqual(asked);
    const gone = read?.filter(({ values }) => values === null).map((one) => one.id);
    expect(gone).toEqual([ids[77], ids[3], 'no id']);
  });

  it('of a contact that was merged cannot be read any more', async () => {
    const [winner = ''] = await account.addContacts(people(1));
    await write({ id, values: { note: 'ours' } });
    await account.mergeContacts(id, winner, true);
    const read = await connector.readBack?.([{ id, fields: ['note'], sentAtMs: Date.now() }]);
    expect(read).toEqual([{ id, values: null, automated: [] }]);
  });

  it('are left out where the token no longer sees them', async () => {
    await write({ id, values: { note: 'ours', worth: 12 } });
    await account.hide('note');
    const fields = ['note', 'worth'];
    const read = await connector.readBack?.([{ id, fields, sentAtMs: Date.now() }]);
    expect(read).toEqual([{ id, values: { worth: 12 }, automated: [] }]);
  });

  async function writeAndRead(values: ContactChange['values']) {
    const sentAtMs = Date.now();
    await write({ id, values });
    return connector.readBack?.([{ id, fields: Object.keys(values), sentAtMs }]);
  }

  async function write(change: ContactChange): Promise<void> {
    const results = await toArray(connector.write([change]));
    expect(results).toMatchObject([{ status: 'written' }]);
  }

  async function reads(): Promise<number> {
    return (await account.requests()).filter(({ path }) => path === READ).length;
  }

  /** Returns the account's response with later changes of `note`. */
  function withLater(body: unknown): unknown {
    const reply = historySchema.parse(body);
    const results = reply.results.map((record) => {
      const history = record.propertiesWithHistory;
      const last = later.at(-1);
      if (history === undefined || last === undefined) return record;
      const [newest] = history['note'] ?? [];
      const startMs = newest === undefined ? Date.now() : Date.parse(newest.timestamp);
      const added = later.map(([sourceType, value, sourceId = 'enrollmentId:1'], at) => ({
        ...{ value, sourceType, sourceId },
        timestamp: new Date(startMs + at).toISOString(),
      }));
      return {
        ...record,
        properties: { ...record.properties, note: last[1] },
        propertiesWithHistory: {
          ...history,
          note: [...added.reverse(), ...(history['note'] ?? [])],
        },
      };
    });
    return { ...reply, results };
  }
});
