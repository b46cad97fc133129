import { describe, expect, it } from 'vitest';
import { integrationSchema } from '../../src/core/integration.ts';
import { decideHold, type HoldStore, readHolds } from '../../src/http/dashboard/holds.ts';
import type { HoldRow } from '../../src/store/holds.ts';
import type { NetworkHoldRow } from '../../src/store/network-holds.ts';

const RIVERSIDE = integrationSchema.parse({
  ...{ id: 'riverside', name: 'Riverside' },
  partner: { baseUrl: 'http://127.0.0.1:4100', apiKey: 'key' },
  crm: { kind: 'salesforce', url: 'https://food-bank.my.salesforce.com' },
});
const INTEGRATIONS = new Map([['riverside', RIVERSIDE]]);

function aContact(changes: Partial<HoldRow> = {}): HoldRow {
  return {
    ...{ id: 'c', integration_id: 'riverside', crm_id: '003A', tracking_id: 't' },
    ...{ kind: 'name_mismatch', detail: 'last_name_differs', opened_at: 2 },
    ...{ decision: null, decided_at: null },
    ...changes,
  };
}

function aNetwork(changes: Partial<NetworkHoldRow> = {}): NetworkHoldRow {
  return {
    ...{ id: 'n', integration_id: 'riverside', network: 'w', name: 'Board', subject: 's' },
    ...{ kind: 'group_shrunk', detail: '12', opened_at: 1, decision: null, decided_at: null },
    ...changes,
  };
}

/** A store with these holds, and what was decided about them. */
function aStore(contacts: HoldRow[], networks: NetworkHoldRow[]) {
  const decided: string[] = [];
  const queries = <Row extends { id: string }>(rows: Row[]) => ({
    listOpen: () => Promise.resolve(rows),
    find: (id: string) => Promise.resolve(rows.find((row) => row.id === id)),
    decide: ({ id }: Row, decision: string) => {
      decided.push(`${id} ${decision}`);
      return Promise.resolve(true);
    },
  });
  const store: HoldStore = { holds: queries(contacts), networkHolds: queries(networks) };
  return { store, decided };
}

describe('readHolds', () => {
  it('puts contacts and networks in one list, the oldest first, with what can be decided', async () => {
    const { store } = aStore([aContact(), aContact({ kind: 'lost_answer' })], [aNetwork()]);
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
    const rows = Array.from({ length: 60 }, (_, index) => aContact({ id: String(index) }));
    const { shown, total } = await readHolds(aStore(rows, []).store, INTEGRATIONS);
    expect([shown.length, total]).toEqual([50, 60]);
  });

  it('leaves out what belongs to an integration that is gone', async () => {
    const { store } = aStore([aContact({ integration_id: 'gone' })], []);
    expect(await readHolds(store, INTEGRATIONS)).toMatchObject({ total: 0, shown: [] });
  });
});

describe('decideHold', () => {
  it('decides about contacts and networks', async () => {
    const { store, decided } = aStore([aContact()], [aNetwork()]);
    await decideHold(store, INTEGRATIONS, 'c', 'resubmit');
    await decideHold(store, INTEGRATIONS, 'n', 'approve');
    await decideHold(store, INTEGRATIONS, 'n', 'reject');
    expect(decided).toEqual(['c resubmitted', 'n approved', 'n rejected']);
  });

  it('refuses what makes no sense: a network that is to be asked again, or cannot be mended so', async () => {
    const unreadable = aNetwork({ id: 'u', kind: 'group_unreadable' });
    const { store, decided } = aStore([], [aNetwork(), unreadable]);
    const refusal = { status: 409, code: 'hold_not_decidable' };
    await expect(decideHold(store, INTEGRATIONS, 'n', 'resubmit')).rejects.toMatchObject(refusal);
    await expect(decideHold(store, INTEGRATIONS, 'u', 'approve')).rejects.toMatchObject(refusal);
    expect(decided).toEqual([]);
  });
});
