import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { verifyAudit } from '../../../../src/privacy/audit/verify-audit.ts';
import { type StoreWorld, storeWorlds } from '../../../database/store-world.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import { fill, unexpectedOf } from './tampering.ts';

describeEachDatabase('a tampering with the tables of the audit', (open, kind) => {
  it.each([
    ['a table is dropped', sql`drop table audit_entries`, /table "audit_entries" is missing/],
    [
      'a column is renamed',
      sql`alter table audit_entries rename column seq to other`,
      /table "audit_entries" is not as donor-sync created it/,
    ],
    ['a table that others need is dropped', sql`drop table people`, /is gone from the database/],
  ])('is named: %s', async (_, change, part) => {
    // The test uses a separate database, because other tests need the deleted rows.
    const world = await storeWorlds(open)();
    await fill(world);
    await change.execute(world.db);
    const { problems } = await verifyAudit(world.store);
    expect(problems.join('\n')).toMatch(part);
    expect(await unexpectedOf(world)).toEqual([]);
  });

  it('is named: triggers take entries away as they are made', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    const body =
      kind === 'sqlite'
        ? sql`create trigger hidden after insert on audit_entries
            begin delete from audit_entries where seq = new.seq; end`
        : sql`create trigger hidden before update on audit_entries
            for each row execute function suppress_redundant_updates_trigger()`;
    await body.execute(world.db);
    const { problems } = await verifyAudit(world.store);
    expect(problems.join('\n')).toMatch(/has the trigger "hidden"/);
  });

  /**
   * Changes to the tables of the database. Each change uses a separate database, because a changed table would affect
   * other tests.
   */
  const CHANGED_TABLES: Readonly<Record<string, [statements: string[], says: RegExp]>> = {
    'a table is a view that hides an entry from those who write': [
      [
        'alter table audit_entries rename to kept_entries',
        'create view audit_entries as select * from kept_entries where seq <> 2',
      ],
      /The table "audit_entries" is missing: another program removed or replaced it/,
    ],
    'who is blocked is read from a view': [
      ['alter table forgotten rename to f', 'create view forgotten as select * from f'],
      /The table "forgotten" is missing/,
    ],
    'a column is added that can refuse later rows': [
      ['alter table forgotten add column more text'],
      /The table "forgotten" is not as donor-sync created it/,
    ],
    'a number is too large to be read': [
      [
        'update audit_entries set at = 9223372036854775807 where seq = 2',
        'delete from audit_entries where seq = 3',
      ],
      /The column "at" of the table "audit_entries" holds a number that donor-sync can't have written/,
    ],
  };

  it.each(Object.entries(CHANGED_TABLES))('is named: %s', async (_, [statements, says]) => {
    const world = await storeWorlds(open)();
    await fill(world);
    for (const statement of statements) await sql.raw(statement).execute(world.db);
    const { problems, entries } = await verifyAudit(world.store);
    expect(problems.join('\n')).toMatch(says);
    expect(problems.join('\n')).toMatch(/No entry was checked/);
    expect(entries).toBe(0);
  });

  it.runIf(kind === 'postgres').each([
    [
      'a rule turns writes into nothing',
      'create rule r as on insert to forgotten do instead nothing',
    ],
    ['rows are hidden from some users', 'alter table audit_entries enable row level security'],
    ['a key is dropped', 'alter table audit_keys drop constraint audit_keys_pkey'],
    ['a child table adds rows', 'create table heir () inherits (audit_entries)'],
  ])('is named: %s', async (_, statement) => {
    const world = await storeWorlds(open)();
    await fill(world);
    await sql.raw(statement).execute(world.db);
    expect((await verifyAudit(world.store)).problems.join('\n')).toMatch(
      /is not as donor-sync created it/,
    );
  });

  /**
   * Changes the database file as a different program can. A different program can also change the schema, which a
   * statement of donor-sync must not change.
   */
  function changeFile({ url }: StoreWorld, change: (file: Sqlite.Database) => void): void {
    const file = new Sqlite(url.replace('sqlite:', '')).unsafeMode(true);
    file.pragma('writable_schema = on');
    change(file);
    file.pragma('writable_schema = off');
    file.close();
  }

  it.runIf(kind === 'sqlite')('is named: a trigger hides under another spelling', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    changeFile(world, (file) => {
      file.exec('create trigger hidden after insert on audit_entries begin select 1; end');
      file.exec("update sqlite_master set type = 'Trigger' where type = 'trigger'");
    });
    expect((await verifyAudit(world.store)).problems.join('\n')).toMatch(
      /has the trigger "hidden"/,
    );
  });

  it.runIf(kind === 'sqlite')('is named: an index lacks an entry that its table has', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    changeFile(world, (file) => {
      const name = 'audit_entries_by_action';
      const made = file.prepare('select sql from sqlite_master where name = ?').pluck().get(name);
      const version = Number(file.pragma('schema_version', { simple: true }));
      const set = file.prepare('update sqlite_master set sql = ? where name = ?');
      set.run(`${made} where seq <> 2`, name);
      file.pragma(`schema_version = ${version + 1}`);
      changeFile(world, (again) => again.exec(`reindex ${name}`));
      set.run(made, name);
      file.pragma(`schema_version = ${version + 2}`);
    });
    const { problems } = await verifyAudit(world.store);
    expect(problems).toEqual([
      expect.stringMatching(/An index of the table "audit_entries" does not match the rows/),
    ]);
  });

  it.runIf(kind === 'sqlite')('begins no line of the answer', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    const name = 'x\nand nothing in them was changed';
    await sql`create trigger ${sql.ref(name)} after insert on forgotten begin select 1; end`.execute(
      world.db,
    );
    const { problems } = await verifyAudit(world.store);
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('\n');
  });

  it('is not made by a part of another program that leaves the audit alone', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    await sql`create table notes (text text)`.execute(world.db);
    await sql`create view shown as select count(*) as entries from audit_entries`.execute(world.db);
    expect((await verifyAudit(world.store)).problems).toEqual([]);
  });
});
