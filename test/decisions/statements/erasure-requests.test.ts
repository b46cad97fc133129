import { expect, it } from 'vitest';
import type { ErasureRequest } from '../../../src/decisions/statements/erasure-requests.ts';
import { INTEGRATION, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** Requests of contacts with these numbers. */
function requestsOf(
  from: number,
  to: number,
  more: Partial<ErasureRequest> = {},
): ErasureRequest[] {
  return Array.from({ length: to - from }, (_, at) => ({
    crmId: `c-${String(from + at).padStart(4, '0')}`,
    source: 'should_forget',
    isAutomatic: false,
    ...more,
  }));
}

describeEachDatabase('erasures that a CRM asks for', (open) => {
  const createWorld = storeWorlds(open);

  it('start without a user up to the limit of the day, however many are recorded at once', async () => {
    const { store } = await createWorld();
    const { erasureRequests, questions } = store;
    const options = { newId: () => crypto.randomUUID() };
    const events = { source: 'crm_event', isAutomatic: true } as const;
    const record = (from: number, to: number) =>
      erasureRequests.record(INTEGRATION, requestsOf(from, to, events), options);
    const [one, other] = await Promise.all([record(0, 20), record(20, 40)]);
    expect([one.due + other.due, one.asked + other.asked]).toEqual([25, 15]);
    expect(await record(0, 40)).toEqual({ due: 0, asked: 0 });
    expect(await erasureRequests.listDue(INTEGRATION, 100)).toHaveLength(25);
    expect(await erasureRequests.listIntegrationsWithDue()).toEqual([INTEGRATION]);
    const [batch] = await questions.listBatches();
    expect(batch).toMatchObject({ kind: 'erasure_requested', source: 'crm_event', count: 15 });
    expect(await questions.decideBatch(batch?.id ?? '', 'approved')).toBe(15);
    expect(await erasureRequests.listDue(INTEGRATION, 100)).toHaveLength(40);
  });

  it('are one batch for each reason, which privacy holds leave and join', async () => {
    const { store, lease } = await createWorld();
    const { erasureRequests, questions } = store;
    const options = { newId: () => crypto.randomUUID(), withdrawn: [] };
    await erasureRequests.recordRead(lease, requestsOf(0, 1_200), options);
    await erasureRequests.recordRead(lease, requestsOf(1_200, 1_300), options);
    const counts = async () =>
      Object.fromEntries(
        (await questions.listBatches()).map(({ source, count }) => [source, count]),
      );
    expect(await counts()).toEqual({ should_forget: 1_300 });
    await erasureRequests.recordRead(
      lease,
      requestsOf(0, 100, { source: 'privacy_hold' }),
      options,
    );
    expect(await counts()).toEqual({ should_forget: 1_200, privacy_hold: 100 });
    for (const { id } of await questions.listBatches()) await questions.decideBatch(id, 'approved');
    expect(await counts()).toEqual({ privacy_hold: 100 });
    const [held] = await questions.listOpen();
    expect(held && (await questions.decide(held, 'approved'))).toBe(false);

    const [due] = await erasureRequests.listDue(INTEGRATION, 1);
    if (due !== undefined) await erasureRequests.forbid(due, 'another-batch');
    expect(await counts()).toEqual({ privacy_hold: 101 });
    const ids = requestsOf(0, 1_300).map(({ crmId }) => crmId);
    expect((await erasureRequests.listMarked(INTEGRATION)).size).toBe(1_300);
    await erasureRequests.recordRead(lease, [], { ...options, withdrawn: ids });
    expect(await counts()).toEqual({});
    expect((await erasureRequests.listMarked(INTEGRATION)).size).toBe(0);
    expect(await erasureRequests.listDue(INTEGRATION, 2_000)).toEqual([]);
  });
});
