import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryConnector } from '../../../connectors/memory/connector.ts';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import {
  BIO,
  DONOR,
  donorsIn,
  EDUCATION,
  FIELDS,
  lacksBio,
  openTwo,
  theHold,
  valuesIn,
  WORK,
} from './one-person-world.ts';

/** True while the CRM refuses values. Each test resets the value. */
const refusals = { isOn: false };

afterEach(() => {
  refusals.isOn = false;
});

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
          // A slow CRM refuses the value only after minutes. The contact is renamed during that time.
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

  it('is not asked about twice whether the new person has died, after the CRM refused the values', async () => {
    let hasDied = false;
    const { world, first, second, identity } = await openTwo({}, (profile) => {
      profile.isDeceased = hasDied;
    });
    const donor = world.crm.valueOf(second, DONOR);
    hasDied = true;
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    world.crm.refuseField(first, WORK);
    await world.sync();
    const death = await theHold(world);
    expect(death).toMatchObject({ crmId: first, kind: 'profile_deceased' });
    await recordDecision(world.store, death, 'approved');
    await world.sync();
    const refused = await theHold(world);
    expect(refused).toMatchObject({ crmId: first, kind: 'values_of_two_people' });
    world.crm.allowWrites(first);
    await recordDecision(world.store, refused, 'approved');
    expect((await world.sync()).contacts).toMatchObject({ written: 1, held: 0 });
    expect(donorsIn(world, first)).toEqual([donor]);
  });

  it('is asked about death and about a field that is no longer visible once each', async () => {
    let hasDied = false;
    const { world, first, second, identity } = await openTwo(
      {
        connector: (crm, signal) => {
          const connector = createMemoryConnector(crm, signal);
          return { ...connector, capabilities: { ...connector.capabilities, remote: true } };
        },
      },
      (profile) => {
        profile.isDeceased = hasDied;
      },
    );
    const donor = world.crm.valueOf(second, DONOR);
    hasDied = true;
    world.crm.deleteContact(second);
    world.crm.editContact(first, identity);
    world.crm.removeField(WORK);
    await world.sync();
    for (const kind of ['profile_deceased', 'values_of_two_people']) {
      const question = await theHold(world);
      expect(question).toMatchObject({ crmId: first, kind });
      await recordDecision(world.store, question, 'approved');
      await world.sync();
    }
    expect(await listOpenQuestions(world.store.reader)).toEqual([]);
    expect(world.crm.valueOf(first, DONOR)).toBe(donor);
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
});

/** A rule in its CRM refuses some values, and the error names the field. */
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
