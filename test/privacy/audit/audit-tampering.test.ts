/** What someone with the whole database in hand, and without its key, can do to the audit: `verify` names each of it. */
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { Database, Tables } from '../../../src/database/tables/tables.ts';
import type { AuditPlace } from '../../../src/privacy/audit/audit.ts';
import { INTEGRATION, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { withLeaseOf } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const ADA = '0035e00000000ada';
const BEN = '0035e00000000ben';
const DAY_MS = 86_400_000;

interface Tampering {
  /** What is done to the database. */
  does: (db: Database, world: StoreWorld) => Promise<unknown>;
  says: RegExp;
  /** True if it can be seen only from an end that was noted down outside of the database. */
  needsKnown?: true;
  /** True if it is done to a chain of which older entries were purged. */
  isPurged?: true;
  /** True if it is done after two people were erased. */
  isErased?: true;
  /** True if a person was erased whom only entries named that were purged since; its erasure is still on record. */
  isErasedAndPurged?: true;
}

const NOT_THE_END = /which is not the end that donor-sync has signed/;
const CHANGED = /Entry \d+ was changed, or put there by another program/;
const BLOCKS_CHANGED = /What blocks people who were erased was changed/;
const KEYS_CHANGED = /Keys of 1 contacts were changed/;

const head = (db: Database) => db.updateTable('audit_head');
const entry = (db: Database, seq: number) => db.updateTable('audit_entries').where('seq', '=', seq);
const readEntry = (db: Database, seq: number) =>
  db.selectFrom('audit_entries').selectAll().where('seq', '=', seq).executeTakeFirstOrThrow();

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'all entries are deleted, with the row of the end': {
    does: async (db) => {
      await db.deleteFrom('audit_entries').execute();
      await db.deleteFrom('audit_head').execute();
    },
    says: /the audit was emptied/,
  },
  'all entries, the row of the end and the birth record are deleted': {
    does: async (db) => {
      await db.deleteFrom('audit_entries').execute();
      await db.deleteFrom('audit_head').execute();
      await db.deleteFrom('chain_births').execute();
    },
    says: /the audit was emptied/,
  },
  'the audit is emptied with its birth record, and used again': {
    does: async (db, { store, clock }) => {
      await db.deleteFrom('audit_entries').execute();
      await db.deleteFrom('audit_head').execute();
      await db.deleteFrom('chain_births').execute();
      await clock.advance(DAY_MS);
      await store.schedules.pause('z');
    },
    says: /a new chain was begun/,
  },
  'the audit is emptied without its birth record, and used again at once': {
    does: async (db, { store }) => {
      await db.deleteFrom('audit_entries').execute();
      await db.deleteFrom('audit_head').execute();
      await store.schedules.pause('z');
    },
    says: /first entry is not the one in the audit's birth record/,
  },
  'all entries are deleted': {
    does: (db) => db.deleteFrom('audit_entries').execute(),
    says: NOT_THE_END,
  },
  'the row of the end is deleted': {
    does: (db) => db.deleteFrom('audit_head').execute(),
    says: /The row that says where the chain ends is missing/,
  },
  'the row of the end is deleted, and the audit used again': {
    does: async (db, { store }) => {
      await db.deleteFrom('audit_head').execute();
      await store.schedules.pause('z');
    },
    says: CHANGED,
  },
  'the first entry is deleted': {
    does: (db) => db.deleteFrom('audit_entries').where('seq', '=', 1).execute(),
    says: /chain begins at entry 2, and no purge is on record/,
  },
  'an entry in the middle is deleted': {
    does: (db) => db.deleteFrom('audit_entries').where('seq', '=', 3).execute(),
    says: /Entries are missing: 4 follows on 2/,
  },
  'the last entry is deleted': {
    does: async (db) => {
      const { seq } = await endOf(db);
      await db.deleteFrom('audit_entries').where('seq', '=', seq).execute();
    },
    says: NOT_THE_END,
  },
  'the last entry is deleted, and the end set to the one before': {
    does: async (db) => {
      const { seq } = await endOf(db);
      await db.deleteFrom('audit_entries').where('seq', '=', seq).execute();
      const { hash } = await readEntry(db, seq - 1);
      await head(db)
        .set({ seq: seq - 1, hash })
        .execute();
    },
    says: NOT_THE_END,
  },
  'the whole audit is put back as it was an hour ago': {
    does: async (db, { store }) => {
      const tables = ['audit_entries', 'audit_keys', 'audit_head'] as const;
      const early = await Promise.all(
        tables.map((one) => db.selectFrom(one).selectAll().execute()),
      );
      await store.schedules.pause('hidden');
      await noteKnown(store);
      for (const [index, one] of tables.entries()) {
        await db.deleteFrom(one).execute();
        await db
          .insertInto(one)
          .values(early[index] ?? [])
          .execute();
      }
    },
    says: /which was noted down earlier, is missing/,
    needsKnown: true,
  },
  'the time of an entry is changed': {
    does: (db) => entry(db, 2).set({ at: 1 }).execute(),
    says: CHANGED,
  },
  'the action of an entry is changed': {
    does: (db) => entry(db, 2).set({ action: 'names.shown' }).execute(),
    says: CHANGED,
  },
  'the client of an entry is changed': {
    does: (db) => entry(db, 2).set({ integration_id: 'lakeside' }).execute(),
    says: CHANGED,
  },
  'the text of an entry is replaced': {
    does: (db) => entry(db, 2).set({ sealed: 'x' }).execute(),
    says: CHANGED,
  },
  'the texts of two entries are exchanged': {
    does: async (db) => {
      const [first, second] = [await readEntry(db, 2), await readEntry(db, 3)];
      await entry(db, 2).set({ sealed: second.sealed }).execute();
      await entry(db, 3).set({ sealed: first.sealed }).execute();
    },
    says: CHANGED,
  },
  'two entries change places': {
    does: async (db) => {
      await entry(db, 2).set({ seq: 1_000 }).execute();
      await entry(db, 3).set({ seq: 2 }).execute();
      await entry(db, 1_000).set({ seq: 3 }).execute();
    },
    says: CHANGED,
  },
  'an entry points to the key of another contact': {
    does: async (db) => {
      const keys = await db.selectFrom('audit_keys').select(['id', 'crm_id']).execute();
      const [ada, ben] = [ADA, BEN].map((id) => keys.find(({ crm_id }) => crm_id === id)?.id ?? '');
      await db
        .updateTable('audit_entries')
        .set({ key_id: ben ?? '' })
        .where('key_id', '=', ada ?? '')
        .execute();
    },
    says: CHANGED,
  },
  'an entry points to no key any more': {
    does: (db) =>
      db
        .updateTable('audit_entries')
        .set({ key_id: null })
        .where('key_id', 'is not', null)
        .execute(),
    says: CHANGED,
  },
  'a forged entry is put before the first one': {
    does: async (db) => {
      const forged = await readEntry(db, 2);
      await db
        .insertInto('audit_entries')
        .values({ ...forged, seq: -1 })
        .execute();
    },
    says: /Entry -1 stands before the place where the chain begins/,
  },
  'a forged entry is put where older ones were purged': {
    does: async (db) => {
      const { seq } = await endOf(db);
      const forged = await readEntry(db, seq);
      await db
        .insertInto('audit_entries')
        .values({ ...forged, seq: 2 })
        .execute();
    },
    says: /Entry 2 stands before the place where the chain begins/,
    isPurged: true,
  },
  'a second end is added': {
    does: async (db) => {
      const row = await db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
      await db
        .insertInto('audit_head')
        .values({ ...row, id: 2 })
        .execute();
    },
    says: /has a second row, which donor-sync did not make/,
  },
  'the hash of an entry is changed': {
    does: (db) => entry(db, 2).set({ hash: 'x' }).execute(),
    says: CHANGED,
  },
  'a forged entry is put behind the end': {
    does: async (db) => {
      const { seq } = await endOf(db);
      const last = await readEntry(db, seq);
      await db
        .insertInto('audit_entries')
        .values({ ...last, seq: seq + 1 })
        .execute();
    },
    says: /stands behind the end of the chain/,
  },
  'a forged entry is put behind the end, and the end set to it': {
    does: async (db) => {
      const { seq } = await endOf(db);
      const last = await readEntry(db, seq);
      await db
        .insertInto('audit_entries')
        .values({ ...last, seq: seq + 1 })
        .execute();
      await head(db)
        .set({ seq: seq + 1 })
        .execute();
    },
    says: CHANGED,
  },
  'the end is set back by one': {
    does: (db) =>
      head(db)
        .set((eb) => ({ seq: eb('seq', '-', 1) }))
        .execute(),
    says: NOT_THE_END,
  },
  'the end is set forward': {
    does: (db) =>
      head(db)
        .set((eb) => ({ seq: eb('seq', '+', 5) }))
        .execute(),
    says: NOT_THE_END,
  },
  'the end is set forward, and the audit used again': {
    does: async (db, { store }) => {
      await head(db)
        .set((eb) => ({ seq: eb('seq', '+', 5) }))
        .execute();
      await store.schedules.pause('z');
    },
    says: /Entries are missing/,
  },
  'the hash of the end is changed': {
    does: (db) => head(db).set({ hash: 'x' }).execute(),
    says: NOT_THE_END,
  },
  'the signature of the end is changed': {
    does: (db) => head(db).set({ mark: 'x' }).execute(),
    says: NOT_THE_END,
  },
  'the keys of contacts are deleted': {
    does: (db) => db.deleteFrom('audit_keys').execute(),
    says: /Keys of 2 contacts are missing although no erasure on record destroyed them/,
  },
  'the key of one contact is deleted': {
    does: (db) => db.deleteFrom('audit_keys').where('crm_id', '=', ADA).execute(),
    says: /Keys of 1 contacts are missing although no erasure on record destroyed them/,
  },
  'the key of one contact is overwritten': {
    does: (db) =>
      db.updateTable('audit_keys').set({ sealed: 'x' }).where('crm_id', '=', ADA).execute(),
    says: KEYS_CHANGED,
  },
  'the key of one contact is given to another id': {
    does: (db) =>
      db.updateTable('audit_keys').set({ crm_id: 'another' }).where('crm_id', '=', ADA).execute(),
    says: KEYS_CHANGED,
  },
  'the last entry is deleted with an end that fits, and the audit used again': {
    does: async (db, { store }) => {
      const { seq } = await endOf(db);
      const { hash } = await readEntry(db, seq - 1);
      await db.deleteFrom('audit_entries').where('seq', '=', seq).execute();
      await head(db)
        .set({ seq: seq - 1, hash })
        .execute();
      await store.schedules.pause('z');
      await store.schedules.pause('y');
    },
    says: NOT_THE_END,
  },
  'the birth record is deleted after a purge': {
    does: (db) => db.deleteFrom('chain_births').execute(),
    says: /birth record is missing/,
    isPurged: true,
  },
  'the birth record is deleted': {
    does: (db) => db.deleteFrom('chain_births').execute(),
    says: /birth record is missing/,
  },
  'the birth record is made that of another chain': {
    does: (db) => db.updateTable('chain_births').set({ hash: 'x' }).execute(),
    says: /birth record was not signed by donor-sync/,
  },
  'the time of the birth record is changed': {
    does: (db) => db.updateTable('chain_births').set({ at: 1 }).execute(),
    says: /birth record was not signed by donor-sync/,
  },
  'entries are deleted as if a purge had taken them': {
    does: async (db) => {
      const { hash } = await readEntry(db, 3);
      await db.deleteFrom('audit_entries').where('seq', '<=', 3).execute();
      await head(db).set({ purged_seq: 3, purged_hash: hash, purged_mark: 'x' }).execute();
    },
    says: /since the last purge was not signed by donor-sync/,
  },
  'more entries are deleted than a purge has taken': {
    does: async (db) => {
      const { purged_seq: purged } = await endOf(db);
      await db
        .deleteFrom('audit_entries')
        .where('seq', '=', purged + 1)
        .execute();
    },
    says: /Entries are missing/,
    isPurged: true,
  },
  'the block of a person who was erased is deleted': {
    does: async (db) => {
      const { contact } = await firstBlock(db);
      await db.deleteFrom('forgotten').where('crm_id_fingerprint', '=', contact).execute();
    },
    says: /The blocks of 1 people who were erased are gone/,
    isErased: true,
  },
  'all blocks are deleted': {
    does: (db) => db.deleteFrom('forgotten').execute(),
    says: /The blocks of 2 people who were erased are gone/,
    isErased: true,
  },
  'all blocks are deleted, although the entries of the erasures were purged': {
    does: (db) => db.deleteFrom('forgotten').execute(),
    says: /The blocks of 2 people who were erased are gone/,
    isErased: true,
    isPurged: true,
  },
  'a person who was erased is made one who is only suspected': {
    does: (db) => db.updateTable('forgotten').set({ state: 'merged' }).execute(),
    says: /The blocks of 2 people who were erased are gone/,
    isErased: true,
  },
  'the block of a person is made one of another client': {
    does: async (db) => {
      const { contact } = await firstBlock(db);
      await db
        .updateTable('forgotten')
        .set({ integration_id: 'lakeside' })
        .where('crm_id_fingerprint', '=', contact)
        .execute();
    },
    says: /What blocks people who were erased was changed/,
    isErased: true,
  },
  'what a person is recognised by is taken from its block': {
    does: (db) => db.updateTable('forgotten').set({ person: null }).execute(),
    says: /What blocks people who were erased was changed/,
    isErased: true,
  },
  'the key of one contact is deleted, where an erasure of another is on record whose entries were purged':
    {
      does: (db) => db.deleteFrom('audit_keys').where('crm_id', '=', ADA).execute(),
      says: /Keys of 1 contacts are missing although no erasure on record destroyed them/,
      isErasedAndPurged: true,
    },
  'the key of a person who was erased is put back': {
    does: async (db) => {
      await db.insertInto('audit_keys').values(keyBefore()).execute();
    },
    says: /Keys of 1 contacts are there that were destroyed, or that no entry needs/,
    isErasedAndPurged: true,
  },
  'a key without an id is put in': {
    does: async (db) => {
      const key = await db.selectFrom('audit_keys').selectAll().limit(1).executeTakeFirstOrThrow();
      await db
        .insertInto('audit_keys')
        .values({ ...key, id: '', crm_id: 'x' })
        .execute();
    },
    says: KEYS_CHANGED,
  },
  'the receipt of an erasure is changed': {
    does: (db) => db.updateTable('forgotten').set({ receipt: '{}' }).execute(),
    says: BLOCKS_CHANGED,
    isErased: true,
  },
  'the time of an erasure is changed': {
    does: (db) => db.updateTable('forgotten').set({ forgotten_at: 1 }).execute(),
    says: BLOCKS_CHANGED,
    isErased: true,
  },
  'the time at which an erasure ended is changed': {
    does: (db) => db.updateTable('forgotten').set({ erased_at: 1 }).execute(),
    says: BLOCKS_CHANGED,
    isErased: true,
  },
  'a block is put in': {
    does: async (db) => {
      const row = await db.selectFrom('forgotten').selectAll().executeTakeFirstOrThrow();
      await db
        .insertInto('forgotten')
        .values({ ...row, crm_id_fingerprint: 'x' })
        .execute();
    },
    says: /1 people are blocked as erased of whose erasure the audit knows nothing/,
    isErased: true,
  },
  'a block is put in before anyone was erased': {
    does: async (db) => {
      await db
        .insertInto('forgotten')
        .values({
          ...{ integration_id: INTEGRATION, crm_id_fingerprint: 'x', forgotten_at: 1 },
          ...{ state: 'blocked', everywhere: 0, donors: '[]' },
        })
        .execute();
    },
    says: /1 people are blocked as erased of whose erasure the audit knows nothing/,
  },
  'the place of a purge is set back, so that none was': {
    does: (db) => head(db).set({ purged_seq: 0, purged_hash: null, purged_mark: null }).execute(),
    says: /The chain begins at entry \d+, and no purge is on record/,
    isPurged: true,
  },
};

