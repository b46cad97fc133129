import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { FieldMapping } from '../../src/core/field-map.ts';
import type { Profile } from '../../src/core/profile.ts';
import { undoRun } from '../../src/fields/undo.ts';
import type { SyncWorld, SyncWorldOptions } from '../helpers/sync-world.ts';
import { takeLease } from '../store/store-world.ts';
import { open } from './worlds.ts';

const DONOR = 'Donor ID';
const WORK = 'Donor Work';
const EDUCATION = 'Donor Education';
const BIO = 'Donor Biography';

/** Fields whose values name their donor in these worlds. */
const MARKED = [DONOR, WORK, EDUCATION, BIO];

const FIELDS: readonly FieldMapping[] = [
  { from: 'donorId', to: DONOR, when: 'unlessEdited' },
  { from: 'work.primary', to: WORK, when: 'unlessEdited' },
  { from: 'education.primary', to: EDUCATION, when: 'ifEmpty' },
  { from: 'bio', to: BIO, when: 'unlessEdited' },
];

/** A world whose profiles name their donor in each text; `change` alters a profile before it is delivered. */
async function openMarked(
  change: (profile: Profile) => void = () => {},
  options: SyncWorldOptions = {},
): Promise<SyncWorld> {
  return open({
    ...options,
    integration: { fields: FIELDS, ...options.integration },
    partner: (client) => ({
      ...client,
      async readResults(ids, signal) {
        const results = await client.readResults(ids, signal);
        for (const result of results.values()) {
          if (result.state !== 'completed') continue;
          const { profile } = result;
          change(profile);
          profile.work = [`Work of ${profile.donorId}`];
          profile.education = [`Education of ${profile.donorId}`];
          profile.bio = lacksBio.has(profile.donorId) ? [] : [`Bio of ${profile.donorId}`];
        }
        return results;
      },
    }),
  });
}

/** What the next profiles and writes are like; as usual again after each test. */
const lacksBio = new Set<string>();
const joins = { isOn: false };
const refusals = { isOn: false };

afterEach(() => {
  lacksBio.clear();
  joins.isOn = false;
  refusals.isOn = false;
});

/** Two contacts that the service knows, with values of ours; the second one leaves the CRM. */
async function openTwo(options: Parameters<typeof openMarked>[1] = {}, change = () => {}) {
  const world = await openMarked(change, options);
  await world.addPeople(20);
  await world.sync();
  const known = [...world.crm.records.keys()].filter((id) => world.crm.valueOf(id, DONOR) !== null);
  const [first = '', second = ''] = known;
  const other = world.crm.records.get(second)?.contact;
  if (other === undefined) throw new Error('there are no two contacts');
  const { firstName, lastName, addresses, employers } = other;
  return { world, first, second, identity: { firstName, lastName, addresses, employers } };
}

/** The donors that values of ours in a contact name: the judge reads the CRM alone. */
function donorsIn({ crm }: SyncWorld, id: string): string[] {
  const texts = MARKED.map((field) => String(crm.valueOf(id, field) ?? ''));
  return [...new Set(texts.flatMap((text) => text.match(/[0-9a-f]{32}/g) ?? []))];
}

function valuesIn({ crm }: SyncWorld, id: string) {
  return Object.fromEntries(MARKED.map((field) => [field, crm.valueOf(id, field)]));
}

async function theHold({ store }: SyncWorld) {
  const [hold, ...more] = await store.holds.listOpen();
  if (!hold || more.length > 0) throw new Error(`there are ${more.length} more holds`);
  return hold;
}

