import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../src/database/database.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { describeEachDatabase, freshPostgresUrl } from '../../helpers/test-databases.ts';

const open = closedAfterTest(openCliWorld);

const rowsSchema = z.array(z.record(z.string(), z.string()));
const exportedSchema = z.object({
  files: z.array(z.object({ name: z.string(), rows: z.int() })),
});

describeEachDatabase('export --everything', (_, kind) => {
  /** Opens two nonprofits that have been synced twice. The second sync overwrote some values. */
  async function leaving() {
    const databaseUrl = kind === 'postgres' ? await freshPostgresUrl() : undefined;
    const world = await open({ integrations: ['riverside', 'harbor'], databaseUrl });
    await world.run(['sync', '--all']);
    return Object.assign(world, { url: databaseUrl ?? `sqlite:${world.path('store.db')}` });
  }

  /** Sets the times at which runs changed contacts. */
  async function setTimes({ url }: { url: string }, at: number): Promise<void> {
    const { db, close } = await openDatabase<Tables>(url);
    await db.updateTable('run_rows').set({ at }).execute();
    await close();
  }

  it('writes all that is held of a nonprofit, in words and figures that a spreadsheet reads', async () => {
    const world = await leaving();
    const folder = world.path('taken');
    const { files } = await world.runJson(
      ['export', 'harbor', '--everything', 'taken'],
      exportedSchema,
    );
    const rows = new Map(files.map(({ name, rows: count }) => [name, count]));
    const contacts = await readRows(`${folder}/contacts.csv`);
    expect(contacts).toHaveLength(12);
    expect(rows.get('contacts.csv')).toBe(12);
    expect(contacts[0]?.['enhanced at']).toMatch(/^20\d\d-\d\d-\d\dT.*Z$/);
    const jobs = await readRows(`${folder}/jobs.csv`);
    expect(jobs.map((row) => row['crm id']).sort()).toEqual(
      contacts.map((row) => row['crm id']).sort(),
    );
    expect((await readRows(`${folder}/values-before.csv`)).length).toBeGreaterThan(0);
    expect((await readRows(`${folder}/audit.csv`)).length).toBeGreaterThan(0);
    expect((await readdir(folder)).sort()).toEqual(
      [...files.map(({ name }) => name), 'README.txt', 'settings.yaml'].sort(),
    );
  });

  it('has nothing of another nonprofit, no key and no name', async () => {
    const world = await leaving();
    await world.run(['export', 'harbor', '--everything', 'taken']);
    const people = await world.rows('harbor.csv');
    const texts = [];
    for (const name of await readdir(world.path('taken'))) {
      texts.push(await readFile(world.path(`taken/${name}`), 'utf8'));
    }
    const all = texts.join('\n');
    expect(all).not.toContain('riverside');
    expect(all).not.toContain(world.service.apiKey);
    for (const { Last: last } of people) expect(all).not.toContain(`${last}`);
  });

  it('leaves no file of an export that an error stopped, and fails', async () => {
    const world = await leaving();
    // A time that cannot be formatted.
    await setTimes(world, 9_000_000_000_000_000);
    const args = ['export', 'everything', 'harbor', '--out', 'taken'];
    const { exitCode, stdout } = await world.run(args);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(await readdir(world.path('taken'))).toEqual([]);
    await setTimes(world, 1);
    expect((await world.run(args)).exitCode).toBe(0);
    expect(await readdir(world.path('taken'))).toContain('settings.yaml');
  });

  it('writes nothing into a folder that has something in it', async () => {
    const world = await leaving();
    await world.run(['export', 'harbor', '--everything', 'taken']);
    const again = await world.run(['export', 'harbor', '--everything', 'taken']);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);
  });
});

async function readRows(path: string) {
  return rowsSchema.parse(parse(await readFile(path, 'utf8'), { columns: true }));
}