/** What can stand where a table stood, and look like it. */
const IN_PLACE_OF_TABLES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'a view that hides entries',
    'audit_entries',
    [
      'alter table audit_entries rename to other',
      'create view audit_entries as select * from other where total_changes() = 0 or seq <> 3',
    ],
  ],
  [
    'a view that never ends',
    'chain_births',
    [
      'alter table chain_births rename to other',
      `create view chain_births as with recursive r (i) as (select 1 union all select i + 1 from r)
       select other.* from other, r where i < 0`,
    ],
  ],
  [
    'a table without keys, with a second end',
    'audit_head',
    [
      'create table other as select * from audit_head',
      'insert into other select * from audit_head',
      'drop table audit_head',
      'alter table other rename to audit_head',
    ],
  ],
  [
    'a table whose rows are dropped as they come',
    'forgotten',
    ['alter table forgotten add column x text check (x is not null) default 1'],
  ],
  ['an index that refuses what comes', 'forgotten', ['create unique index u on forgotten ((1))']],
  ['a missing index', 'audit_entries', ['drop index audit_entries_by_time']],
];

/** Changes what SQLite believes of its tables and indexes, as a program beside it can. */
async function rewriteSchema(db: Database, ...statements: string[]): Promise<void> {
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(db);
  const beside = new Sqlite(rows[0]?.file ?? '').unsafeMode(true);
  beside.pragma('writable_schema = on');
  for (const statement of statements) {
    beside.exec(statement);
    // Read anew by every connection.
    const version = Number(beside.pragma('schema_version', { simple: true }));
    beside.pragma(`schema_version = ${version + 1}`);
  }
  beside.close();
}

