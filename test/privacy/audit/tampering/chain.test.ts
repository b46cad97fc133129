import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { savePause } from '../../../../src/clients/statements/schedules.ts';
import { listAuditEntries } from '../../../../src/privacy/audit/read-audit.ts';
import { verifyAudit } from '../../../../src/privacy/audit/verify-audit.ts';
import { storeWorlds } from '../../../database/store-world.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import {
  ADA,
  BEN,
  DAY_MS,
  endOf,
  entry,
  erase,
  expectNamed,
  fill,
  head,
  noteKnown,
  readEntry,
  type Tampering,
} from './tampering.ts';

const NOT_THE_END = /which is not the end that donor-sync has signed/;
const CHANGED = /Entry \d+ was changed, or added by another program/;

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
    says: /a new chain was started/,
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
    says: /The row with the end of the chain is missing/,
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
    says: /chain starts at entry 2, and no purge is on record/,
  },
  'an entry in the middle is deleted': {
    does: (db) => db.deleteFrom('audit_entries').where('seq', '=', 3).execute(),
    says: /Entries are missing: 4 follows 2/,
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
    says: /the end that you saved earlier, is missing/,
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
    says: /Entry -1 is before the start of the chain/,
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
    says: /Entry 2 is before the start of the chain/,
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
    says: /has a second row, which donor-sync did not create/,
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
    says: /is after the end of the chain/,
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
};

describeEachDatabase('a tampering with the chain of the audit', (open, kind) => {
  const createWorld = storeWorlds(open);

  it.each(Object.entries(TAMPERINGS))('is named: %s', async (_, tampering) =>
    expectNamed(await createWorld(), tampering),
  );

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

  it('is tried in 25 ways at least', () => {
    expect(Object.keys(TAMPERINGS).length).toBeGreaterThanOrEqual(25);
  });
});
