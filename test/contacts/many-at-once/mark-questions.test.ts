import { expect, it } from 'vitest';
import {
  confirmAskedMarks,
  listConfirmedMarks,
  recordAskedMarks,
} from '../../../src/contacts/many-at-once/mark-questions.ts';
import { INTEGRATION, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('questions about marks', (open) => {
  const createWorld = storeWorlds(open);

  it('are confirmed as they were asked last, and stay confirmed', async () => {
    const { store, lease } = await createWorld();
    const all = ['a', 'b', 'c'];
    await store.checkpoint(lease, (trx) => recordAskedMarks(trx, ['a']));
    await store.checkpoint(lease, (trx) => recordAskedMarks(trx, ['b', 'c']));
    expect(await listConfirmedMarks(store.reader, INTEGRATION, all)).toEqual(new Set());
    expect(await store.act((trx) => confirmAskedMarks(trx, INTEGRATION))).toBe(2);
    expect(await listConfirmedMarks(store.reader, INTEGRATION, all)).toEqual(new Set(['b', 'c']));
    await store.checkpoint(lease, (trx) => recordAskedMarks(trx, ['a', 'b']));
    expect(await listConfirmedMarks(store.reader, INTEGRATION, all)).toEqual(new Set(['b', 'c']));
    expect(await listConfirmedMarks(store.reader, 'another', all)).toEqual(new Set());
    expect(await store.act((trx) => confirmAskedMarks(trx, INTEGRATION))).toBe(1);
    expect(await store.act((trx) => confirmAskedMarks(trx, INTEGRATION))).toBe(0);
  });
});
