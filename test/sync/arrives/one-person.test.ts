import { describe, expect, it } from 'vitest';
import type { ContactQuestion } from '../../../src/decisions/statements/questions.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { listRunRecords } from '../../../src/sync/statements/runs.ts';
import { ageJobs } from '../worlds.ts';
import {
  type Bed,
  CRMS,
  type Crm,
  donorsIn,
  expectWhole,
  fail,
  openHubspot,
  openSalesforce,
  referenceOf,
} from './testbed.ts';

const PEOPLE = 30;

const STRANGER = ['Xavier', 'Quillfeather'] as const;

/** The ages of the bought profiles. The service keeps the results of jobs for a week. */
const AGES: readonly [string, (bed: Bed<Crm>) => Promise<void>][] = [
  ['bought yesterday', async () => undefined],
  [
    'bought a month ago',
    async ({ world }) => {
      await ageJobs(world, 60 * 24 * 30);
      await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
    },
  ],
];

/** A CRM whose users can copy a contact. */
interface Cloning extends Crm {
  clone(id: string, other: string): Promise<string>;
  setValue(id: string, field: string, value: number): Promise<unknown>;
}

/** Two contacts and their donors after the first run. `first` later becomes the person of `second`. */
interface Two<Kind extends Crm> {
  bed: Bed<Kind>;
  first: string;
  second: string;
  formerDonor: string;
  donor: string;
  /** A capacity field in which the two donors differ. */
  capacity: string;
  spent: number;
}

async function openTwo<Kind extends Crm>(
  open: (options: { people: number }) => Promise<Bed<Kind>>,
  before: (bed: Bed<Kind>) => Promise<unknown> = async () => undefined,
): Promise<Two<Kind>> {
  const bed = await open({ people: PEOPLE });
  await before(bed);
  await bed.world.sync();
  const { byPlace } = await referenceOf(bed.crm.kind, PEOPLE);
  const [donorField, capacityField] = [bed.fieldFor('donorId'), bed.fieldFor('capacity.nonprofit')];
  const all = [...byPlace].map(([place, values]) => ({
    id: bed.crm.ids[place] ?? '',
    donor: values[donorField] ?? '',
    capacity: Number(values[capacityField] ?? 0),
  }));
  const sorted = all.toSorted((one, other) => one.capacity - other.capacity);
  const [low, high] = [sorted.find(({ capacity }) => capacity > 0), sorted.at(-1)];
  if (low === undefined || high === undefined || low.capacity === high.capacity) {
    return fail('Two donors with different capacities are needed');
  }
  return {
    bed,
    first: low.id,
    second: high.id,
    formerDonor: low.donor,
    donor: high.donor,
    capacity: String(high.capacity),
    spent: await bed.world.spent(),
  };
}

/**
 * Expects that all values in each contact belong to one donor, and that no credit has been spent since the first run.
 */
async function expectOnePersonEach<Kind extends Crm>({ bed, spent }: Two<Kind>): Promise<void> {
  for (const id of bed.crm.ids) {
    const donors = await donorsIn(bed, id).catch(() => []);
    expect(donors.length, `${id}: ${donors.join(', ')}`).toBeLessThanOrEqual(1);
  }
  expect(await bed.world.spent()).toBe(spent);
}

async function openHolds(bed: Bed<Crm>): Promise<ContactQuestion[]> {
  const open = await listOpenQuestions(bed.world.store.reader);
  return open.filter((question) => question.about === 'contact');
}

