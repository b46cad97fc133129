import { describe, expect, it } from 'vitest';
import { CRMS, expectWhole, referenceOf } from './testbed.ts';

const PEOPLE = 70;

describe('a run that was undone by mistake', () => {
  it.each(CRMS)('is delivered again to %s at a user’s request alone', async (_, open) => {
    const bed = await open({ people: PEOPLE });
    const { world, crm } = bed;
    const { id } = await world.sync();
    const spent = await world.spent();
    await bed.undo(id);
    const { byPlace } = await referenceOf(crm.kind, PEOPLE);
    const blank = Object.fromEntries(crm.lines.map(({ to }) => [to, null]));
    for (const place of byPlace.keys()) {
      expect(await crm.read(crm.ids[place] ?? '')).toEqual(blank);
    }
    // Nobody has requested the values again.
    expect((await world.sync({ full: true })).contacts).toMatchObject({ written: 0 });
    const field = bed.fieldFor('netWorth.low');
    await world.sync({ redelivery: { fields: [field] } });
    for (const [place, values] of byPlace) {
      const own = { ...blank, [field]: values[field] ?? null };
      expect(await crm.read(crm.ids[place] ?? '')).toEqual(own);
    }
    await world.sync({ redelivery: { fields: null } });
    expect(await expectWhole(bed)).toBeGreaterThanOrEqual(60);
    expect(await world.spent()).toBe(spent);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
  });
});
