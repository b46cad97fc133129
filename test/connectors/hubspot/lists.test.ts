import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ListCreation } from '../../../connectors/contract.ts';
import { hubspotConnector } from '../../../connectors/hubspot/connector.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { wantedLists } from '../../../src/fields/lists.ts';
import { fieldSpecFor } from '../../../src/mapping/field-specs.ts';
import { toArray } from '../connector-options.ts';
import { type Account, openAccount } from './account.ts';

const BOUNDS = { capacityAbove: 100_000, warmPathAbove: 50 };

const CAPACITY = 'donor-sync: capacity above $100,000';
const WARM_PATH = 'donor-sync: warm path above 50%';
const DECISION = 'donor-sync: needs a decision';

/** Tests lists of contacts that need work, which HubSpot updates automatically. */
describe('the lists that donor-sync makes in HubSpot', () => {
  let account: Account;
  const { defaultFields } = hubspotConnector;

  beforeEach(async () => {
    account = await openAccount();
    const connector = await account.connector();
    await connector.createFields(defaultFields.map(({ from, to }) => fieldSpecFor(from, to)));
    await connector.close();
  });

  afterEach(() => account.close());

  async function createLists(
    settings: Record<string, unknown> = {},
    mappings = defaultFields,
  ): Promise<ListCreation[]> {
    const connector = await account.connector(settings);
    const { specs, impossible } = wantedLists(mappings, await connector.describeFields(), BOUNDS);
    const made = (await connector.createLists?.(specs)) ?? [];
    await connector.close();
    return [...made, ...impossible];
  }

  async function members(name: string): Promise<string[]> {
    const connector = await account.connector();
    const portions = await toArray(connector.readGroup({ list: name }));
    await connector.close();
    return portions.flat();
  }

  it('hold who could give more, who is well connected, and who waits for a decision', async () => {
    const [rich = '', poor = '', connected = '', held = ''] = await account.addContacts(people(4));
    expect(await createLists()).toEqual(
      [CAPACITY, WARM_PATH, DECISION].map((name) => ({ name, result: 'created', problem: null })),
    );
    await account.setValue(rich, 'donor_giving_capacity', '100001');
    await account.setValue(poor, 'donor_giving_capacity', '100000');
    await account.setValue(connected, 'warm_path_strength', '0.51');
    await account.setValue(poor, 'warm_path_strength', '0.5');
    await account.setValue(held, 'donor_sync_status', 'Held');
    await account.setValue(rich, 'donor_sync_status', 'Written');
    expect(await members(CAPACITY)).toEqual([rich]);
    expect(await members(WARM_PATH)).toEqual([connected]);
    expect(await members(DECISION)).toEqual([held]);
  });

  it('are made once, and stay as people have changed them', async () => {
    await createLists();
    const before = await account.requests();
    const again = await createLists();
    expect(again.map(({ result }) => result)).toEqual(['existed', 'existed', 'existed']);
    const writes = (await account.requests())
      .slice(before.length)
      .filter(({ method, path }) => method === 'POST' && /\/lists\/[\d-]+$/.test(path));
    expect(writes).toEqual([]);
  });

  it('ask a text property for the same where the status is one', async () => {
    await account.createProperty({ name: 'own_status' });
    const mappings = [{ from: 'sync.status', to: 'own_status', when: 'unlessEdited' }] as const;
    const [held = ''] = await account.addContacts(people(1));
    await account.setValue(held, 'own_status', 'Held');
    const made = await createLists({}, mappings);
    expect(made).toMatchObject([
      { name: DECISION, result: 'created' },
      { name: CAPACITY, result: 'left_out', problem: expect.stringContaining('capacity.highest') },
      { name: WARM_PATH, result: 'left_out', problem: expect.stringContaining('networks') },
    ]);
    expect(await members(DECISION)).toEqual([held]);
  });

  it('are not made of a text, which has no order', async () => {
    const mappings = [{ from: 'capacity.nonprofit', to: 'jobtitle', when: 'always' }] as const;
    expect(await createLists({}, mappings)).toContainEqual({
      ...{ name: CAPACITY, result: 'failed' },
      problem: expect.stringContaining('is not a number field'),
    });
  });

  it.each([
    [
      'a token',
      async () => ({ type: 'token', token: await account.issueToken({ scopes: FEWER_SCOPES }) }),
    ],
    ['OAuth', async () => ({ type: 'oauth', ...(await account.install()) })],
  ])('need a scope that is named (%s)', async (_, auth) => {
    const made = await createLists({ auth: await auth() });
    expect(made.map(({ result }) => result)).toEqual(['failed', 'failed', 'failed']);
    for (const { problem } of made) expect(problem).toContain('crm.lists.write');
    const requests = await account.requests();
    const reply = await account.ask('POST', '/crm/lists/2026-09/search', { query: 'donor-sync' });
    expect(z.object({ total: z.number() }).parse(reply).total).toBe(0);
    expect(requests.filter(({ status }) => (status ?? 0) >= 500)).toEqual([]);
  });
});

const FEWER_SCOPES = [
  'oauth',
  'crm.objects.contacts.read',
  'crm.objects.contacts.write',
  'crm.lists.read',
];
