import { readFile, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { describeOn, freshPostgresUrl } from '../../helpers/test-databases.ts';

const open = closedAfterTest(openCliWorld);

const receiptSchema = z.object({
  receipt: z.object({
    integration: z.string(),
    erasedEarlier: z.iso.datetime().nullable(),
    erased: z.record(z.string(), z.int()),
    kept: z.array(z.object({ what: z.string(), rows: z.int(), why: z.string() })),
    outside: z.array(z.string()),
    overwritten: z.boolean(),
  }),
});

interface Place {
  world: CliWorld;
  url: string;
  /** The settings file with both clients. */
  both: string;
}

/** Returns two nonprofits that have been synced. The settings now contain only the first one. */
async function leaving(databaseUrl: string | undefined): Promise<Place> {
  const world = await open({ integrations: ['riverside', 'harbor'], databaseUrl });
  const rows = await world.rows('harbor.csv');
  const own = rows.slice(0, 5).map((row) => ({ ...row, Id: `harbor-${row['Id']}` }));
  await world.saveRows(own, 'harbor.csv');
  await world.saveRows(rows.slice(5));
  await world.run(['sync', '--all']);
  const both = await readFile(world.path('donor-sync.yaml'), 'utf8');
  const url = databaseUrl ?? `sqlite:${world.path('store.db')}`;
  return { world, url, both };
}

async function takeOut({ world, both }: Place): Promise<void> {
  const at = both.indexOf('  - id: harbor');
  await writeFile(world.path('donor-sync.yaml'), both.slice(0, at));
}

/** Returns the tables that contain an ID of the client that was removed. */
async function traces({ url }: Place): Promise<string[]> {
  const { db, close } = await openDatabase<Tables>(url);
  const found: string[] = [];
  for (const { name, schema = 'public' } of await db.introspection.getTables()) {
    if (schema !== 'public') continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    if (JSON.stringify(rows).includes('harbor-')) found.push(name);
  }
  await close();
  return found;
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describeOn(kind, `donor-sync erase (${kind})`, () => {
    const place = async () => leaving(kind === 'sqlite' ? undefined : await freshPostgresUrl());

    it('leaves nothing of an integration but what the receipt names, and the others alone', async () => {
      const left = await place();
      const { world } = left;
      const spent = await world.spent();
      expect(await traces(left)).toContain('contacts');
      await takeOut(left);
      const { receipt } = await world.runJson(['erase', 'harbor', '--yes'], receiptSchema);
      expect(receipt).toMatchObject({ integration: 'harbor', erasedEarlier: null });
      expect(receipt.erased).toMatchObject({ contacts: 5, runs: 1 });
      expect(receipt.kept.map(({ what }) => what)).toEqual([
        ...['submissions', 'jobs', 'sums', 'auditEntries'],
      ]);
      expect(await traces(left)).toEqual([]);
      expect((await world.run(['audit', 'verify'])).exitCode).toBe(0);
      expect((await world.run(['audit'])).stdout).toContain('integration.erased');
      expect((await world.run(['sync', '--full'])).exitCode).toBe(0);
      expect(await world.spent()).toBe(spent);
      const again = await world.runJson(['erase', 'harbor', '--yes'], receiptSchema);
      expect(again.receipt.erasedEarlier).not.toBeNull();
      expect(again.receipt.erased).toEqual({});
    });

    it('lets an integration that comes back spend nothing, nor read, before a person agrees', async () => {
      const left = await place();
      const { world } = left;
      const spent = await world.spent();
      const unknown = (await world.rows('harbor.csv')).filter((row) => !row['Donor ID']).length;
      await takeOut(left);
      await world.run(['erase', 'harbor', '--yes']);
      await writeFile(world.path('donor-sync.yaml'), left.both);
      const sync = await world.run(['sync', 'harbor', '--json']);
      expect([sync.exitCode, sync.stdout]).toEqual([
        ...[3, expect.stringContaining('restore_unconfirmed')],
      ]);
      expect(await traces(left)).toEqual([]);
      expect(await world.spent()).toBe(spent);
      await world.run(['restore', '--agree', 'harbor', '--yes']);
      expect((await world.run(['sync', 'harbor', '--adopt'])).exitCode).toBe(0);
      // A contact that the service does not know has no donor ID in the CRM, so it is submitted again.
      expect(await world.spent()).toBe(spent + unknown);
    });

    it('is refused while the settings have it, while it is synced, and for an unknown one', async () => {
      const left = await place();
      const { world } = left;
      expect((await world.run(['erase', 'harbor', '--yes'])).exitCode).toBe(2);
      await takeOut(left);
      expect((await world.run(['erase', 'harbour', '--yes'])).exitCode).toBe(2);
      const { db, close } = await openDatabase<Tables>(left.url);
      await db
        .updateTable('integrations')
        .set({ lease_owner: 'elsewhere/1/one', lease_until: Date.now() + 25_000 })
        .where('id', '=', 'harbor')
        .execute();
      await close();
      const { exitCode, stderr } = await world.run(['erase', 'harbor', '--yes']);
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('is currently being synced')]);
      expect(await traces(left)).toContain('contacts');
    });
  });
}

describeOn('sqlite', 'donor-sync restore of a backup from before an integration left', () => {
  it('erases it again', async () => {
    const left = await leaving(undefined);
    const { world } = left;
    await world.run(['backup', 'one.backup']);
    await takeOut(left);
    await world.run(['erase', 'harbor', '--yes']);
    await world.run(['restore', 'one.backup', '--yes']);
    expect(await traces(left)).toEqual([]);
    await writeFile(world.path('donor-sync.yaml'), left.both);
    expect((await world.run(['sync', 'harbor'])).exitCode).toBe(3);
    expect(await traces(left)).toEqual([]);
  });
});
