import { it } from 'vitest';
import type { Database } from '../../../../src/database/tables/tables.ts';
import { INTEGRATION, storeWorlds } from '../../../database/store-world.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import { expectNamed, type Tampering } from './tampering.ts';

const BLOCKS_CHANGED = /Another program changed the blocks of erased people/;

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'the block of a person who was erased is deleted': {
    does: async (db) => {
      const { contact } = await firstBlock(db);
      await db.deleteFrom('forgotten').where('crm_id_fingerprint', '=', contact).execute();
    },
    says: /The blocks of 1 erased person are missing/,
    isErased: true,
  },
  'all blocks are deleted': {
    does: (db) => db.deleteFrom('forgotten').execute(),
    says: /The blocks of 2 erased people are missing/,
    isErased: true,
  },
  'all blocks are deleted, although the entries of the erasures were purged': {
    does: (db) => db.deleteFrom('forgotten').execute(),
    says: /The blocks of 2 erased people are missing/,
    isErased: true,
    isPurged: true,
  },
  'a person who was erased is made one who is only suspected': {
    does: (db) => db.updateTable('forgotten').set({ state: 'merged' }).execute(),
    says: /The blocks of 2 erased people are missing/,
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
    says: /Another program changed the blocks of erased people/,
    isErased: true,
  },
  'what a person is recognised by is taken from its block': {
    does: (db) => db.updateTable('forgotten').set({ person: null }).execute(),
    says: /Another program changed the blocks of erased people/,
    isErased: true,
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
    says: /1 person is blocked as erased although the audit has no record of their erasure/,
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
    says: /1 person is blocked as erased although the audit has no record of their erasure/,
  },
};

describeEachDatabase('a tampering with the blocks of people who were erased', (open) => {
  const createWorld = storeWorlds(open);

  it.each(Object.entries(TAMPERINGS))('is named: %s', async (_, tampering) =>
    expectNamed(await createWorld(), tampering),
  );
});

function firstBlock(db: Database) {
  return db
    .selectFrom('forgotten')
    .select('crm_id_fingerprint as contact')
    .orderBy('crm_id_fingerprint')
    .executeTakeFirstOrThrow();
}
