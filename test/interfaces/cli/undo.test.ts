import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runsSchema } from './documents.ts';

const open = closedAfterTest(openCliWorld);

const undoSchema = z.strictObject({
  undo: z.object({
    run: z.string(),
    contacts: z.object({ restored: z.int() }),
    fields: z.object({ restored: z.int(), editedSince: z.int() }),
  }),
});

describe('donor-sync undo', () => {
  it('restores what a run wrote over, and leaves alone what a person changed since', async () => {
    const world = await open();
    await world.saveRows((await world.rows()).map((row) => ({ ...row, 'Donor Age': '' })));
    const { runs } = await world.runJson(['sync'], runsSchema);
    const run = runs[0]?.id ?? '';
    const enhanced = await world.rows();
    const edited = enhanced.find((row) => row['Donor ID'])?.['Id'];
    await world.saveRows(
      enhanced.map((row) => (row['Id'] === edited ? { ...row, 'Donor Age': '33' } : row)),
    );

    const unasked = await world.run(['undo', run]);
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain('--yes');
    expect((await world.rows()).filter((row) => row['Donor ID'])).not.toEqual([]);

    const { undo } = await world.runJson(['undo', run, '--yes'], undoSchema);
    expect(undo).toMatchObject({ run, fields: { editedSince: 1 } });
    expect(undo.contacts.restored).toBeGreaterThan(0);
    const rows = await world.rows();
    expect(rows.filter((row) => row['Donor ID'])).toEqual([]);
    expect(rows.flatMap((row) => row['Donor Age'] || [])).toEqual(['33']);

    const spent = await world.spent();
    await world.run(['sync']);
    expect(await world.spent()).toBe(spent);
    expect((await world.rows()).filter((row) => row['Donor ID'])).toEqual([]);
  });

  it('knows no run that is not there', async () => {
    const world = await open({ people: 1 });
    const { exitCode, stderr } = await world.run(['undo', '12345678']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('There is no run "12345678". `donor-sync runs` lists the runs');
  });
});
