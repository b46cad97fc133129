import { describe, expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { undoRun } from '../../../src/fields/undo.ts';
import { openCrm } from '../../../src/sync/control/crm-account.ts';
import { withLease } from '../../../src/sync/control/with-lease.ts';
import { takeLease } from '../../database/store-world.ts';
import {
  BIO,
  DONOR,
  donorsIn,
  EDUCATION,
  lacksBio,
  openTwo,
  valuesIn,
  WORK,
} from './one-person-world.ts';

describe('a contact that becomes another person, in a run that is undone', () => {
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
    // The new person's next profile replaces all values of the previous person, even in a field that donor-sync fills
    // only if it is empty.
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
    // If the product wrote only this field, the record would contain values of two people.
    await world.sync({ redelivery: { fields: [DONOR] } });
    expect(valuesIn(world, first)).toEqual(before);
    const report = await world.sync({ redelivery: { fields: null } });
    expect(report.contacts).toMatchObject({ written: 1, held: 0 });
    expect(valuesIn(world, first)).toEqual(after);
    const rows = await findContacts(world.store.reader, 'riverside', [first]);
    expect(rows.get(first)?.valuesDonor).toBe(after[DONOR]);
    expect(await world.spent()).toBe(spent);
  });
});