let known: AuditPlace | null = null;

let lastKey: Tables['audit_keys'] | null = null;

/** The key of the last person who was erased, as a copy of the database has it from before. */
function keyBefore(): Tables['audit_keys'] {
  if (lastKey === null) throw new Error('Nobody was erased.');
  return lastKey;
}

async function noteKnown(store: StoreWorld['store']): Promise<void> {
  known = (await store.audit.verify()).end;
}

function firstBlock(db: Database) {
  return db
    .selectFrom('forgotten')
    .select('crm_id_fingerprint as contact')
    .orderBy('crm_id_fingerprint')
    .executeTakeFirstOrThrow();
}

function endOf(db: Database) {
  return db.selectFrom('audit_head').selectAll().executeTakeFirstOrThrow();
}

describeEachDatabase('a tampering with the audit', (open, kind) => {
  const createWorld = storeWorlds(open);

  it.each(Object.entries(TAMPERINGS))('is named: %s', async (_, tampering) => {
    const world = await createWorld();
    await fill(world);
    if (tampering.isErased)
      for (const contact of ['erased-1', 'erased-2']) await erase(world, contact);
    if (tampering.isPurged) {
      await world.clock.advance(10 * DAY_MS);
      await fill(world, 'later');
      await world.store.audit.purge(world.clock.now() - DAY_MS);
    }
    if (tampering.isErasedAndPurged) {
      await ask(world.store, 'erased-3');
      lastKey = await world.db
        .selectFrom('audit_keys')
        .selectAll()
        .where('crm_id', '=', 'erased-3')
        .executeTakeFirstOrThrow();
      await world.clock.advance(10 * DAY_MS);
      await erase(world, 'erased-3');
      await fill(world, 'later');
      await world.store.audit.purge(world.clock.now() - DAY_MS);
    }
    known = null;
    expect((await world.store.audit.verify()).problems).toEqual([]);
    await tampering.does(world.db, world);
    const { problems } = await world.store.audit.verify(tampering.needsKnown ? known : null);
    expect(problems.join('\n')).toMatch(tampering.says);
    expect(await unexpectedOf(world)).toEqual([]);
  });

  it.each([
    ['a table is dropped', sql`drop table audit_entries`],
    ['a column is renamed', sql`alter table audit_entries rename column seq to other`],
  ])('is named: %s', async (_, change) => {
    // A database of its own, since others would miss what is gone.
    const world = await storeWorlds(open)();
    await fill(world);
    await change.execute(world.db);
    const { problems } = await world.store.audit.verify();
    expect(problems.join('\n')).toMatch(
      /The table audit_entries is not as donor-sync made it|is gone from the database.*seq/,
    );
    expect(await unexpectedOf(world)).toEqual([]);
  });

  it.runIf(kind === 'sqlite').each(IN_PLACE_OF_TABLES)(
    'is named, and nothing in it is read: %s',
    async (_, table, statements) => {
      const world = await storeWorlds(open)();
      await fill(world);
      await erase(world, 'erased-1');
      for (const statement of statements) await sql.raw(statement).execute(world.db);
      const { problems } = await world.store.audit.verify();
      expect(problems).toEqual([
        expect.stringContaining(`The table ${table} is not as donor-sync made it`),
      ]);
    },
  );

  it.runIf(kind === 'postgres').each([
    [
      'a view',
      ['alter table forgotten rename to f', 'create view forgotten as select * from f limit 0'],
    ],
    ['a rule', ['create rule r as on insert to forgotten do instead nothing']],
    ['a policy', ['alter table forgotten enable row level security']],
    ['a table without its key', ['alter table forgotten drop constraint forgotten_key']],
  ])('is named: %s stands before the blocks', async (_, statements) => {
    const world = await storeWorlds(open)();
    await fill(world);
    for (const statement of statements) await sql.raw(statement).execute(world.db);
    expect((await world.store.audit.verify()).problems).toEqual([
      expect.stringContaining('The table forgotten is not as donor-sync made it'),
    ]);
  });

  it.runIf(kind === 'sqlite')('is named: a trigger is called otherwise', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    await sql`create trigger hidden before insert on people begin select raise(ignore); end`.execute(
      world.db,
    );
    await rewriteSchema(
      world.db,
      `update sqlite_master set type = 'Trigger' where name = 'hidden'`,
    );
    const { problems } = await world.store.audit.verify();
    expect(problems.join('\n')).toMatch(/has the trigger "hidden"/);
  });

  it.runIf(kind === 'sqlite')('is named: an index lacks an entry that the table has', async () => {
    const world = await storeWorlds(open)();
    await fill(world);
    const name = 'audit_entries_by_action';
    const partly = `' where seq <> 2'`;
    await rewriteSchema(
      world.db,
      `update sqlite_master set sql = sql || ${partly} where name = '${name}'`,
    );
    await sql.raw(`reindex ${name}`).execute(world.db);
    await rewriteSchema(
      world.db,
      `update sqlite_master set sql = replace(sql, ${partly}, '') where name = '${name}'`,
    );
    const { problems } = await world.store.audit.verify();
    expect(problems).toEqual([
      expect.stringContaining('The indexes of the table audit_entries do not hold what'),
    ]);
  });

  it.runIf(kind === 'sqlite')('is named, and hides no other: numbers are too large', async () => {
    const world = await createWorld();
    await fill(world);
    await erase(world, 'erased-1');
    await world.db.deleteFrom('audit_keys').execute();
    await sql`update forgotten set forgotten_at = 9223372036854775807`.execute(world.db);
    const { problems } = await world.store.audit.verify();
    expect(problems.join('\n')).toMatch(/The table forgotten holds what donor-sync never writes/);
  });

  it.runIf(kind === 'sqlite')('speaks in no words of its own: a number is a text', async () => {
    const world = await createWorld();
    await fill(world);
    await sql`update audit_entries set seq = 'x
30 entries, and nothing in them was changed.' where seq = 2`.execute(world.db);
    const { problems } = await world.store.audit.verify();
    expect(problems.join(' ')).toMatch(/The table audit_entries holds what donor-sync never/);
    expect(problems.join(' ')).not.toMatch(/\n|nothing in them/);
  });

  it.runIf(kind === 'sqlite')('is named: bytes stand where texts and times do', async () => {
    const world = await createWorld();
    await fill(world);
    await erase(world, 'erased-1');
    const bytes = sql<string>`x'00ff'`;
    await world.db.updateTable('audit_entries').set({ sealed: bytes }).execute();
    await world.db.updateTable('audit_keys').set({ sealed: bytes }).execute();
    await entry(world.db, 2).set({ at: sql<number>`'never'` }).execute();
    const { problems } = await world.store.audit.verify();
    expect(problems.join('\n')).toMatch(CHANGED);
    expect(problems.join('\n')).toMatch(/Keys of 2 contacts were changed/);
    expect(
      (await world.store.audit.list({ limit: 10 })).map(({ isReadable }) => isReadable),
    ).not.toContain(true);
    await world.db
      .updateTable('audit_keys')
      .set({ id: sql<string>`x'00'` })
      .where('crm_id', '=', ADA)
      .execute();
    expect((await world.store.audit.verify()).problems.join('\n')).toMatch(
      /Keys of 2 contacts were changed/,
    );
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
    const { problems } = await world.store.audit.verify();
    expect(problems.join('\n')).toMatch(/has the trigger "hidden"/);
  });

  it('is tried in 25 ways at least', () => {
    expect(Object.keys(TAMPERINGS).length).toBeGreaterThanOrEqual(25);
  });
});

