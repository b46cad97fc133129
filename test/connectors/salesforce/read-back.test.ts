import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connector, ContactChange, ReadBack } from '../../../connectors/contract.ts';
import { people } from '../../../connectors/testing/seeds.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { toArray } from '../connector-options.ts';
import { type Org, openOrg } from './org.ts';

const WORTH = 'Worth__c';
const NAME = 'Work__c';
const FIELDS = [WORTH, NAME];

describe.each([
  ['by collections', {}],
  ['in bulk', { bulkThreshold: 1 }],
])('reading values back that were written %s', (_, settings) => {
  let org: Org;
  let connector: Connector;
  let nowMs: number;

  beforeEach(async () => {
    nowMs = Date.parse('2026-11-26T02:00:00.000Z');
    org = await openOrg({ bulkJobTimeMs: 0, clock: () => nowMs });
    connector = await org.connector(settings, {
      clock: { now: systemClock.now, sleep: () => Promise.resolve() },
    });
    const spec = { description: 'A test.' };
    await connector.createFields([
      { ...spec, name: WORTH, label: WORTH, type: 'integer' },
      { ...spec, name: NAME, label: NAME, type: 'text' },
    ]);
  });

  afterEach(() => org.close());

  it('vouches for what the org’s automation has made of them, and for nothing else', async () => {
    await org.control('POST', 'automation', { field: WORTH, change: { kind: 'round', to: 1_000 } });
    const ids = await org.addContacts(people(250));
    const before = (await org.requests()).length;
    await write(ids.map((id, at) => ({ id, values: { [WORTH]: 5_000 + at, [NAME]: 'Acme' } })));
    const wrote = (await org.requests()).length;
    const read = await readBack(ids.slice(0, 200));
    expect((await org.requests()).length - wrote).toBe(1);
    expect(wrote).toBeGreaterThan(before);
    expect(read[0]).toEqual({
      id: ids[0],
      values: { [WORTH]: 5_000, [NAME]: 'Acme' },
      automated: [],
    });
    expect(read[7]).toEqual({
      id: ids[7],
      values: { [WORTH]: 5_000, [NAME]: 'Acme' },
      automated: [WORTH],
    });
    expect(read.map(({ id }) => id)).toEqual(ids.slice(0, 200));
  });

  it.each([
    ['upperCase', NAME, 'acme', 'ACME'],
    ['clear', NAME, 'Acme', null],
  ])('vouches for %s', async (kind, field, sent, now) => {
    await org.control('POST', 'automation', { field, change: { kind } });
    const [id = ''] = await org.addContacts(people(1));
    await write([{ id, values: { [field]: sent } }]);
    const [read] = (await connector.readBack?.([{ id, fields: [field], sentAtMs: nowMs }])) ?? [];
    expect(read).toEqual({ id, values: { [field]: now }, automated: [field] });
  });

  it('does not vouch for what another user has typed in between', async () => {
    const [id = ''] = await org.addContacts(people(1));
    await write([{ id, values: { [WORTH]: 5_000, [NAME]: 'Acme' } }]);
    await org.edit({ action: 'update', id, values: { [NAME]: 'Acme Inc.' } });
    expect(await readBack([id])).toEqual([
      { id, values: { [WORTH]: 5_000, [NAME]: 'Acme Inc.' }, automated: [] },
    ]);
  });

  it('does not vouch for what another tool has written as our user, and says that there is one', async () => {
    const [id = ''] = await org.addContacts(people(1));
    await write([{ id, values: { [WORTH]: 5_000, [NAME]: 'Acme' } }]);
    nowMs += 10_000;
    await org.edit({ action: 'update', id, values: { [NAME]: 'Acme Inc.' }, by: 'integration' });
    expect(await readBack([id])).toEqual([
      {
        id,
        values: { [WORTH]: 5_000, [NAME]: 'Acme Inc.' },
        automated: [],
        sharesUser: true,
      },
    ]);
  });

  it('brings nothing of a contact that is gone, and vouches for nothing that it has not written', async () => {
    const [gone = '', other = '', here = ''] = await org.addContacts(people(3));
    await write([gone, here].map((id) => ({ id, values: { [WORTH]: 1, [NAME]: 'Acme' } })));
    await org.deleteContact(gone);
    await org.edit({ action: 'update', id: other, values: { [NAME]: 'Q' }, by: 'integration' });
    expect(await readBack([gone, other, here])).toEqual([
      { id: gone, values: null, automated: [] },
      { id: other, values: { [WORTH]: null, [NAME]: 'Q' }, automated: [] },
      { id: here, values: { [WORTH]: 1, [NAME]: 'Acme' }, automated: [] },
    ]);
    expect(await connector.readBack?.([])).toEqual([]);
  });

  async function readBack(ids: readonly string[]): Promise<ReadBack[]> {
    const writes = ids.map((id) => ({ id, fields: FIELDS, sentAtMs: nowMs }));
    return (await connector.readBack?.(writes)) ?? [];
  }

  async function write(changes: ContactChange[]): Promise<void> {
    const results = await toArray(connector.write(changes));
    expect(results.filter(({ status }) => status !== 'written')).toEqual([]);
  }
});
