import { expect, it } from 'vitest';
import { INTEGRATION, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('questions about marks', (open) => {
  const createWorld = storeWorlds(open);

  it('are confirmed as they were asked last, and stay confirmed', async () => {
    const { store, lease } = await createWorld();
    const { markQuestions } = store;
    const all = ['a', 'b', 'c'];
    await markQuestions.ask(lease, ['a']);
    await markQuestions.ask(lease, ['b', 'c']);
    expect(await markQuestions.listConfirmed(INTEGRATION, all)).toEqual(new Set());
    expect(await markQuestions.confirmAsked(INTEGRATION)).toBe(2);
    expect(await markQuestions.listConfirmed(INTEGRATION, all)).toEqual(new Set(['b', 'c']));
    await markQuestions.ask(lease, ['a', 'b']);
    expect(await markQuestions.listConfirmed(INTEGRATION, all)).toEqual(new Set(['b', 'c']));
    expect(await markQuestions.listConfirmed('another', all)).toEqual(new Set());
    expect(await markQuestions.confirmAsked(INTEGRATION)).toBe(1);
    expect(await markQuestions.confirmAsked(INTEGRATION)).toBe(0);
  });
});
