import { expect, it } from 'vitest';
import { listBatches, recordBatchDecision } from '../../../src/decisions/statements/batches.ts';
import type { ErasureRequest } from '../../../src/decisions/statements/erasure-requests.ts';
import {
  forbidErasure,
  listDueErasures,
  listIntegrationsWithDueErasures,
  listMarkedForErasure,
  recordErasureRequests,
  recordReadRequests,
} from '../../../src/decisions/statements/erasure-requests.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { INTEGRATION, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** Returns erasure requests for contacts with these numbers. */
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
    const options = { newId: () => crypto.randomUUID() };
    const events = { source: 'crm_event', isAutomatic: true } as const;
    const record = (from: number, to: number) =>
      store.act((trx) =>
        recordErasureRequests(trx, INTEGRATION, requestsOf(from, to, events), options),
      );
    const [one, other] = await Promise.all([record(0, 20), record(20, 40)]);
    expect([one.due + other.due, one.asked + other.asked]).toEqual([25, 15]);
    expect(await record(0, 40)).toEqual({ due: 0, asked: 0 });
    expect(await listDueErasures(store.reader, INTEGRATION, 100)).toHaveLength(25);
    expect(await listIntegrationsWithDueErasures(store.reader)).toEqual([INTEGRATION]);
    const [batch] = await listBatches(store.reader);
    expect(batch).toMatchObject({ kind: 'erasure_requested', source: 'crm_event', count: 15 });
    expect(await recordBatchDecision(store.act, batch?.id ?? '', 'approved')).toBe(15);
    expect(await listDueErasures(store.reader, INTEGRATION, 100)).toHaveLength(40);
  });

  it('are one batch for each reason, which privacy holds leave and join', async () => {
    const { store, lease } = await createWorld();
    const options = { newId: () => crypto.randomUUID(), withdrawn: [] };
    await store.checkpoint(lease, (trx) => recordReadRequests(trx, requestsOf(0, 1_200), options));
    await store.checkpoint(lease, (trx) =>
      recordReadRequests(trx, requestsOf(1_200, 1_300), options),
    );
    const counts = async () =>
      Object.fromEntries(
        (await listBatches(store.reader)).map(({ source, count }) => [source, count]),
      );
    expect(await counts()).toEqual({ should_forget: 1_300 });
    await store.checkpoint(lease, (trx) =>
      recordReadRequests(trx, requestsOf(0, 100, { source: 'privacy_hold' }), options),
    );
    expect(await counts()).toEqual({ should_forget: 1_200, privacy_hold: 100 });
    for (const { id } of await listBatches(store.reader))
      await recordBatchDecision(store.act, id, 'approved');
    expect(await counts()).toEqual({ privacy_hold: 100 });
    const [held] = await listOpenQuestions(store.reader);
    expect(held && (await recordDecision(store, held, 'approved'))).toBe(false);

    const [due] = await listDueErasures(store.reader, INTEGRATION, 1);
    if (due !== undefined) await store.act((trx) => forbidErasure(trx, due, 'another-batch'));
    expect(await counts()).toEqual({ privacy_hold: 101 });
    const ids = requestsOf(0, 1_300).map(({ crmId }) => crmId);
    expect((await listMarkedForErasure(store.reader, INTEGRATION)).size).toBe(1_300);
    await store.checkpoint(lease, (trx) =>
      recordReadRequests(trx, [], { ...options, withdrawn: ids }),
    );
    expect(await counts()).toEqual({});
    expect((await listMarkedForErasure(store.reader, INTEGRATION)).size).toBe(0);
    expect(await listDueErasures(store.reader, INTEGRATION, 2_000)).toEqual([]);
  });
});
