import { afterEach, describe, expect, it } from 'vitest';
import type { Profile } from '../../../src/core/profile.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { DONOR, donorsIn, openMarked, valuesIn } from './one-person-world.ts';

/** True while the service joins donors. Each test resets the value. */
const joins = { isOn: false };

afterEach(() => {
  joins.isOn = false;
});

describe('another donor for a contact that did not change', () => {
  /** Changes a profile as if the service had joined its donor with a different donor. */
  function joined(profile: Profile): void {
    if (joins.isOn) profile.donorId = profile.donorId.split('').reverse().join('');
  }

  async function openJoined(count: number) {
    const world = await openMarked(joined, {
      integration: { refresh: { afterDays: 1 } },
    });
    await world.addPeople(count);
    await world.sync();
    const ids = [...world.crm.records.keys()].filter((id) => world.crm.valueOf(id, DONOR) !== null);
    joins.isOn = true;
    await world.database.db
      .updateTable('contacts')
      .set((eb) => ({ asked_at: eb('asked_at', '-', 3 * 86_400_000) }))
      .execute();
    return { world, ids };
  }

  it('replaces all values in one change, without a question', async () => {
    const { world, ids } = await openJoined(10);
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ written: ids.length, held: 0 });
    for (const id of ids) expect(donorsIn(world, id)).toHaveLength(1);
  });

  it('waits for a user where many would get one at once', async () => {
    const { world, ids } = await openJoined(60);
    const before = ids.map((id) => valuesIn(world, id));
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ written: 0, held: ids.length });
    expect(ids.map((id) => valuesIn(world, id))).toEqual(before);
    for (const hold of await listOpenQuestions(world.store.reader)) {
      expect(hold.kind).toBe('donor_mass_change');
      await recordDecision(world.store, hold, 'approved');
    }
    expect((await world.sync()).contacts).toMatchObject({ written: ids.length });
    for (const id of ids) expect(donorsIn(world, id)).toHaveLength(1);
  });
});
