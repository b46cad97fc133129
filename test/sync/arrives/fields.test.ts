import { describe, expect, it } from 'vitest';
import type { FieldSource } from '../../../src/core/field-map.ts';
import { listWaitingValues } from '../../../src/fields/statements/value-states.ts';
import {
  type Bed,
  CRMS,
  type Crm,
  expectWhole,
  openCsv,
  openHubspot,
  openSalesforce,
} from './testbed.ts';

const PEOPLE = 70;

/** A client, an obstacle that blocks some values in the first run, and an action that removes the obstacle. */
interface Trouble {
  bed: Bed<Crm>;
  mend(): Promise<unknown>;
}

const MISSING: readonly FieldSource[] = ['capacity.nonprofit', 'age'];

/** Obstacles, each of which keeps at least one value of every known contact out of the CRM. */
const TROUBLES: readonly [string, () => Promise<Trouble>][] = [
  [
    'two fields of Salesforce are missing, and created',
    async () => {
      const bed = await openSalesforce({ people: PEOPLE, without: MISSING });
      return { bed, mend: () => bed.createFields() };
    },
  ],
  [
    'two properties of HubSpot are missing, and created',
    async () => {
      const bed = await openHubspot({ people: PEOPLE, without: MISSING });
      return { bed, mend: () => bed.createFields() };
    },
  ],
  [
    'a property of HubSpot is archived, and restored',
    async () => {
      const bed = await openHubspot({ people: PEOPLE });
      const property = bed.fieldFor('age');
      const archive = (archived: boolean) =>
        bed.crm.account.control('PUT', 'property', { property, archived });
      await archive(true);
      return { bed, mend: () => archive(false) };
    },
  ],
  [
    'fields of Salesforce are hidden from us, and shown',
    async () => {
      const bed = await openSalesforce({ people: PEOPLE });
      const give = async (access: string) => {
        for (const from of MISSING) {
          const order = { type: 'Contact', field: bed.fieldFor(from), access };
          await bed.crm.org.control('PUT', 'field-access', order);
        }
      };
      await give('hidden');
      return { bed, mend: () => give('visible') };
    },
  ],
  [
    'a field of Salesforce is read-only for us, and becomes writable',
    async () => {
      const bed = await openSalesforce({ people: PEOPLE });
      const give = (access: string) => {
        const order = { type: 'Contact', field: bed.fieldFor('age'), access };
        return bed.crm.org.control('PUT', 'field-access', order);
      };
      await give('readOnly');
      return { bed, mend: () => give('visible') };
    },
  ],
  [
    'a property of HubSpot is hidden from the token, and shown',
    async () => {
      const bed = await openHubspot({ people: PEOPLE });
      await bed.crm.account.hide(bed.fieldFor('age'));
      return { bed, mend: () => bed.crm.account.hide(bed.fieldFor('age'), 'visible') };
    },
  ],
  [
    'a property of HubSpot is read-only, and becomes writable',
    async () => {
      const bed = await openHubspot({ people: PEOPLE });
      const property = bed.fieldFor('age');
      const give = (readOnly: boolean) =>
        bed.crm.account.control('PUT', 'property', { property, readOnly });
      await give(true);
      return { bed, mend: () => give(false) };
    },
  ],
  [
    'numbers of Salesforce are too small, and enlarged',
    async () => {
      const bed = await openSalesforce({ people: PEOPLE });
      const size = async (precision: number) => {
        for (const from of ['capacity.nonprofit', 'netWorth.high'] as const) {
          const order = { field: bed.fieldFor(from), precision, scale: 0 };
          await bed.crm.org.control('PUT', 'field', order);
        }
      };
      await size(4);
      return { bed, mend: () => size(18) };
    },
  ],
  [
    'texts of Salesforce are cut, and the fields are enlarged',
    async () => {
      const bed = await openSalesforce({ people: PEOPLE });
      const size = async (length: number) => {
        for (const from of ['work.all', 'bio', 'work.primary'] as const) {
          const order = { field: bed.fieldFor(from), length };
          await bed.crm.org.control('PUT', 'field', order);
        }
      };
      await size(20);
      return { bed, mend: () => size(32_768) };
    },
  ],
  [
    'a property of HubSpot lacks the options, and becomes a text',
    async () => {
      const bed = await openHubspot({ people: PEOPLE });
      const property = bed.fieldFor('work.primary');
      const change = (order: object) =>
        bed.crm.account.control('PUT', 'property', { property, ...order });
      await change({ propertyType: 'enumeration', fieldType: 'select', options: ['Other'] });
      return {
        bed,
        mend: () => change({ propertyType: 'string', fieldType: 'text', options: [] }),
      };
    },
  ],
];

describe('a value that its field could not take', () => {
  it.each(TROUBLES)('arrives without a credit where %s', async (_, begin) => {
    const { bed, mend } = await begin();
    const { world } = bed;
    const first = await world.sync();
    expect(first.status).toBe('succeeded');
    await expect(expectWhole(bed)).rejects.toThrow('deeply equal');
    expect(await listWaitingValues(world.store.reader, 'riverside')).not.toEqual([]);
    const spent = await world.spent();
    await mend();
    const second = await world.sync();
    expect(second).toMatchObject({ status: 'succeeded', contacts: { submitted: 0 } });
    expect(await expectWhole(bed)).toBeGreaterThanOrEqual(60);
    expect(await world.spent()).toBe(spent);
    expect(await listWaitingValues(world.store.reader, 'riverside')).toEqual([]);
    // No work is left.
    expect((await world.sync({ full: true })).contacts).toMatchObject({ chosen: 0, written: 0 });
  });

  it('arrives where a file lacks its columns, which the run adds', async () => {
    const bed = await openCsv({ people: PEOPLE });
    await bed.world.sync();
    expect(await expectWhole(bed)).toBeGreaterThanOrEqual(60);
  });
});

describe('a field map of 2 lines that becomes one of 14', () => {
  it.each(CRMS)('brings all 14 values to every contact of %s', async (_, open) => {
    const bed = await open({ people: PEOPLE, sources: ['donorId', 'netWorth.label'] });
    const { world, crm } = bed;
    expect(crm.lines).toHaveLength(14);
    await world.sync();
    const spent = await world.spent();
    await expect(expectWhole(bed)).rejects.toThrow('deeply equal');
    await world.sync({ mappings: crm.lines });
    expect(await expectWhole(bed)).toBeGreaterThanOrEqual(60);
    expect(await world.spent()).toBe(spent);
    const again = await world.sync({ mappings: crm.lines, full: true });
    expect(again.contacts).toMatchObject({ chosen: 0, submitted: 0, written: 0 });
  });
});