describe('a contact that becomes another person', () => {
  it('gets all values of the new person, in fields that are only filled if empty as well', async () => {
    const { world, first, second, identity } = await openTwo();
    const donor = world.crm.valueOf(second, DONOR);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 0 });
    expect(valuesIn(world, first)).toEqual({
      [DONOR]: donor,
      [WORK]: `Work of ${donor}`,
      [EDUCATION]: `Education of ${donor}`,
      [BIO]: `Bio of ${donor}`,
    });
  });

  it('loses what the new profile lacks, and what stands in fields that are no longer mapped', async () => {
    const { world, first, second, identity } = await openTwo();
    const donor = world.crm.valueOf(second, DONOR);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const fields = FIELDS.filter(({ to }) => to !== WORK);
    lacksBio.add(String(donor));
    await world.sync({ integration: { ...world.integration, fields: [...fields] } });
    expect(valuesIn(world, first)).toEqual({
      [DONOR]: donor,
      [WORK]: null,
      [EDUCATION]: `Education of ${donor}`,
      [BIO]: null,
    });
  });

  it('keeps what a user typed', async () => {
    const { world, first, second, identity } = await openTwo();
    world.crm.setValue(first, WORK, 'Typed by a user');
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(world.crm.valueOf(first, WORK)).toBe('Typed by a user');
    expect(donorsIn(world, first)).toHaveLength(1);
  });

  it('is written in one change, and has a blank field where the CRM refuses the new value', async () => {
    const { world, first, second, identity } = await openTwo({
      connector: (crm, signal) =>
        refusing(crm, signal, (field, value) => field === WORK && value !== null),
    });
    refusals.isOn = true;
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const before = world.crm.writes.length;
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ written: 1, held: 0 });
    expect(world.crm.writes.slice(before).filter(({ id }) => id === first)).toHaveLength(1);
    expect(world.crm.valueOf(first, WORK)).toBeNull();
    expect(donorsIn(world, first)).toHaveLength(1);
  });

  it('is held with the former values if a field cannot even be blanked, and is written once it can', async () => {
    const { world, first, second, identity } = await openTwo();
    const before = valuesIn(world, first);
    const donor = world.crm.valueOf(second, DONOR);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    world.crm.refuseField(first, WORK);
    expect((await world.sync()).contacts).toMatchObject({ written: 0, held: 1 });
    expect(valuesIn(world, first)).toEqual(before);
    const hold = await theHold(world);
    expect(hold).toMatchObject({ crmId: first, kind: 'values_of_two_people' });
    const spent = await world.spent();
    await world.store.holds.decide(hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ held: 1 });
    world.crm.allowWrites(first);
    await world.store.holds.decide(await theHold(world), 'approved');
    expect((await world.sync()).contacts).toMatchObject({ written: 1 });
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(await world.spent()).toBe(spent);
  });

  it('keeps the former values if a user wants that', async () => {
    const { world, first, second, identity } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    world.crm.refuseField(first, WORK);
    await world.sync();
    await world.store.holds.decide(await theHold(world), 'rejected');
    world.crm.allowWrites(first);
    await world.sync({ full: true });
    expect(valuesIn(world, first)).toEqual(before);
  });

  it('is held, and not written in parts, where the connector cannot write all or nothing', async () => {
    const { world, first, second, identity } = await openTwo({
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        const { writesTogether: _, ...capabilities } = connector.capabilities;
        return { ...connector, capabilities };
      },
    });
    const before = valuesIn(world, first);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    expect((await world.sync()).contacts).toMatchObject({ written: 0, held: 1 });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await theHold(world)).toMatchObject({
      kind: 'values_of_two_people',
      detail: 'not_together',
    });
  });

  it('gets back the former values in one change when the run is undone', async () => {
    const { world, first, second, identity } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const { id } = await world.sync();
    await undoRun(world.deps(), await takeLease(world.store, 'riverside'), id);
    expect(valuesIn(world, first)).toEqual(before);
    const rows = await world.store.contacts.find('riverside', [first]);
    expect(rows.get(first)?.valuesDonor).toBe(before[DONOR]);
  });

  it('loses a value that automation of the CRM has changed', async () => {
    const { world, first, second, identity } = await openTwo();
    world.crm.automate(WORK, (value) => (typeof value === 'string' ? value.toUpperCase() : value));
    const [third = ''] = [...world.crm.records.keys()].filter(
      (id) => id !== first && id !== second && world.crm.valueOf(id, DONOR) !== null,
    );
    const donor = world.crm.valueOf(third, DONOR);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(world.crm.valueOf(first, WORK)).toMatch(/^WORK OF /);
    expect(await world.store.normalisedFields.list('riverside')).toMatchObject([{ field: WORK }]);
    const next = world.crm.records.get(third)?.contact;
    if (next === undefined) throw new Error('the third contact is gone');
    const { firstName, lastName, addresses, employers } = next;
    world.crm.deleteContact(third);
    world.crm.editContact(first, { firstName, lastName, addresses, employers });
    expect((await world.sync()).contacts).toMatchObject({ written: 1 });
    expect(world.crm.valueOf(first, WORK)).toBe(`WORK OF ${String(donor).toUpperCase()}`);
    expect(donorsIn(world, first).filter((id) => id !== donor)).toEqual([]);
  });

  it('keeps a value that a user typed into a field which automation changes', async () => {
    const { world, first, second, identity } = await openTwo();
    world.crm.automate(WORK, (value) => (typeof value === 'string' ? value.toUpperCase() : value));
    world.crm.setValue(first, WORK, 'TYPED');
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(world.crm.valueOf(first, WORK)).toBe('TYPED');
  });
});

