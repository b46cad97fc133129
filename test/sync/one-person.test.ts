import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../connectors/memory/connector.ts';
import type { MemoryCrm } from '../../connectors/memory/crm.ts';
import { findContacts } from '../../src/contacts/contacts.ts';
import { parseOwned } from '../../src/contacts/owned-values.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { RetriableError } from '../../src/core/errors.ts';
import type { FieldMapping } from '../../src/core/field-map.ts';
import type { Profile } from '../../src/core/profile.ts';
import { listOpenQuestions, recordDecision } from '../../src/decisions/statements/questions.ts';
import {
  findOtherTool,
  listNormalisedFields,
} from '../../src/fields/statements/normalised-fields.ts';
import { undoRun } from '../../src/fields/undo.ts';
import { openCrm } from '../../src/sync/control/crm-account.ts';
import { withLease } from '../../src/sync/control/with-lease.ts';
import { takeLease } from '../database/store-world.ts';
import type { SyncWorld, SyncWorldOptions } from '../helpers/sync-world.ts';
import { ageJobs, open } from './worlds.ts';

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

/** What the CRM says of a person. */
function identityOf({ crm }: SyncWorld, id: string) {
  const contact = crm.records.get(id)?.contact;
  if (contact === undefined) throw new Error(`there is no contact ${id}`);
  const { firstName, lastName, addresses, employers } = contact;
  return { firstName, lastName, addresses, employers };
}

/** What the next profiles and writes are like; as usual again after each test. */
const lacksBio = new Set<string>();
const joins = { isOn: false };
const refusals = { isOn: false };
const breaks = { isOn: false };