/** Entries with and without contacts, beside what is made together with its entry. */
async function fill({ store }: StoreWorld, id = 'first'): Promise<void> {
  await store.access.addToken({ id, name: 't', role: 'viewer', hash: id });
  for (const contact of [ADA, BEN]) await ask(store, contact);
  await store.schedules.pause('a');
  await store.schedules.pause('b');
  await store.schedules.pause('c');
}

async function erase({ store }: StoreWorld, crmId: string): Promise<void> {
  const person = { name: 'n', addresses: ['a'], employers: [], names: [] };
  await withLeaseOf(store, INTEGRATION, async (lease) => {
    await store.forget.begin(lease, {
      ...{ crmId, state: 'begun' as const, person, everywhere: false, donors: [], receipt: null },
    });
    await store.forget.erase(lease, crmId);
  });
}

function ask(store: StoreWorld['store'], contact: string) {
  const runId = crypto.randomUUID();
  return store.runRequests.add({
    ...{ integrationId: INTEGRATION, contact, trigger: 'manual', full: false, runId },
  });
}

/** What the next changes end with that is none of the errors that a user can act on. */
async function unexpectedOf({ store }: StoreWorld): Promise<unknown[]> {
  const tried = await Promise.allSettled([
    store.schedules.pause('next'),
    ask(store, ADA),
    store.audit.list({ limit: 100 }),
  ]);
  return tried.flatMap((one) =>
    one.status === 'rejected' && !isDonorSyncError(one.reason) ? [one.reason] : [],
  );
}
