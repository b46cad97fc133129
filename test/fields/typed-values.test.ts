import { expect, it } from 'vitest';
import { undoRun } from '../../src/fields/undo.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { listRunRecords } from '../../src/sync/statements/runs.ts';
import { NET_WORTH, open } from '../sync/worlds.ts';

const TYPED = 'Ask Maria';

/** Opens a CRM in which a user types a value into the first contact, immediately before its first write. */
async function openTyped(when: 'always' | 'unlessEdited' | 'ifEmpty') {
  const world = await open({
    integration: {
      fields: [
        { from: 'netWorth.label', to: NET_WORTH, when },
        { from: 'donorId', to: 'Donor ID' },
      ],
    },
  });
  const [id = ''] = await world.addPeople(1);
  const typeBeforeWrite = (value: string, { times = 1, after = () => {} } = {}) => {
    let left = times;
    world.crm.before((operation) => {
      if (operation !== 'write' || left === 0) return;
      // Called once for the write, and once for each change in the write.
      left -= 1;
      world.crm.setValue(id, NET_WORTH, value);
      after();
    });
  };
  const undo = (runId: string) =>
    withLease(world.deps(), 'riverside', (lease) => undoRun(world.deps(), lease, runId));
  return { world, id, typeBeforeWrite, undo };
}

it.each(['unlessEdited', 'ifEmpty'] as const)(
  'puts a value back that a user typed while it was being written, under the rule %s',
  async (when) => {
    const { world, id, typeBeforeWrite, undo } = await openTyped(when);
    typeBeforeWrite(TYPED);
    const report = await world.sync();
    expect(world.crm.valueOf(id, NET_WORTH)).toBe(TYPED);
    expect(world.crm.valueOf(id, 'Donor ID')).not.toBeNull();
    // The value belongs to the user, so the next run and an undo do not change it.
    await world.sync({ full: true });
    await undo(report.id);
    expect(world.crm.valueOf(id, NET_WORTH)).toBe(TYPED);
    expect(world.crm.valueOf(id, 'Donor ID')).toBeNull();
  },
);

it('writes over a typed value where the rule says always', async () => {
  const { world, id, typeBeforeWrite } = await openTyped('always');
  typeBeforeWrite(TYPED);
  const report = await world.sync();
  expect(report.contacts.written).toBe(1);
  expect(world.crm.valueOf(id, NET_WORTH)).not.toBe(TYPED);
});

it('puts the typed value on disk first, so that an undo restores it after a kill in between', async () => {
  const { world, id, typeBeforeWrite, undo } = await openTyped('unlessEdited');
  let writes = 0;
  typeBeforeWrite(TYPED, {
    after() {
      // The second write restores the value.
      world.crm.before((operation) => {
        if (operation !== 'write') return;
        writes += 1;
        if (writes > 1) throw new Error('The process ends here.');
      });
    },
  });
  await world.sync().catch(() => null);
  world.crm.before(null);
  expect(world.crm.valueOf(id, NET_WORTH)).not.toBe(TYPED);
  const [run] = await listRunRecords(world.store.reader, { limit: 1 });
  await undo(run?.id ?? '');
  expect(world.crm.valueOf(id, NET_WORTH)).toBe(TYPED);
});

it('keeps what a user types while an undo restores the values before', async () => {
  const { world, id, typeBeforeWrite, undo } = await openTyped('unlessEdited');
  const report = await world.sync();
  expect(world.crm.valueOf(id, NET_WORTH)).not.toBeNull();
  typeBeforeWrite(TYPED);
  const undone = await undo(report.id);
  expect(world.crm.valueOf(id, NET_WORTH)).toBe(TYPED);
  expect(undone.fields).toEqual({ restored: 1, editedSince: 1 });
});
