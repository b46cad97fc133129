import { describe, expect, it } from 'vitest';
import { type Bed, type Crm, donorsIn, fail, openHubspot, openSalesforce } from './testbed.ts';

const PEOPLE = 30;

/** Clients whose CRM refuses every age. */
const REFUSING: readonly [string, () => Promise<Bed<Crm>>][] = [
  [
    'Salesforce',
    async () => {
      const bed = await openSalesforce({ people: PEOPLE });
      const when = `${bed.fieldFor('age')} != null`;
      const rule = { kind: 'validation', type: 'Contact', when, message: 'No ages.' };
      await bed.crm.org.control('POST', 'rules', rule);
      return bed;
    },
  ],
  [
    'HubSpot',
    async () => {
      const bed = await openHubspot({ people: PEOPLE });
      const property = bed.fieldFor('age');
      const rules = [{ ruleType: 'MAX_NUMBER', ruleArguments: ['1'] }];
      await bed.crm.account.control('PUT', 'property-validations', { property, rules });
      return bed;
    },
  ],
];

describe('a contact with a value that its CRM refuses', () => {
  it.each(REFUSING)(
    'is refreshed, and noticed when it becomes another person, in %s',
    async (_, open) => {
      const bed = await open();
      const { world, crm } = bed;
      await world.sync();
      const donorField = bed.fieldFor('donorId');
      const [first, second] = await contactsWith(bed, donorField);
      const donor = (await crm.read(second))[donorField];
      await crm.becomes(first, second);
      await world.sync();
      const values = await crm.read(first);
      expect(values[donorField]).toBe(donor);
      expect({ ...values, [bed.fieldFor('age')]: null }).toEqual(await crm.read(second));
      const spent = await world.spent();
      await world.database.db
        .updateTable('contacts')
        .set((eb) => ({ asked_at: eb('asked_at', '-', 400 * 86_400_000) }))
        .where('crm_id', '=', second)
        .execute();
      expect((await world.sync({ full: true })).contacts).toMatchObject({ submitted: 1 });
      expect(await world.spent()).toBe(spent + 1);
      // The CRM refuses the refreshed value as it refused the earlier value, so the record contains all other values.
      expect(await crm.read(second)).toEqual(values);
      expect(await donorsIn(bed, second)).not.toEqual([]);
    },
  );
});

/** Returns two contacts whom the service knows. */
async function contactsWith({ crm }: Bed<Crm>, field: string): Promise<[string, string]> {
  const known: string[] = [];
  for (const id of crm.ids) if ((await crm.read(id))[field] !== null) known.push(id);
  const [first, second] = known;
  return first === undefined || second === undefined ? fail('Two are needed') : [first, second];
}
