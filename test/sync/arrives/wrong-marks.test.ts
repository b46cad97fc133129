import { describe, expect, it } from 'vitest';
import { listBatches } from '../../../src/decisions/statements/batches.ts';
import { CRMS, expectWhole } from './testbed.ts';

const PEOPLE = 300;

/** A third of the contacts are marked: more than a few, but too few to question the column itself. */
const MARKED = PEOPLE / 3;

describe('a field of something else that the settings name as the one of opt-outs', () => {
  it.each(CRMS)('costs no value and no credit once it is corrected, in %s', async (_, open) => {
    const bed = await open({ people: PEOPLE });
    const { world, crm } = bed;
    const known = crm.lines.filter(({ from }) => from !== 'age');
    expect((await world.sync({ mappings: known })).status).toBe('succeeded');
    const spent = await world.spent();
    for (const id of crm.ids.slice(0, MARKED)) await crm.sayYes(id);

    crm.optOutBy(crm.yesOrNo);
    await world.sync({ integration: naming(crm.yesOrNo) });
    expect(await listBatches(world.store.reader)).toMatchObject([{ kind: 'mass_opt_out' }]);
    const ages = async (ids: readonly string[]) => {
      const all = await Promise.all(ids.map((id) => crm.read(id)));
      return all.filter((values) => values[bed.fieldFor('age')] !== null).length;
    };
    // Only the contacts without a wrong mark got the value of the field map's new line.
    expect(await ages(crm.ids.slice(0, MARKED))).toBe(0);
    expect(await ages(crm.ids.slice(MARKED))).toBeGreaterThan(MARKED);

    crm.optOutBy(null);
    expect((await world.sync({ integration: naming(null) })).status).toBe('succeeded');
    expect(await listBatches(world.store.reader)).toEqual([]);
    expect(await expectWhole(bed)).toBeGreaterThan(PEOPLE / 2);
    expect(await world.spent()).toBe(spent);

    function naming(optOutField: string | null) {
      const { integration } = world;
      return { ...integration, contacts: { ...integration.contacts, optOutField } };
    }
  });
});