describe('a copy of a contact with the name of another person', () => {
  it.each([
    ['Salesforce', openSalesforce],
    ['HubSpot', openHubspot],
  ])('gets all values of that person, and no other, in %s', async (_, open) => {
    const two = await openTwo<Cloning>(open);
    const { bed, first, second, donor } = two;
    const copy = await bed.crm.clone(first, second);
    expect(await donorsIn(bed, copy)).toEqual([two.formerDonor]);
    expect(await bed.world.sync()).toMatchObject({ status: 'succeeded' });
    expect(await donorsIn(bed, copy)).toEqual([donor]);
    expect(await bed.crm.read(copy)).toEqual(await bed.crm.read(second));
    await expectWhole(bed);
    await expectOnePersonEach(two);
  });

  it.each([
    ['Salesforce', openSalesforce],
    ['HubSpot', openHubspot],
  ])('keeps a value that a user has changed in the copy, in %s', async (_, open) => {
    const two = await openTwo<Cloning>(open);
    const { bed, first, second } = two;
    const capacity = bed.fieldFor('capacity.nonprofit');
    const copy = await bed.crm.clone(first, second);
    await bed.crm.setValue(copy, capacity, 777_000);
    await bed.world.sync();
    expect((await bed.crm.read(copy))[capacity]).toBe('777000');
    const expected = await bed.crm.read(second);
    expect(await bed.crm.read(copy)).toEqual({ ...expected, [capacity]: '777000' });
  });
});

describe('a contact that is renamed to another person of the service', () => {
  it.each(CRMS)('gets all values of that person, and no other, in %s', async (_, open) => {
    const two = await openTwo<Crm>(open);
    const { bed, first, second, donor } = two;
    await bed.crm.becomes(first, second);
    await bed.world.sync();
    expect(await donorsIn(bed, first)).toEqual([donor]);
    await expectWhole(bed, { except: [first] });
    await expectOnePersonEach(two);
  });

  it.each(CRMS)('loses what the profile of that person lacks, in %s', async (_, open) => {
    const bed = await open({ people: PEOPLE });
    const { crm, world } = bed;
    await world.sync();
    const { byPlace } = await referenceOf(crm.kind, PEOPLE);
    const school = bed.fieldFor('education.primary');
    const ids = (isThere: boolean) =>
      [...byPlace].flatMap(([place, values]) =>
        (values[school] !== null) === isThere ? (crm.ids[place] ?? []) : [],
      );
    const [[first = ''], [second = '']] = [ids(true), ids(false)];
    const spent = await world.spent();
    await crm.becomes(first, second);
    await world.sync();
    expect((await crm.read(first))[school]).toBeNull();
    expect(await crm.read(first)).toEqual(await crm.read(second));
    expect(await world.spent()).toBe(spent);
  });

  it('loses the former capacity where a rule of Salesforce refuses the new one', async () => {
    for (const isNamed of [true, false]) {
      const two = await openTwo(openSalesforce);
      const { bed, first, second, donor, capacity } = two;
      const field = bed.fieldFor('capacity.nonprofit');
      await bed.crm.org.control('POST', 'rules', {
        kind: 'validation',
        type: 'Contact',
        when: `${field} >= ${capacity}`,
        message: 'Too much.',
        ...(isNamed ? { field } : {}),
      });
      await bed.crm.becomes(first, second);
      await bed.world.sync();
      expect((await bed.crm.read(first))[field]).toBeNull();
      expect((await bed.crm.read(first))[bed.fieldFor('donorId')]).toBe(donor);
      await expectOnePersonButFor(two, field);
      await bed.crm.org.control('DELETE', 'rules');
      await letADayPass(bed);
      await bed.world.sync();
      expect((await bed.crm.read(first))[field]).toBe(capacity);
      await expectOnePersonEach(two);
    }
  });

  it('gets what a rule of Salesforce refused, though the former person’s run was undone since', async () => {
    const two = await openTwo(openSalesforce);
    const { bed, first, second, donor, capacity } = two;
    const [{ id: former } = fail('No run was found')] = await listRunRecords(
      bed.world.store.reader,
      {
        integrationId: bed.world.integration.id,
        limit: 1,
      },
    );
    const field = bed.fieldFor('capacity.nonprofit');
    await bed.crm.org.control('POST', 'rules', {
      kind: 'validation',
      type: 'Contact',
      when: `${field} >= ${capacity}`,
      message: 'Too much.',
      field,
    });
    await bed.crm.becomes(first, second);
    await bed.world.sync();
    expect((await bed.crm.read(first))[field]).toBeNull();
    // The contact no longer has values from that run, so undoing the run changes nothing.
    await bed.undo(former);
    expect((await bed.crm.read(first))[bed.fieldFor('donorId')]).toBe(donor);
    await bed.crm.org.control('DELETE', 'rules');
    await letADayPass(bed);
    await bed.world.sync();
    expect((await bed.crm.read(first))[field]).toBe(capacity);
    await expectOnePersonEach(two);
  });

  it('loses the former capacity where a rule of HubSpot refuses the new one', async () => {
    const two = await openTwo(openHubspot);
    const { bed, first, second, donor, capacity } = two;
    const property = bed.fieldFor('capacity.nonprofit');
    const most = String(Number(capacity) - 1);
    const rules = [{ ruleType: 'MAX_NUMBER', ruleArguments: [most] }];
    await bed.crm.account.control('PUT', 'property-validations', { property, rules });
    await bed.crm.becomes(first, second);
    await bed.world.sync();
    expect((await bed.crm.read(first))[property]).toBeNull();
    expect((await bed.crm.read(first))[bed.fieldFor('donorId')]).toBe(donor);
    await expectOnePersonButFor(two, property);
    await bed.crm.account.control('PUT', 'property-validations', { property, rules: [] });
    await letADayPass(bed);
    await bed.world.sync();
    expect((await bed.crm.read(first))[property]).toBe(capacity);
    await expectOnePersonEach(two);
  });

  it.each([
    ['rounds a number', 'capacity.nonprofit', { kind: 'round', to: 1_000_000 }],
    ['writes a text in capitals', 'work.primary', { kind: 'upperCase' }],
  ] as const)('loses the former value where a flow of Salesforce %s', async (_, from, change) => {
    const two = await openTwo(openSalesforce, ({ crm, fieldFor }) =>
      crm.org.control('POST', 'automation', { field: fieldFor(from), change, name: 'flow' }),
    );
    const { bed, first, second, donor } = two;
    await bed.crm.becomes(first, second);
    await bed.crm.org.control('DELETE', 'automation');
    await bed.world.sync();
    expect(await donorsIn(bed, first)).toEqual([donor]);
    expect(await bed.world.spent()).toBe(two.spent);
  });

  it.each([
    ['rounds a number', 'capacity.nonprofit', { kind: 'round', to: 1_000_000 }],
    ['writes a text in capitals', 'work.primary', { kind: 'upperCase' }],
  ] as const)('loses the former value where a workflow of HubSpot %s', async (_, from, change) => {
    const two = await openTwo(openHubspot, ({ crm, fieldFor }) =>
      crm.account.control('POST', 'automation', { property: fieldFor(from), change, name: 'flow' }),
    );
    const { bed, first, second, donor } = two;
    await bed.crm.becomes(first, second);
    await bed.crm.account.control('DELETE', 'automation');
    await bed.world.sync();
    expect(await donorsIn(bed, first)).toEqual([donor]);
    expect(await bed.world.spent()).toBe(two.spent);
  });
});

