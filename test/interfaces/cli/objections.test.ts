import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';

const open = closedAfterTest(openCliWorld);

const plansSchema = z.object({
  plans: z.array(
    z.object({
      leave: z.record(z.string(), z.int()),
      enhance: z.record(z.string(), z.int()),
    }),
  ),
});

async function objectFor(world: CliWorld, ids: readonly string[]): Promise<void> {
  const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
  await writeFile(
    world.path('donor-sync.yaml'),
    `${settings}    contacts: { objections: ${JSON.stringify(ids)} }\n`,
  );
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describeOn(kind, `people who object by the settings (${kind})`, () => {
    const aWorld = async () =>
      open({ databaseUrl: kind === 'sqlite' ? undefined : await freshPostgresUrl() });

    it('are never asked about, and counted as left out in plan and report', async () => {
      const world = await aWorld();
      const [first, second] = (await world.rows()).map((row) => row['Id'] ?? '');
      await objectFor(world, [first ?? '', second ?? '']);
      const { plans } = await world.runJson(['plan'], plansSchema);
      expect(plans).toEqual([{ leave: { opted_out: 2 }, enhance: { never_enhanced: 10 } }]);
      const sync = await world.run(['sync']);
      expect(sync.exitCode).toBe(0);
      expect(sync.stdout).toMatch(/skipped +2 +has opted out/);
      expect(await world.spent()).toBe(10);
      const row = (await world.rows()).find(({ Id }) => Id === first);
      expect(row?.['Donor ID']).toBe('');
      const one = await world.run(['sync', '--contact', second ?? '']);
      expect(one.exitCode).toBe(0);
      expect(await world.spent()).toBe(10);
    });

    it('count from the next run on, and are asked about again once they object no more', async () => {
      const world = await aWorld();
      const settings = await readFile(world.path('donor-sync.yaml'), 'utf8');
      await world.run(['sync']);
      const [first = ''] = (await world.rows()).map((row) => row['Id'] ?? '');
      await objectFor(world, [first]);
      const renamed = (await world.rows()).map((row) =>
        row['Id'] === first ? { ...row, Last: 'Somebodyelse' } : row,
      );
      await world.saveRows(renamed);
      await world.run(['sync']);
      expect(await world.spent()).toBe(12);
      await writeFile(world.path('donor-sync.yaml'), settings);
      await world.run(['sync']);
      expect(await world.spent()).toBe(13);
    });
  });
}
