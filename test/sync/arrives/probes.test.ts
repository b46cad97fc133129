/** Tests which contacts a run chooses to find out whether the CRM still refuses their values. */
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createSyncWorld } from '../../helpers/sync-world.ts';

const AGE = 'Donor Age';
const DONOR_ID = 'Donor ID';

const open = closedAfterTest(createSyncWorld);

describe('values that the CRM refused and now accepts', () => {
  it.each([
    ['are missing', true],
    ['are hidden, and no run has noticed it', false],
  ])('arrive even if the contacts whose values have waited longest %s', async (_, isNoticed) => {
    const world = await open();
    const ids = await world.addPeople(12);
    for (const id of ids) world.crm.refuseField(id, AGE);
    await world.sync();
    const waiting = await idsWaitingFor(world, AGE);
    const [missing, present] = [waiting.slice(0, -3), waiting.slice(-3)];
    expect(missing.length).toBeGreaterThanOrEqual(5);
    for (const id of missing) world.crm.vanish(id);
    if (isNoticed) await world.sync({ only: missing });
    for (const id of ids) world.crm.allowWrites(id);
    const { spent } = await afterSpending(world);
    for (const id of present) expect(world.crm.valueOf(id, AGE)).not.toBeNull();
    expect(await world.spent()).toBe(spent);
  });

  it('arrive even if a field that the CRM still refuses has more waiting values', async () => {
    const world = await open();
    const ids = await world.addPeople(15);
    const [others, ages] = [ids.slice(0, -4), ids.slice(-4)];
    for (const id of others) world.crm.refuseField(id, DONOR_ID);
    for (const id of ages) world.crm.refuseField(id, AGE);
    await world.sync();
    const waiting = await idsWaitingFor(world, AGE);
    expect(waiting.length).toBeGreaterThan(0);
    for (const id of ages) world.crm.allowWrites(id);
    const { spent } = await afterSpending(world);
    for (const id of waiting) expect(world.crm.valueOf(id, AGE)).not.toBeNull();
    expect(await idsWaitingFor(world, DONOR_ID)).not.toEqual([]);
    expect(await world.spent()).toBe(spent);
  });
});

type World = Awaited<ReturnType<typeof open>>;

/** Syncs again. Returns the number of credits that were spent before this sync. */
async function afterSpending(world: World): Promise<{ spent: number }> {
  const spent = await world.spent();
  await world.sync();
  return { spent };
}

/** Returns the IDs of the contacts whose value of this field waits, in the order in which the run tests them. */
async function idsWaitingFor({ database }: World, field: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('value_states')
    .select('crm_id')
    .where('field', '=', field)
    .where('state', '=', 'refused')
    .orderBy('crm_id')
    .execute();
  return rows.map(({ crm_id }) => crm_id);
}
