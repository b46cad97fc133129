/** What someone with the whole database in hand, and without its key, can do to the audit: `verify` names each of it. */

import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { savePause } from '../../../src/clients/statements/schedules.ts';
import { isDonorSyncError } from '../../../src/core/errors.ts';
import type { Database, Tables } from '../../../src/database/tables/tables.ts';
import { addAccessToken } from '../../../src/people/statements/access.ts';
import { purgeAudit } from '../../../src/privacy/audit/purge-audit.ts';
import { type AuditPlace, listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../src/privacy/audit/verify-audit.ts';
import { beginErasure, eraseFromStore } from '../../../src/privacy/statements/erasures.ts';
import { requestRun } from '../../../src/sync/statements/run-requests.ts';
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
      await store.act((trx) => savePause(trx, 'z'));
    },
    says: /a new chain was begun/,
  },
  'the audit is emptied without its birth record, and used again at once': {
    does: async (db, { store }) => {
      await db.deleteFrom('audit_entries').execute();
      await db.deleteFrom('audit_head').execute();
      await store.act((trx) => savePause(trx, 'z'));
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
      await store.act((trx) => savePause(trx, 'z'));
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
      await store.act((trx) => savePause(trx, 'hidden'));
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
      await store.act((trx) => savePause(trx, 'z'));
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
      await store.act((trx) => savePause(trx, 'z'));
      await store.act((trx) => savePause(trx, 'y'));
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

let known: AuditPlace | null = null;

let lastKey: Tables['audit_keys'] | null = null;

/** The key of the last person who was erased, as a copy of the database has it from before. */
function keyBefore(): Tables['audit_keys'] {
  if (lastKey === null) throw new Error('Nobody was erased.');
  return lastKey;
}

async function noteKnown(store: StoreWorld['store']): Promise<void> {
  known = (await verifyAudit(store)).end;
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
      await world.store.act((trx) => purgeAudit(trx, world.clock.now() - DAY_MS));
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
      await world.store.act((trx) => purgeAudit(trx, world.clock.now() - DAY_MS));
    }
    known = null;
    expect((await verifyAudit(world.store)).problems).toEqual([]);
    await tampering.does(world.db, world);
    const { problems } = await verifyAudit(world.store, tampering.needsKnown ? known : null);
    expect(problems.join('\n')).toMatch(tampering.says);
    expect(await unexpectedOf(world)).toEqual([]);
  });

  it.each([
    ['a table is dropped', sql`drop table audit_entries`, /table "audit_entries" is gone/],
    [
      'a column is renamed',
      sql`alter table audit_entries rename column seq to other`,
      /table "audit_entries" is not as donor-sync made it/,
    ],
    ['a table that others need is dropped', sql`drop table people`, /is gone from the database/],
  ])('is named: %s', async (_, change, part) => {
    // A database of its own, since others would miss what is gone.
    const world = await storeWorlds(open)();
    await fill(world);
    await change.execute(world.db);
    const { problems } = await verifyAudit(world.store);
    expect(problems.join('\n')).toMatch(part);
    expect(await unexpectedOf(world)).toEqual([]);
  });

  it.runIf(kind === 'sqlite')('is named: bytes stand where texts and times do', async () => {
    const world = await createWorld();
    await fill(world);
    await erase(world, 'erased-1');
    const bytes = sql<string>`x'00ff'`;
    await world.db.updateTable('audit_entries').set({ sealed: bytes }).execute();
    await world.db.updateTable('audit_keys').set({ sealed: bytes }).execute();
    await entry(world.db, 2).set({ at: sql<number>`'never'` }).execute();
    const { problems } = await verifyAudit(world.store);
    expect(problems.join('\n')).toMatch(CHANGED);
    expect(problems.join('\n')).toMatch(/Keys of 2 contacts were changed/);
    expect(
      (await listAuditEntries(world.store, { limit: 10 })).map(({ isReadable }) => isReadable),
    ).not.toContain(true);
    await world.db
      .updateTable('audit_keys')
      .set({ id: sql<string>`x'00'` })
      .where('crm_id', '=', ADA)
      .execute();
    expect((await verifyAudit(world.store)).problems.join('\n')).toMatch(
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
    const { problems } = await verifyAudit(world.store);
    expect(problems.join('\n')).toMatch(/has the trigger "hidden"/);
  });

  /** Changes to the tables themselves, in a database of its own, since others would meet them. */
  const CHANGED_TABLES: Readonly<Record<string, [statements: string[], says: RegExp]>> = {
    'a table is a view that hides an entry from those who write': [
      [
        'alter table audit_entries rename to kept_entries',
        'create view audit_entries as select * from kept_entries where seq <> 2',
      ],
      /The table "audit_entries" is gone: another program took it away, or put something else/,
    ],
    'who is blocked is read from a view': [
      ['alter table forgotten rename to f', 'create view forgotten as select * from f'],
      /The table "forgotten" is gone/,
    ],
    'a column is added that can refuse later rows': [
      ['alter table forgotten add column more text'],
      /The table "forgotten" is not as donor-sync made it/,
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
      /is not as donor-sync made it/,
    );
  });

  /** Another program has the file, and rights over its schema that a statement does not give. */
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
      expect.stringMatching(/An index of the table "audit_entries" lacks rows or has others/),
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

  it('is tried in 25 ways at least', () => {
    expect(Object.keys(TAMPERINGS).length).toBeGreaterThanOrEqual(25);
  });
});

/** Entries with and without contacts, beside what is made together with its entry. */
async function fill({ store }: StoreWorld, id = 'first'): Promise<void> {
  await store.act((trx) => addAccessToken(trx, { id, name: 't', role: 'viewer', hash: id }));
  for (const contact of [ADA, BEN]) await ask(store, contact);
  await store.act((trx) => savePause(trx, 'a'));
  await store.act((trx) => savePause(trx, 'b'));
  await store.act((trx) => savePause(trx, 'c'));
}

async function erase({ store }: StoreWorld, crmId: string): Promise<void> {
  const person = { name: 'n', addresses: ['a'], employers: [], names: [] };
  await withLeaseOf(store, INTEGRATION, async (lease) => {
    await beginErasure(store, lease, {
      ...{ crmId, state: 'begun' as const, person, everywhere: false, donors: [], receipt: null },
    });
    await eraseFromStore(store, lease, crmId);
  });
}

function ask(store: StoreWorld['store'], contact: string) {
  const runId = crypto.randomUUID();
  return store.act((trx) =>
    requestRun(trx, {
      ...{ integrationId: INTEGRATION, contact, trigger: 'manual', full: false, runId },
    }),
  );
}

/** What the next changes end with that is none of the errors that a user can act on. */
async function unexpectedOf({ store }: StoreWorld): Promise<unknown[]> {
  const tried = await Promise.allSettled([
    store.act((trx) => savePause(trx, 'next')),
    ask(store, ADA),
    listAuditEntries(store, { limit: 100 }),
  ]);
  return tried.flatMap((one) =>
    one.status === 'rejected' && !isDonorSyncError(one.reason) ? [one.reason] : [],
  );
}