afterEach(() => {
  lacksBio.clear();
  joins.isOn = false;
  refusals.isOn = false;
  breaks.isOn = false;
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

/** A month later: the service has purged the jobs. */
async function forgetJobs(world: SyncWorld): Promise<void> {
  await ageJobs(world, 60 * 24 * 30);
  await world.putFaults([{ on: { path: '*results*' }, fault: { kind: 'jobsVanish' } }]);
}

async function theHold({ store }: SyncWorld) {
  const [hold, ...more] = await listOpenQuestions(store.reader);
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

  it('is not tried again by what was read long ago, as it may be somebody else by then', async () => {
    let aheadMs = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + aheadMs,
      monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    };
    const { world, first, second, identity } = await openTwo({
      clock,
      connector: (crm, signal) =>
        refusing(crm, signal, (field, value) => {
          if (field !== WORK || value === null) return false;
          // A slow CRM refuses the value after minutes, and meanwhile the contact is renamed.
          aheadMs = 3 * 60_000;
          crm.editContact(first, { firstName: 'Zebulon', lastName: 'Quartermain' });
          return true;
        }),
    });
    refusals.isOn = true;
    const former = world.crm.valueOf(first, DONOR);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(world.crm.valueOf(first, DONOR)).toBe(former);
    const rows = await findContacts(world.store.reader, 'riverside', [first]);
    expect(rows.get(first)).toMatchObject({ outcomeReason: 'crm_passing' });
    await world.sync();
    expect(await theHold(world)).toMatchObject({ crmId: first, kind: 'name_mismatch' });
    expect(world.crm.valueOf(first, DONOR)).toBe(former);
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
    await recordDecision(world.store, hold, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ held: 1 });
    world.crm.allowWrites(first);
    await recordDecision(world.store, await theHold(world), 'approved');
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
    await recordDecision(world.store, await theHold(world), 'rejected');
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
    const rows = await findContacts(world.store.reader, 'riverside', [first]);
    expect(rows.get(first)?.valuesDonor).toBe(before[DONOR]);
  });

  it('keeps the values of the new person where an undo cannot bring back all of the former one', async () => {
    const { world, first, second, identity } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const { id } = await world.sync();
    const after = valuesIn(world, first);
    world.crm.refuseField(first, WORK);
    const undo = async () => undoRun(world.deps(), await takeLease(world.store, 'riverside'), id);
    expect((await undo()).contacts).toMatchObject({ restored: 0, refused: 1 });
    expect(valuesIn(world, first)).toEqual(after);
    world.crm.allowWrites(first);
    expect((await undo()).contacts).toMatchObject({ restored: 1, refused: 0 });
    expect(valuesIn(world, first)).toEqual(before);
  });

  it('holds the former person’s values once these are back, also beside a value that a user has typed', async () => {
    const { world, first, second, identity } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const { id } = await world.sync();
    const { [DONOR]: donor } = valuesIn(world, first);
    world.crm.setValue(first, DONOR, 'typed by a user');
    const deps = world.deps();
    await withLease(deps, 'riverside', async (lease) =>
      undoRun(await openCrm(deps, lease), lease, id),
    );
    expect(valuesIn(world, first)).toEqual({ ...before, [DONOR]: 'typed by a user' });
    const rows = await findContacts(world.store.reader, 'riverside', [first]);
    expect(rows.get(first)?.valuesDonor).toBe(before[DONOR]);
    // The next profile of the new person replaces all of them, also in a field that is only filled if it is empty.
    world.crm.editContact(first, { employers: ['Another Employer'] });
    await world.sync();
    expect(world.crm.valueOf(first, EDUCATION)).toBe(`Education of ${donor}`);
    expect(donorsIn(world, first)).toEqual([donor]);
  });

  it('keeps the values of the new person where a newer run has brought more of them', async () => {
    const { world, first, second, identity } = await openTwo();
    lacksBio.add(String(world.crm.valueOf(second, DONOR)));
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const { id } = await world.sync();
    const { [DONOR]: donor } = valuesIn(world, first);
    lacksBio.clear();
    world.crm.editContact(first, { employers: ['Another Employer'] });
    const newer = await world.sync();
    const after = valuesIn(world, first);
    expect(after[BIO]).toBe(`Bio of ${donor}`);
    const undo = async (run: string) =>
      undoRun(world.deps(), await takeLease(world.store, 'riverside'), run);
    expect((await undo(id)).contacts).toMatchObject({ restored: 0, refused: 1 });
    expect(valuesIn(world, first)).toEqual(after);
    await undo(newer.id);
    expect((await undo(id)).contacts).toMatchObject({ restored: 1, refused: 0 });
    expect(donorsIn(world, first)).not.toContain(donor);
    expect(donorsIn(world, first)).toHaveLength(1);
  });

  it('gets the new values in one change again when a user delivers them after an undo by mistake', async () => {
    const { world, first, second, identity } = await openTwo();
    const before = valuesIn(world, first);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    const { id } = await world.sync();
    const after = valuesIn(world, first);
    const spent = await world.spent();
    const deps = world.deps();
    await withLease(deps, 'riverside', async (lease) =>
      undoRun(await openCrm(deps, lease), lease, id),
    );
    // One field alone would leave values of two people.
    await world.sync({ redelivery: { fields: [DONOR] } });
    expect(valuesIn(world, first)).toEqual(before);
    const report = await world.sync({ redelivery: { fields: null } });
    expect(report.contacts).toMatchObject({ written: 1, held: 0 });
    expect(valuesIn(world, first)).toEqual(after);
    const rows = await findContacts(world.store.reader, 'riverside', [first]);
    expect(rows.get(first)?.valuesDonor).toBe(after[DONOR]);
    expect(await world.spent()).toBe(spent);
  });

  it('loses the values of a write whose run broke off before it was on record', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const [third = ''] = [...world.crm.records.keys()].filter(
      (id) => id !== first && id !== second && world.crm.valueOf(id, DONOR) !== null,
    );
    const next = identityOf(world, third);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    expect(donorsIn(world, first)).toHaveLength(1);
    const donor = world.crm.valueOf(third, DONOR);
    world.crm.deleteContact(third);
    world.crm.editContact(first, next);
    // The profile of the former name is there first, and does not fit.
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'resubmitted');
    await world.sync();
    expect(valuesIn(world, first)).toEqual({
      [DONOR]: donor,
      [WORK]: `Work of ${donor}`,
      [EDUCATION]: `Education of ${donor}`,
      [BIO]: `Bio of ${donor}`,
    });
  });

  it('gets a value that did not fit once its field is longer, though the write that blanked it broke off', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const whole = valuesIn(world, second);
    const spent = await world.spent();
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    world.crm.addField({ name: DONOR, type: 'text', maxLength: 3 });
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    // The run that finds the write in place records what waits, and takes no blank field for a user's doing.
    await world.sync();
    expect(valuesIn(world, first)).toEqual({ ...whole, [DONOR]: null });
    world.crm.addField({ name: DONOR, type: 'text', maxLength: 100 });
    await world.sync();
    expect(valuesIn(world, first)).toEqual(whole);
    expect(await world.spent()).toBeLessThanOrEqual(spent + 1);
  });

  it('is held where a write that broke off may have brought values of the former name', async () => {
    const world = await openMarked(() => {}, { connector: breakingOff });
    await world.addPeople(20);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    const [id = ''] = [...world.crm.records.keys()].filter(
      (each) => world.crm.valueOf(each, DONOR) !== null,
    );
    expect(donorsIn(world, id)).toHaveLength(1);
    const before = valuesIn(world, id);
    world.crm.editContact(id, {
      ...{ firstName: 'Xavier', lastName: 'Quillfeather', employers: [] },
      addresses: ['1 Nowhere Lane, Reno, NV 89501'],
    });
    await world.sync();
    // The profile of the former name does not fit, and the service does not know the present one.
    const hold = await theHold(world);
    if (hold.kind !== 'new_person_unknown') {
      await recordDecision(world.store, hold, 'resubmitted');
      await world.sync();
    }
    await world.sync();
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: id });
    expect(valuesIn(world, id)).toEqual(before);
    await recordDecision(world.store, await theHold(world), 'rejected');
    await world.sync();
    expect(donorsIn(world, id)).toEqual([]);
  });

  it('loses such values in fields that are no longer mapped', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const [third = ''] = [...world.crm.records.keys()].filter(
      (id) => id !== first && id !== second && world.crm.valueOf(id, DONOR) !== null,
    );
    const next = identityOf(world, third);
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    world.crm.deleteContact(third);
    world.crm.editContact(first, next);
    await world.sync();
    await recordDecision(world.store, await theHold(world), 'resubmitted');
    const fields = FIELDS.filter(({ to }) => to !== EDUCATION);
    await world.sync({
      full: true,
      integration: { ...world.integration, fields: [...fields] },
    });
    expect(donorsIn(world, first)).toHaveLength(1);
    expect(world.crm.valueOf(first, EDUCATION)).toBeNull();
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
    expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
      { field: WORK },
    ]);
    const next = world.crm.records.get(third)?.contact;
    if (next === undefined) throw new Error('the third contact is gone');
    const { firstName, lastName, addresses, employers } = next;
    world.crm.deleteContact(third);
    world.crm.editContact(first, { firstName, lastName, addresses, employers });
    expect((await world.sync()).contacts).toMatchObject({ written: 1 });
    expect(world.crm.valueOf(first, WORK)).toBe(`WORK OF ${String(donor).toUpperCase()}`);
    expect(donorsIn(world, first).filter((id) => id !== donor)).toEqual([]);
  });

  it('notes once that another tool writes as our user of the CRM', async () => {
    const world = await open({
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async readBack(writes) {
            const read = (await connector.readBack?.(writes)) ?? [];
            return read.map((each) => ({ ...each, sharesUser: true }));
          },
        };
      },
    });
    await world.addPeople(3);
    expect(await findOtherTool(world.store.reader, 'riverside')).toBeNull();
    await world.sync();
    const noticedAt = await findOtherTool(world.store.reader, 'riverside');
    expect(Date.now() - (noticedAt ?? 0)).toBeLessThan(60_000);
  });

  it('recognises automation in a field that the first batch of a run did not bring', async () => {
    const writes = { count: 0 };
    const world = await openMarked(() => {}, {
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async *write(changes) {
            writes.count += 1;
            const isFirst = writes.count === 1;
            for await (const change of changes) {
              const { [BIO]: _, ...values } = change.values;
              const refusal = { retriable: false, code: 'RULE', message: 'No.', fields: [BIO] };
              for await (const result of connector.write([
                isFirst ? { ...change, values } : change,
              ])) {
                if (!isFirst) yield result;
                else yield { status: 'written_in_part', id: result.id, refusals: [refusal] };
              }
            }
          },
        };
      },
    });
    world.crm.automate(BIO, (value) => (typeof value === 'string' ? value.toUpperCase() : value));
    await world.addPeople(40);
    await world.sync();
    expect(writes.count).toBeGreaterThan(1);
    expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
      { field: BIO },
    ]);
  });

  it.each([
    ['is deleted', (crm: MemoryCrm, id: string) => crm.deleteContact(id)],
    ['is out of sight', (crm: MemoryCrm, id: string) => crm.vanish(id)],
    ['has another value by a user', (crm: MemoryCrm, id: string) => crm.setValue(id, BIO, 'TYPED')],
  ] as const)(
    'recognises automation in a later batch if the first one %s before it is read back',
    async (_, disturb) => {
      const batches: (readonly string[])[] = [];
      const world = await openMarked(() => {}, {
        connector: (crm, signal) => {
          const connector = createMemoryConnector(crm, signal);
          return {
            ...connector,
            async readBack(writes) {
              batches.push(writes.map(({ id }) => id));
              if (batches.length === 1) for (const { id } of writes) disturb(crm, id);
              return (await connector.readBack?.(writes)) ?? [];
            },
          };
        },
      });
      world.crm.automate(BIO, (value) => (typeof value === 'string' ? `${value} (a flow)` : value));
      await world.addPeople(40);
      await world.sync();
      expect(batches.length).toBeGreaterThan(1);
      expect(await listNormalisedFields(world.store.reader, 'riverside')).toMatchObject([
        { field: BIO },
      ]);
      // A later person's profile replaces what the flow made: it is known as ours.
      const [first = '', second = ''] = batches[1] ?? [];
      const donor = world.crm.valueOf(second, DONOR);
      const identity = identityOf(world, second);
      world.crm.deleteContact(second);
      world.crm.editContact(first, identity);
      await world.sync();
      expect(world.crm.valueOf(first, BIO)).toBe(`Bio of ${donor} (a flow)`);
    },
  );

  it('reads each field back once in a run where automation changes nothing', async () => {
    const reads: (readonly string[])[] = [];
    const world = await openMarked(() => {}, {
      connector: (crm, signal) => {
        const connector = createMemoryConnector(crm, signal);
        return {
          ...connector,
          async readBack(writes) {
            reads.push([...new Set(writes.flatMap(({ fields }) => fields))]);
            return (await connector.readBack?.(writes)) ?? [];
          },
        };
      },
    });
    await world.addPeople(40);
    await world.sync();
    expect(reads.flat().toSorted()).toEqual([...new Set(reads.flat())].toSorted());
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
    await recordDecision(world.store, await theHold(world), 'approved');
    expect((await world.sync({ full: true })).contacts).toMatchObject({ held: 0, submitted: 0 });
    expect(valuesIn(world, first)).toEqual(before);
    expect(await world.spent()).toBe(spent);
  });

  it('has its values blanked if a user says that it is another person', async () => {
    const { world, first } = await openRenamed();
    const spent = await world.spent();
    await recordDecision(world.store, await theHold(world), 'rejected');
    const report = await world.sync();
    expect(report.contacts).toMatchObject({ written: 1, held: 0 });
    expect(Object.values(valuesIn(world, first))).toEqual([null, null, null, null]);
    expect((await world.sync({ full: true })).contacts).toMatchObject({ written: 0, submitted: 0 });
    expect(await world.spent()).toBe(spent);
  });

  it('is tried again by the next run where the CRM refuses to blank', async () => {
    const { world, first, before } = await openRenamed();
    await recordDecision(world.store, await theHold(world), 'rejected');
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
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
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

  it('takes it from the kept profile once the service no longer has its result', async () => {
    const { world, first, second, identity } = await openTwo();
    const [donor, spent] = [world.crm.valueOf(second, DONOR), await world.spent()];
    const expected = valuesIn(world, second);
    await forgetJobs(world);
    world.crm.mergeContact(second, first, { fillsBlanks: true });
    world.crm.editContact(first, identity);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(valuesIn(world, first)).toEqual(expected);
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(await world.spent()).toBe(spent);
  });

  it.each([
    ['that was never paid for', false],
    ['whose own lookup brought nothing', true],
  ])('is delivered to a record %s from the kept profile of the other one', async (_, isAsked) => {
    const { world, second, identity } = await openTwo();
    const expected = valuesIn(world, second);
    const stranger = { firstName: 'Zebulon', lastName: 'Nobodyknows', employers: [] };
    const winner = world.crm.addContact({ ...stranger, addresses: ['1 No Way, Reno, NV 89501'] });
    if (isAsked) await world.sync();
    const spent = await world.spent();
    await forgetJobs(world);
    world.crm.mergeContact(second, winner);
    world.crm.editContact(winner, identity);
    await world.sync();
    expect(valuesIn(world, winner)).toEqual(expected);
    expect(await world.spent()).toBe(spent);
    await world.sync();
    const { db } = world.database;
    const kept = await db.selectFrom('kept_profiles').select('crm_id').execute();
    const ids = kept.map(({ crm_id }) => crm_id);
    expect(ids).toContain(winner);
    expect(ids).not.toContain(second);
  });

  it('is held if the service no longer has the fitting result, and no profile is kept', async () => {
    const { world, first, second, identity } = await openTwo({ retention: { profiles: 0 } });
    const [before, spent] = [valuesIn(world, first), await world.spent()];
    await forgetJobs(world);
    world.crm.mergeContact(second, first);
    world.crm.editContact(first, identity);
    await world.sync();
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: first });
    expect(valuesIn(world, first)).toEqual(before);
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
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
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

describe('a merge that fills blank fields', () => {
  /** A record that donor-sync has never written into. */
  function addHeir({ crm }: SyncWorld): string {
    return crm.addContact({
      firstName: 'Xavier',
      lastName: 'Quillfeather',
      addresses: ['1 Nowhere Lane, Reno, NV 89501'],
      employers: [],
      optedOut: false,
    });
  }

  it('leaves nothing of another person, also over two merges', async () => {
    const { world, first, second } = await openTwo();
    const middle = addHeir(world);
    await world.sync();
    world.crm.setValue(first, BIO, null);
    const donor = world.crm.valueOf(first, DONOR);
    world.crm.mergeContact(second, middle, { fillsBlanks: true });
    world.crm.mergeContact(middle, first, { fillsBlanks: true });
    expect(donorsIn(world, first)).toHaveLength(2);
    await world.sync();
    expect(donorsIn(world, first)).toEqual([donor]);
    expect(world.crm.valueOf(first, BIO)).toBeNull();
  });

  it('leaves known values of a write that was cut off before it was on record', async () => {
    const { world, first, second, identity } = await openTwo({ connector: breakingOff });
    const heir = addHeir(world);
    await world.sync();
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    const donor = world.crm.valueOf(first, DONOR);
    world.crm.mergeContact(first, heir, { fillsBlanks: true });
    world.crm.editContact(heir, identity);
    await world.sync();
    await world.sync();
    expect(donorsIn(world, heir)).toEqual([donor]);
    const owned = (await findContacts(world.store.reader, 'riverside', [heir])).get(
      heir,
    )?.ownedValues;
    expect(Object.keys(parseOwned(owned ?? '{}')).sort()).toEqual([...MARKED].sort());
  });

  it('is asked about where a write that broke off had begun to bring the values, and nobody knows the heir', async () => {
    const world = await openMarked(() => {}, { connector: breakingOff });
    await world.addPeople(20);
    const heir = addHeir(world);
    breaks.isOn = true;
    await world.sync();
    breaks.isOn = false;
    const [loser = ''] = [...world.crm.records.keys()].filter(
      (id) => world.crm.valueOf(id, DONOR) !== null,
    );
    world.crm.editContact(loser, identityOf(world, heir));
    world.crm.mergeContact(loser, heir, { fillsBlanks: true });
    expect(donorsIn(world, heir)).toHaveLength(1);
    await world.sync();
    // The profile of the record that it took in is of another name: it is asked about once more, in vain.
    await recordDecision(world.store, await theHold(world), 'resubmitted');
    for (let night = 0; night < 2; night += 1) await world.sync();
    expect(await theHold(world)).toMatchObject({ kind: 'new_person_unknown', crmId: heir });
    await recordDecision(world.store, await theHold(world), 'rejected');
    await world.sync();
    expect(donorsIn(world, heir)).toEqual([]);
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
    for (const hold of await listOpenQuestions(world.store.reader)) {
      expect(hold.kind).toBe('donor_mass_change');
      await recordDecision(world.store, hold, 'approved');
    }
    expect((await world.sync()).contacts).toMatchObject({ written: ids.length });
    for (const id of ids) expect(donorsIn(world, id)).toHaveLength(1);
  });
});

/** The connector in memory over a CRM that writes what it is sent, and whose answer is lost. */
function breakingOff(
  crm: Parameters<typeof createMemoryConnector>[0],
  signal: AbortSignal,
): ReturnType<typeof createMemoryConnector> {
  const connector = createMemoryConnector(crm, signal);
  return {
    ...connector,
    async *write(changes) {
      for await (const result of connector.write(changes)) if (!breaks.isOn) yield result;
      if (breaks.isOn) throw new RetriableError('No answer.', { code: 'crm_unavailable' });
    },
  };
}

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
