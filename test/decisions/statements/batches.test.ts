import { type KyselyPlugin, OperationNodeTransformer } from 'kysely';
import { expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import {
  findBatchIntegration,
  listBatches,
  listQuestionsOfBatch,
  recordBatchDecision,
} from '../../../src/decisions/statements/batches.ts';
import {
  type ContactQuestion,
  listContactQuestions,
  listSingleQuestions,
  recordDecision,
  selectQuestions,
} from '../../../src/decisions/statements/questions.ts';
import { getSubject } from '../../../src/decisions/views/question.ts';
import { createStore, type Store } from '../../../src/store.ts';
import {
  ASKED_IDENTITY,
  contactOf,
  crmIds,
  holdChanged,
  holdForName,
  identityWith,
  MOVED_IDENTITY,
  readContact,
  readPage,
} from '../../contacts/contact-stages.ts';
import {
  INTEGRATION,
  START_MS,
  type StoreWorld,
  storeWorlds,
  testFingerprint,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** Returns the only batch. */
async function onlyBatch(store: Store) {
  const [batch, ...others] = await listBatches(store.reader);
  if (!batch || others.length > 0) throw new Error('there is not one batch');
  return batch;
}

async function holdsOf(world: StoreWorld): Promise<ContactQuestion[]> {
  return selectQuestions(world.db).orderBy('crm_id').execute().then(listContactQuestions);
}

describeEachDatabase('batches of holds', (open) => {
  const createWorld = storeWorlds(open);

  it('are counted with the parts that changed, apart from the holds that stand alone', async () => {
    const world = await createWorld();
    await holdForName(world, ['alone']);
    await holdChanged(world, ['c-1', 'c-2']);
    await world.clock.advance(1_000);
    await holdChanged(world, ['c-3'], identityWith({ address: 'b', employer: 'f' }));
    await holdChanged(world, ['c-4'], 'an identity of version 1');
    const batch = await onlyBatch(world.store);
    expect(batch).toEqual({
      id: expect.any(String),
      integrationId: INTEGRATION,
      kind: 'identity_mass_change',
      count: 4,
      isListChanged: false,
      paidBefore: null,
      marks: [],
      source: null,
      since: START_MS,
      until: START_MS + 1_000,
      parts: { addresses: 3, employers: 1, unknown: 1 },
    });
    expect(await listBatches(world.store.reader, 'lakeside')).toEqual([]);
    expect((await listSingleQuestions(world.store.reader)).map(getSubject)).toEqual(['alone']);
    const members = await listQuestionsOfBatch(world.store.reader, batch);
    expect(members.map((row) => row.crmId)).toEqual(['c-1', 'c-2', 'c-3', 'c-4']);
    expect(await listQuestionsOfBatch(world.store.reader, batch, 3)).toEqual(members.slice(0, 3));
    expect(await findBatchIntegration(world.store.reader, batch.id)).toBe(INTEGRATION);
    expect(await findBatchIntegration(world.store.reader, 'unknown')).toBeNull();
  });

  it('are approved: all of their contacts become due for a credit that a person has granted', async () => {
    const world = await createWorld();
    await holdChanged(world, crmIds(620));
    const { id } = await onlyBatch(world.store);
    await world.clock.advance(1_000);
    expect(await recordBatchDecision(world.store.act, id, 'approved')).toBe(620);
    expect(await listBatches(world.store.reader)).toEqual([]);
    for (const crmId of ['c-000', 'c-619']) {
      expect(await contactOf(world, crmId)).toMatchObject({
        state: 'due',
        due_reason: 'identity_change_approved',
        ...{
          asked_identity: ASKED_IDENTITY,
          identity: MOVED_IDENTITY,
          outcome_reason: 'submission_pending',
        },
      });
    }
    const decided = await holdsOf(world);
    expect(new Set(decided.map((row) => `${row.decision} ${row.decidedAt}`))).toEqual(
      new Set([`approved ${START_MS + 1_000}`]),
    );
  });

  it('are rejected: their new details count as what the credit was spent on', async () => {
    const world = await createWorld();
    await holdChanged(world, ['c-1', 'c-2']);
    const { id } = await onlyBatch(world.store);
    expect(await recordBatchDecision(world.store.act, id, 'rejected')).toBe(2);
    expect(await contactOf(world, 'c-2')).toMatchObject({
      state: 'settled',
      asked_identity: MOVED_IDENTITY,
      asked_at: START_MS,
      outcome_reason: 'identity_change_rejected',
    });
  });

  it('leave alone what was decided one by one, and what is held for another cause', async () => {
    const world = await createWorld();
    await holdForName(world, ['alone']);
    await holdChanged(world, ['c-1', 'c-2', 'c-3']);
    const batch = await onlyBatch(world.store);
    const [first] = await listQuestionsOfBatch(world.store.reader, batch);
    if (first) await recordDecision(world.store, first, 'approved');
    // The second contact changed once more before the decision.
    await readPage(world, [readContact('c-2', 'a later identity')]);
    expect(await recordBatchDecision(world.store.act, batch.id, 'rejected')).toBe(1);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due' });
    expect(await contactOf(world, 'c-2')).toMatchObject({ identity: 'a later identity' });
    expect(await contactOf(world, 'c-3')).toMatchObject({ state: 'settled' });
    expect(await contactOf(world, 'alone')).toMatchObject({ state: 'held' });
    expect((await holdsOf(world)).map(({ decision }) => decision)).toEqual([
      ...[null, 'approved', 'superseded', 'rejected'],
    ]);
  });

  it('have nothing to decide twice, or where there is no such batch', async () => {
    const world = await createWorld();
    await holdChanged(world, ['c-1']);
    const { id } = await onlyBatch(world.store);
    expect(await recordBatchDecision(world.store.act, id, 'rejected')).toBe(1);
    expect(await recordBatchDecision(world.store.act, id, 'approved')).toBe(0);
    expect(await recordBatchDecision(world.store.act, 'unknown', 'approved')).toBe(0);
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'settled' });
  });

  it.each(['approved', 'rejected'] as const)(
    'that are being %s go on where they were cut off, at whichever statement that was',
    async (decision) => {
      const world = await createWorld();
      const ids = crmIds(505);
      await holdChanged(world, ids);
      const { id } = await onlyBatch(world.store);
      const cutOffs: number[] = [];
      let decided = 0;
      for (let statements = 1; ; statements += 1) {
        const store = storeThatDies(world, statements);
        const isOver = await recordBatchDecision(store.act, id, decision).then(
          (count) => {
            decided = count;
            return true;
          },
          () => false,
        );
        const isDecided = new Map((await holdsOf(world)).map((row) => [row.crmId, row.decision]));
        const rows = await findContacts(world.store.reader, INTEGRATION, ids);
        const halves = ids.filter(
          (crmId) => (isDecided.get(crmId) === null) !== (rows.get(crmId)?.state === 'held'),
        );
        expect(halves).toEqual([]);
        if (isOver) break;
        cutOffs.push([...isDecided.values()].filter((each) => each !== null).length);
      }
      // The process stopped once before the first batch, and once between the first and the last batch.
      expect(new Set(cutOffs)).toEqual(new Set([0, 500]));
      expect(decided).toBe(5);
      expect(await listBatches(world.store.reader)).toEqual([]);
    },
  );

  it('are decided once by two persons at the same time, and beside a run that is at work', async () => {
    const world = await createWorld();
    await holdChanged(world, crmIds(300));
    const { id } = await onlyBatch(world.store);
    const [approved, rejected] = await Promise.all([
      recordBatchDecision(world.store.act, id, 'approved'),
      recordBatchDecision(world.store.act, id, 'rejected'),
      readPage(world, [readContact('c-900')]),
    ]);
    expect(approved + rejected).toBe(300);
    const decisions = (await holdsOf(world)).map((row) => row.decision);
    expect(decisions.filter((decision) => decision === 'approved')).toHaveLength(approved);
  });
});

/** Returns the store of a process that dies before the statement with the given number. */
function storeThatDies({ db, clock }: StoreWorld, statement: number): Store {
  let left = statement;
  const transformer = new OperationNodeTransformer();
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      left -= 1;
      if (left === 0) throw new Error('the process ended');
      return transformer.transformNode(node, queryId);
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return createStore({ db: db.withPlugin(plugin), clock, fingerprint: testFingerprint });
}
