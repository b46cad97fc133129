import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { errorSchema, runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const countsSchema = z.array(z.object({ field: z.string(), contacts: z.int() }));

const redeliverySchema = z.strictObject({
  redelivery: z.strictObject({
    integration: z.literal('riverside'),
    fields: z.array(z.string()).nullable(),
    contacts: z.int(),
    unchanged: z.int(),
    values: countsSchema,
    kept: z.array(
      z.strictObject({
        field: z.string(),
        state: z.string(),
        contacts: z.int(),
        text: z.string(),
      }),
    ),
    excluded: z.array(z.strictObject({ reason: z.string(), contacts: z.int(), text: z.string() })),
  }),
  runs: z.array(
    z.looseObject({
      id: z.string(),
      status: z.string(),
      contacts: z.looseObject({ read: z.int(), submitted: z.int(), written: z.int() }),
    }),
  ),
});

/** Opens a client whose contacts were enhanced, and whose first run has been undone. */
async function openUndone() {
  const world = await open();
  const { runs } = await world.runJson(['sync'], runsSchema);
  const before = await world.rows();
  await world.run(['undo', runs[0]?.id ?? '', '--yes']);
  const donors = async () => (await world.rows()).flatMap((row) => row['Donor ID'] || []);
  expect(await donors()).toEqual([]);
  return { world, before, donors };
}

describe('donor-sync sync --redeliver', () => {
  it('shows what it would write and stops where no one can be asked, then writes all of it with --yes', async () => {
    const { world, before, donors } = await openUndone();
    const spent = await world.spent();
    const unasked = await world.run(['sync', 'riverside', '--redeliver']);
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stdout).toMatch(/riverside: \d+ contacts would get values .*at no cost/);
    expect(unasked.stdout).toMatch(/Donor Net Worth Low +\d+/);
    expect(unasked.stderr).toMatch(/Write \d+ values to \d+ contacts of "riverside" again/);
    expect(unasked.stderr).toContain('To confirm it, add --yes');
    expect(await donors()).toEqual([]);

    const asDocument = await world.run(['sync', '--redeliver', '--json']);
    expect(asDocument.exitCode).toBe(2);
    const { error } = errorSchema.parse(JSON.parse(asDocument.stdout));
    expect(error.code).toBe('confirmation_missing');
    expect(error.details).toMatchObject({ redelivery: { integration: 'riverside' } });

    const done = await world.runJson(['sync', '--redeliver', '--yes'], redeliverySchema);
    const { runs } = done;
    expect(runs).toMatchObject([{ status: 'succeeded', contacts: { read: 0, submitted: 0 } }]);
    expect(runs[0]?.contacts.written).toBe(done.redelivery.contacts);
    expect(await world.rows()).toEqual(before);
    expect(await world.spent()).toBe(spent);

    const again = await world.runJson(['sync', '--redeliver'], redeliverySchema);
    expect(again).toMatchObject({ redelivery: { contacts: 0 }, runs: [] });
    const told = await world.run(['sync', '--redeliver']);
    expect(told.exitCode).toBe(0);
    expect(told.stdout).toContain('riverside: there is nothing to deliver again');
    // A user can undo the writes of a redelivery run like the writes of any run.
    await world.run(['undo', runs[0]?.id ?? '', '--yes']);
    expect(await donors()).toEqual([]);
  });

  it('writes one field of one contact, whatever case the name is typed in', async () => {
    const { world, before, donors } = await openUndone();
    const id = before.find((row) => row['Donor ID'])?.['Id'] ?? '';
    const args = ['sync', '--redeliver', '--contact', id, '--field', 'donor id', '--yes'];
    const { redelivery } = await world.runJson(args, redeliverySchema);
    expect(redelivery).toMatchObject({
      fields: ['Donor ID'],
      contacts: 1,
      values: [{ field: 'Donor ID', contacts: 1 }],
    });
    expect(await donors()).toHaveLength(1);
    expect((await world.rows()).flatMap((row) => row['Donor Net Worth Low'] || [])).toEqual([]);
  });

  it('names who gets nothing and why', async () => {
    const { world } = await openUndone();
    const rows = await world.rows();
    await world.saveRows(
      rows.map((row, at) => (at === 0 ? { ...row, First: 'Xanthe', Last: 'Quillfeather' } : row)),
    );
    const { stdout } = await world.run(['sync', '--redeliver']);
    expect(stdout).toMatch(
      /all fields +1 +the name in the profile differs from the contact's name/,
    );
  });

  it.each([
    [['--field', 'Donor ID'], '--field works only with --redeliver. Use both.'],
    [['--yes'], '--yes works only with --redeliver'],
    [['--redeliver', '--full', '--limit', '3'], 'Leave out --full, --limit.'],
    [['--redeliver', '--all'], 'Leave out --all.'],
    [['--redeliver', '--field', 'Donor Idd'], 'the field "Donor Idd", did you mean "Donor ID"?'],
    [['--redeliver', '--contact', 'nobody'], 'nobody'],
  ])('refuses %j, and changes nothing', async (args, message) => {
    const world = await open({ people: 2 });
    const { exitCode, stderr } = await world.run(['sync', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(await world.spent()).toBe(0);
  });

  it('takes one integration at a time', async () => {
    const world = await open({ people: 1, integrations: ['riverside', 'hillside'] });
    const { exitCode, stderr } = await world.run([
      ...['sync', 'riverside', 'hillside', '--redeliver', '--yes'],
    ]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('one client at a time');
  });
});
