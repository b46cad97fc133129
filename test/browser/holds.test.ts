import { describe, expect, it } from 'vitest';
import { integrationSchema } from '../../src/core/integration.ts';
import { type PageHoldStore, readHolds } from '../../src/http/dashboard/holds.ts';
import type { HoldBatch } from '../../src/store/holds/hold-batches.ts';
import type { HoldRecord } from '../../src/store/holds/holds.ts';
import type { NetworkHoldRecord } from '../../src/store/networks/network-holds.ts';
import { aContactHold, aNetworkHold } from '../helpers/hold-rows.ts';

const RIVERSIDE = integrationSchema.parse({
  id: 'riverside',
  name: 'Riverside',
  partner: { baseUrl: 'http://127.0.0.1:4100', apiKey: 'key' },
  crm: { kind: 'salesforce', url: 'https://food-bank.my.salesforce.com' },
});
const INTEGRATIONS = new Map([['riverside', RIVERSIDE]]);

/** A store with these holds. */
function aStore(
  contacts: HoldRecord[],
  networks: NetworkHoldRecord[],
  batches: HoldBatch[] = [],
): PageHoldStore {
  return {
    holds: {
      listAlone: () => Promise.resolve(contacts),
      listBatches: () => Promise.resolve(batches),
    },
    networkHolds: { listOpen: () => Promise.resolve(networks) },
  };
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

  it('shows a batch as one decision with what changed and what it costs', async () => {
    const batch = { id: 'b', integrationId: 'riverside', count: 412, since: 3 };
    const parts = { employers: 20, addresses: 400 };
    const store = aStore([aContactHold()], [], [{ ...batch, parts }]);
    const { batches, shown, total, byIntegration } = await readHolds(store, INTEGRATIONS);
    expect(batches).toEqual([
      {
        ...{ id: 'b', integration: { id: 'riverside', name: 'Riverside' }, count: 412 },
        changed: '400 addresses, 20 employers',
        credits: 412,
        since: '1970-01-01T00:00:00.003Z',
      },
    ]);
    expect([shown.length, total, byIntegration.get('riverside')]).toEqual([1, 2, 2]);
    const gone = aStore([], [], [{ ...batch, integrationId: 'gone', parts }]);
    expect(await readHolds(gone, INTEGRATIONS)).toMatchObject({ total: 0, batches: [] });
  });

  it('leaves out what belongs to an integration that is gone', async () => {
    const store = aStore([aContactHold({ integrationId: 'gone' })], []);
    expect(await readHolds(store, INTEGRATIONS)).toMatchObject({ total: 0, shown: [] });
  });
});
