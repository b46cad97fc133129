import { describe, expect, it } from 'vitest';
import type { HoldStore } from '../../src/application/holds.ts';
import { integrationSchema } from '../../src/core/integration.ts';
import { readHolds } from '../../src/http/dashboard/holds.ts';
import type { HoldRow } from '../../src/store/holds.ts';
import type { NetworkHoldRow } from '../../src/store/network-holds.ts';
import { aContactHold, aNetworkHold } from '../helpers/hold-rows.ts';

const RIVERSIDE = integrationSchema.parse({
  ...{ id: 'riverside', name: 'Riverside' },
  partner: { baseUrl: 'http://127.0.0.1:4100', apiKey: 'key' },
  crm: { kind: 'salesforce', url: 'https://food-bank.my.salesforce.com' },
});
const INTEGRATIONS = new Map([['riverside', RIVERSIDE]]);

/** A store with these holds. */
function aStore(contacts: HoldRow[], networks: NetworkHoldRow[]): HoldStore {
  const queries = <Row extends { id: string }>(rows: Row[]) => ({
    listOpen: () => Promise.resolve(rows),
    find: (id: string) => Promise.resolve(rows.find((row) => row.id === id)),
    decide: () => Promise.resolve(true),
  });
  return { holds: queries(contacts), networkHolds: queries(networks) };
}

describe('readHolds', () => {
  it('puts contacts and networks in one list, the oldest first, with what can be decided', async () => {
    const store = aStore([aContactHold(), aContactHold({ kind: 'lost_answer' })], [aNetworkHold()]);
    const { shown, total, byIntegration } = await readHolds(store, INTEGRATIONS);
    expect(shown.map(({ subject }) => subject)).toEqual(['Board', '003A', '003A']);
    expect(shown.map(({ choices }) => choices.map(({ decision }) => decision))).toEqual([
      ['approve', 'reject'],
      ['approve', 'reject', 'resubmit'],
      ['reject', 'resubmit'],
    ]);
    expect(shown[1]?.url).toBe('https://food-bank.my.salesforce.com/003A');
    expect([total, byIntegration.get('riverside')]).toEqual([3, 3]);
  });

  it('shows as many as a page can bear, and counts all', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => aContactHold({ id: String(index) }));
    const { shown, total } = await readHolds(aStore(rows, []), INTEGRATIONS);
    expect([shown.length, total]).toEqual([50, 60]);
  });

  it('leaves out what belongs to an integration that is gone', async () => {
    const store = aStore([aContactHold({ integration_id: 'gone' })], []);
    expect(await readHolds(store, INTEGRATIONS)).toMatchObject({ total: 0, shown: [] });
  });
});
