import { describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/database/leases.ts';
import { putBackRequest } from '../../../src/sync/statements/cut-off-runs.ts';
import type { NewRunRequest } from '../../../src/sync/statements/request-rows.ts';
import {
  findRequestByRun,
  listBegunRequests,
  listRequestsAlongside,
  listRunRequests,
  requestContacts,
  requestRun,
} from '../../../src/sync/statements/run-requests.ts';
import { recordRunBegin, recordRunEnd } from '../../../src/sync/statements/runs.ts';
import { INTEGRATION, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const HOUR_MS = 3_600_000;

describeEachDatabase('run requests', (open) => {
  const createWorld = storeWorlds(open);

  describe('asking for a run', () => {
    it('lets the same request wait once, and tells the run that will answer', async () => {
      const { store } = await createWorld();
      expect(await store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })))).toBe('a');
      expect(await store.act((trx) => requestRun(trx, aRequest({ runId: 'b' })))).toBe('a');
      expect(await listRunRequests(store.reader)).toMatchObject([
        { runId: 'a', times: 2, full: 0 },
      ]);
    });

    it('reads everything anew if one of those who ask wants that', async () => {
      const { store } = await createWorld();
      await store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })));
      await store.act((trx) => requestRun(trx, aRequest({ runId: 'b', full: true })));
      await store.act((trx) => requestRun(trx, aRequest({ runId: 'c' })));
      expect(await listRunRequests(store.reader)).toMatchObject([{ runId: 'a', full: 1 }]);
    });

    it('keeps contacts and integrations apart, the longest waiting first', async () => {
      const { store, clock } = await createWorld();
      for (const request of [
        aRequest({ runId: 'a', contact: '003' }),
        aRequest({ runId: 'b' }),
        aRequest({ runId: 'c', contact: '004' }),
        aRequest({ runId: 'd', integrationId: 'lakeside' }),
      ]) {
        expect(await store.act((trx) => requestRun(trx, request))).toBe(request.runId);
        await clock.advance(1);
      }
      expect(await waitingRuns(store)).toEqual(['a', 'b', 'c', 'd']);
      const here = await listRunRequests(store.reader, INTEGRATION);
      expect(here.map(({ contact }) => contact)).toEqual(['003', '', '004']);
    });

    it('makes one run over all of more than five hundred single contacts', async () => {
      const { store } = await createWorld();
      await store.act((trx) =>
        requestRun(trx, aRequest({ runId: 'other', integrationId: 'lakeside', contact: '1' })),
      );
      for (let contact = 1; contact <= 500; contact += 1) {
        await store.act((trx) =>
          requestRun(trx, aRequest({ runId: `r${contact}`, contact: `${contact}` })),
        );
      }
      expect(
        await store.act((trx) => requestRun(trx, aRequest({ runId: 'again', contact: '7' }))),
      ).toBe('r7');
      expect(await listRunRequests(store.reader, INTEGRATION)).toHaveLength(500);
      const whole = await store.act((trx) =>
        requestRun(trx, aRequest({ runId: 'whole', contact: '501' })),
      );
      expect(whole).toBe('whole');
      expect(await listRunRequests(store.reader)).toMatchObject([
        { runId: 'other' },
        { runId: 'whole', contact: '', full: 0 },
      ]);
      expect(await findRequestByRun(store.reader, 'r7')).toMatchObject({ mergedInto: 'whole' });
    });

    it('keeps each of the contacts that a webhook named, and makes one run of too many', async () => {
      const { store } = await createWorld();
      const given: string[] = [];
      const newRunId = () => `n${given.push('a run id')}`;
      const name = (from: number, length: number) =>
        store.act((trx) =>
          requestContacts(
            trx,
            INTEGRATION,
            Array.from({ length }, (_, index) => `${1_000 + from + index}`),
            newRunId,
          ),
        );
      expect(await name(1, 100)).toEqual({ runId: 'n1', isWhole: false });
      expect(await name(2, 1)).toEqual({ runId: 'n2', isWhole: false });
      for (const from of [101, 201, 301, 401]) await name(from, 100);
      expect(await listRunRequests(store.reader)).toHaveLength(500);
      const { runId, isWhole } = await name(501, 1);
      expect(isWhole).toBe(true);
      expect(await listRunRequests(store.reader)).toMatchObject([{ runId, contact: '' }]);
    });

    it('forgets after a day which run took in another', async () => {
      const { store, clock } = await createWorld();
      await addSingles(store, 'first', 501);
      await clock.advance(25 * HOUR_MS);
      await addSingles(store, 'second', 501);
      expect(await findRequestByRun(store.reader, 'first1')).toBeUndefined();
      expect(await findRequestByRun(store.reader, 'second1')).toMatchObject({
        leftAt: clock.now(),
      });
    });
  });

  describe('the run of a request', () => {
    it('takes it off the list when it begins, so that the same can be wanted again', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })));
      await begin(world, 'a');
      expect(await listRunRequests(world.store.reader)).toEqual([]);
      expect(await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'b' })))).toBe('b');
      expect(await waitingRuns(world.store)).toEqual(['b']);
    });

    it('answers it by its end', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })));
      await begin(world, 'a');
      await finish(world, 'a', 'crm_unavailable');
      expect(await findRequestByRun(world.store.reader, 'a')).toBeUndefined();
    });

    it('leaves it begun if it is interrupted', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })));
      await begin(world, 'a');
      await finish(world, 'a', 'interrupted');
      expect(await listBegunRequests(world.store.reader)).toMatchObject([{ runId: 'a' }]);
    });

    it('begins in one process only', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })));
      await begin(world, 'a');
      await expect(begin(world, 'a')).rejects.toMatchObject({ code: 'already_running' });
    });
  });

  describe('what was cut off', () => {
    it('waits again, once, for a run of its own', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'a', contact: '003' })));
      await begin(world, 'a');
      const [cutOff] = await listBegunRequests(world.store.reader);
      if (!cutOff) throw new Error('nothing has begun');
      expect(await world.store.act((trx) => putBackRequest(trx, cutOff, 'b'))).toEqual({
        state: 'waits',
        runId: 'b',
      });
      expect(await world.store.act((trx) => putBackRequest(trx, cutOff, 'c'))).toEqual({
        state: 'ended',
      });
      expect(await listRunRequests(world.store.reader)).toMatchObject([
        { runId: 'b', contact: '003', resumed: 1 },
      ]);
    });

    it('joins what was asked for meanwhile', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'a' })));
      await begin(world, 'a');
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'meanwhile' })));
      const [cutOff] = await listBegunRequests(world.store.reader);
      if (!cutOff) throw new Error('nothing has begun');
      expect(await world.store.act((trx) => putBackRequest(trx, cutOff, 'b'))).toEqual({
        state: 'waits',
        runId: 'meanwhile',
      });
    });

    it('waits again with what its run had taken along, and once with what waits by now', async () => {
      const world = await createWorld();
      for (const contact of ['1', '2', '3'])
        await world.store.act((trx) => requestRun(trx, aRequest({ runId: contact, contact })));
      await world.store.act((trx) =>
        requestRun(trx, aRequest({ runId: 'by hand', contact: '4', trigger: 'manual' })),
      );
      const [first] = await listRunRequests(world.store.reader);
      if (!first) throw new Error('nothing waits');
      const others = await listRequestsAlongside(world.store.reader, first);
      expect(others.map(({ contact }) => contact)).toEqual(['2', '3']);
      const alongside = others.map(({ runId }) => runId);
      await world.store.checkpoint(world.lease, (trx) =>
        recordRunBegin(trx, '1', 'webhook', ['1', '2', '3'], { alongside }),
      );
      expect(await waitingRuns(world.store)).toEqual(['by hand']);
      expect(await findRequestByRun(world.store.reader, '2')).toMatchObject({ mergedInto: '1' });
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: '3 again', contact: '3' })));
      const [cutOff] = await listBegunRequests(world.store.reader);
      if (!cutOff) throw new Error('nothing has begun');
      await world.store.act((trx) => putBackRequest(trx, cutOff, '1 again'));
      const waiting = await waitingRuns(world.store);
      expect(waiting.sort()).toEqual(['1 again', '2', '3 again', 'by hand']);
    });

    it('is given up after five times', async () => {
      const world = await createWorld();
      await world.store.act((trx) => requestRun(trx, aRequest({ runId: 'r0' })));
      const states: string[] = [];
      for (let time = 0; time <= 5; time += 1) {
        await begin(world, `r${time}`);
        const [cutOff] = await listBegunRequests(world.store.reader);
        if (!cutOff) throw new Error('nothing has begun');
        const { state } = await world.store.act((trx) =>
          putBackRequest(trx, cutOff, `r${time + 1}`),
        );
        states.push(state);
      }
      expect(states).toEqual([...Array(5).fill('waits'), 'givenUp']);
      expect(await listBegunRequests(world.store.reader)).toEqual([]);
    });

    it('goes with a contact that is erased', async () => {
      const { store } = await createWorld();
      await store.act((trx) => requestRun(trx, aRequest({ runId: 'a', contact: '003' })));
      await store.act((trx) => requestRun(trx, aRequest({ runId: 'b', contact: '004' })));
      await eraseContact(store, INTEGRATION, '003');
      expect(await waitingRuns(store)).toEqual(['b']);
    });

    it('goes with an erased contact alone, also where the run that took others along was cut off', async () => {
      const { store, lease } = await createWorld();
      for (const contact of ['1', '2'])
        await store.act((trx) => requestRun(trx, aRequest({ runId: contact, contact })));
      await store.checkpoint(lease, (trx) =>
        recordRunBegin(trx, '1', 'webhook', ['1', '2'], { alongside: ['2'] }),
      );
      await eraseContact(store, INTEGRATION, '1');
      expect(await listBegunRequests(store.reader)).toEqual([]);
      expect(await waitingRuns(store)).toEqual(['2']);
    });
  });
});

function aRequest(request: Partial<NewRunRequest>): NewRunRequest {
  return {
    integrationId: INTEGRATION,
    contact: null,
    trigger: 'webhook',
    full: false,
    runId: 'run',
    ...request,
  };
}

async function addSingles(store: StoreWorld['store'], name: string, count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    await store.act((trx) =>
      requestRun(trx, aRequest({ runId: `${name}${index}`, contact: `${name}${index}` })),
    );
  }
}

async function waitingRuns({ reader }: StoreWorld['store']): Promise<string[]> {
  return (await listRunRequests(reader)).map(({ runId }) => runId);
}

function begin({ store, lease }: { store: StoreWorld['store']; lease: Lease }, runId: string) {
  return store.checkpoint(lease, (trx) => recordRunBegin(trx, runId, 'webhook', null));
}

function finish({ store, lease, clock }: StoreWorld, runId: string, code: string): Promise<void> {
  return store.checkpoint(lease, (trx) =>
    recordRunEnd(trx, runId, {
      status: 'incomplete',
      reason: { code, message: 'It stopped.' },
      finishedAt: clock.now(),
      report: '{}',
    }),
  );
}