describe('a merge that comes with another name in one night', () => {
  it.each(AGES)(
    'gives the survivor in Salesforce the paid profile of its name (%s)',
    async (_, age) => {
      const two = await openTwo(openSalesforce);
      const { bed, first, second, donor } = two;
      await age(bed);
      await bed.crm.becomes(first, second);
      const order = { action: 'merge', masterId: first, loserIds: [second], fillBlanks: true };
      await bed.crm.org.edit(order);
      await bed.world.sync();
      expect(await donorsIn(bed, first)).toEqual([donor]);
      expect(await bed.world.spent()).toBe(two.spent);
    },
  );

  it.each(AGES.flatMap(([name, age]) => [true, false].map((newId) => [name, newId, age] as const)))(
    'gives the survivor in HubSpot the paid profile of its name (%s, new id: %s)',
    async (_, newId, age) => {
      const two = await openTwo(openHubspot);
      const { bed, first, second, donor } = two;
      await age(bed);
      await bed.crm.becomes(first, second);
      const heir = await bed.crm.account.mergeContacts(second, first, newId);
      await bed.world.sync();
      expect(await donorsIn(bed, heir)).toEqual([donor]);
      expect(await bed.world.spent()).toBe(two.spent);
      expect(await openHolds(bed)).toEqual([]);
    },
  );

  it('takes the profile of the name that stays, whichever record of HubSpot it is', async () => {
    for (const isFirst of [true, false]) {
      const two = await openTwo(openHubspot);
      const { bed, first, second, donor, formerDonor } = two;
      const [winner, loser] = isFirst ? [first, second] : [second, first];
      const heir = await bed.crm.account.mergeContacts(loser, winner, true);
      await bed.world.sync();
      expect(await donorsIn(bed, heir)).toEqual([isFirst ? formerDonor : donor]);
      expect(await bed.world.spent()).toBe(two.spent);
      expect(await openHolds(bed)).toEqual([]);
    }
  });

  it('asks a user where the new name is nobody’s, and blanks what a user says is another person’s', async () => {
    const two = await openTwo(openSalesforce);
    const { bed, first, second, formerDonor } = two;
    const [FirstName, LastName] = STRANGER;
    const values = { FirstName, LastName };
    const merge = {
      action: 'merge',
      masterId: first,
      loserIds: [second],
      fillBlanks: true,
      values,
    };
    await bed.crm.org.edit(merge);
    await bed.world.sync();
    await expectAskedAndBlanked(bed, first, formerDonor, 'new_person_unknown');
    expect(await bed.world.spent()).toBe(two.spent);
  });

  it('asks a user of HubSpot as well', async () => {
    const two = await openTwo(openHubspot);
    const { bed, first, second, formerDonor } = two;
    const [firstname, lastname] = STRANGER;
    const values = { firstname, lastname };
    const order = { action: 'merge', primaryId: first, otherId: second, newId: true, values };
    const heir = await bed.crm.account.edit(order);
    await bed.world.sync();
    await expectAskedAndBlanked(bed, heir, formerDonor, 'name_mismatch');
    expect(await bed.world.spent()).toBe(two.spent);
  });
});