describe('a contact that is renamed to somebody whom the service does not know', () => {
  const STRANGER = {
    firstName: 'Xavier',
    lastName: 'Quillfeather',
    addresses: ['1 Nowhere Lane, Reno, NV 89501'],
    employers: [],
  };

  async function openRenamed() {
    const { world, first } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.editContact(first, STRANGER);
    const report = await world.sync();
    return { world, first, before, report };
  }

  it('is held, with the former values in place until a user has decided', async () => {
    const { world, first, before, report } = await openRenamed();
    expect(report.contacts).toMatchObject({ held: 1, failed: 0 });
    expect(await theHold(world)).toMatchObject({ crmId: first, kind: 'new_person_unknown' });
    expect(valuesIn(world, first)).toEqual(before);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 1, submitted: 0 });
  });

  it('keeps the values of the same person under a new name, and is not asked about again', async () => {
    const { world, first, before } = await openRenamed();
    const spent = await world.spent();
    await world.store.holds.decide(await theHold(world), 'approved');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 0, submitted: 0 });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('has its values blanked if a user says that it is another person', async () => {
    const { world, first } = await openRenamed();
    const spent = await world.spent();
    await world.store.holds.decide(await theHold(world), 'rejected');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ written: 1, held: 0 });
    expect(Object.values(valuesIn(world, first))).toEqual([null, null, null, null]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ written: 0, submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('is tried again by the next run where the CRM refuses to blank', async () => {
    const { world, first, before } = await openRenamed();
    await world.store.holds.decide(await theHold(world), 'rejected');
    world.crm.refuseField(first, WORK);
    await world.sync();
    expect(valuesIn(world, first)).toEqual(before);
    world.crm.allowWrites(first);
    await world.sync();
    expect(Object.values(valuesIn(world, first))).toEqual([null, null, null, null]);
  });

  it('is not asked about if only the address is another one', async () => {
    const { world, first } = await openTwo();
    world.crm.editContact(first, { addresses: ['1 Nowhere Lane, Reno, NV 89501'] });
    await world.sync();
    expect(await world.store.holds.listOpen()).toEqual([]);
  });
});

describe('a merge that comes with another name', () => {
  it('takes the paid job of the other record if that fits, without a credit', async () => {
    const { world, first, second, identity } = await openTwo();
    const donor = world.crm.valueOf(second, DONOR);
    const spent = await world.spent();
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    world.crm.editContact(first, identity);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(await world.spent()).toBe(spent);
  });

  it('is held if no paid job fits the new name', async () => {
    const { world, first, second } = await openTwo();
    const before = valuesIn(world, first);
    const spent = await world.spent();
    world.crm.mergeContact(second, first);
    world.crm.editContact(first, { firstName: 'Xavier', lastName: 'Quillfeather' });
    expect((await world.sync()).contacts).toMatchObject({ held: 1, submitted: 0 });
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: first });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('leaves a winner alone whose name is still that of its profile', async () => {
    const { world, first, second } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    await world.sync();
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.store.holds.listOpen()).toEqual([]);
  });

  it('takes out what the CRM filled into blank fields from the other record', async () => {
    const { world, first, second } = await openTwo();
    world.crm.setValue(first, BIO, null);
    const donor = world.crm.valueOf(first, DONOR);
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    expect(donorsIn(world, first)).toHaveLength(2);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(world.crm.valueOf(first, BIO)).toBeNull();
  });
});

describe('another donor for a contact that did not change', () => {
  /** The service has joined each donor with another one. */
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
    for (const hold of await world.store.holds.listOpen()) {
      expect(hold.kind).toBe('donor_mass_change');
      await world.store.holds.decide(hold, 'approved');
    }
    expect((await world.sync()).contacts).toMatchObject({ written: ids.length });
    for (const id of ids) expect(donorsIn(world, id)).toHaveLength(1);
  });
});

/** The connector in memory over a CRM with a rule that refuses some values by the name of their field. */
function refusing(
  crm: Parameters<typeof createMemoryConnector>[0],
  signal: AbortSignal,
  isRefused: (field: string, value: unknown) => boolean,
): ReturnType<typeof createMemoryConnector> {
  const connector = createMemoryConnector(crm, signal);
  return {
    ...connector,
    async *write(changes) {
      for await (const change of changes) {
        const fields = Object.entries(change.values).flatMap(([field, value]) =>
          refusals.isOn && isRefused(field, value) ? field : [],
        );
        const refusal = { retriable: false, code: 'RULE', message: 'A rule refuses it.', fields };
        if (fields.length > 0) yield { status: 'refused', id: change.id, ...refusal };
        else yield* connector.write([change]);
      }
    },
  };
}