describe('a contact that is renamed to someone whom the service does not know', () => {
  it.each(CRMS)('waits for a user in %s, and keeps or loses the former values', async (_, open) => {
    for (const answer of ['approved', 'rejected'] as const) {
      const two = await openTwo<Crm>(open);
      const { bed, first, formerDonor } = two;
      await bed.crm.rename(first, ...STRANGER);
      await bed.world.sync();
      expect(await donorsIn(bed, first)).toEqual([formerDonor]);
      const [hold, ...more] = await openHolds(bed);
      expect(more).toEqual([]);
      expect(hold).toMatchObject({ crmId: first, kind: 'new_person_unknown' });
      await recordDecision(bed.world.store, hold ?? fail('No hold'), answer);
      const spent = await bed.world.spent();
      await bed.world.sync();
      expect(await donorsIn(bed, first)).toEqual(answer === 'approved' ? [formerDonor] : []);
      expect(await bed.world.spent()).toBe(spent);
      expect((await bed.world.sync({ full: true })).contacts).toMatchObject({
        ...{ held: 0, submitted: 0, written: 0 },
      });
    }
  });
});

async function expectAskedAndBlanked(
  bed: Bed<Crm>,
  id: string,
  donor: string,
  kind: ContactQuestion['kind'],
): Promise<void> {
  const [hold, ...more] = await openHolds(bed);
  expect(more).toEqual([]);
  expect(hold).toMatchObject({ crmId: id, kind });
  expect(await donorsIn(bed, id)).toEqual([donor]);
  await recordDecision(bed.world.store, hold ?? fail('No hold'), 'rejected');
  await bed.world.sync();
  expect(await donorsIn(bed, id)).toEqual([]);
}

/**
 * Expects that all values in each contact belong to one donor, except that one field of the renamed contact is blank.
 */
async function expectOnePersonButFor(
  { bed, first, donor, spent }: Two<Crm>,
  field: string,
): Promise<void> {
  const { byDonor } = await referenceOf(bed.crm.kind, PEOPLE);
  expect(await bed.crm.read(first)).toEqual({ ...byDonor.get(donor), [field]: null });
  expect(await bed.world.spent()).toBe(spent);
}

/** Lets a day pass, so that the next run tries refused values again. */
async function letADayPass({ world }: Bed<Crm>): Promise<void> {
  await world.database.db
    .updateTable('value_states')
    .set((eb) => ({ since: eb('since', '-', 86_400_000), probed_at: null }))
    .execute();
}
