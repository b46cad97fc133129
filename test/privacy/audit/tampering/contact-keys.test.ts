import { it } from 'vitest';
import { storeWorlds } from '../../../database/store-world.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import { ADA, expectNamed, keyBefore, type Tampering } from './tampering.ts';

const KEYS_CHANGED = /Keys of 1 contact were changed/;

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'the keys of contacts are deleted': {
    does: (db) => db.deleteFrom('audit_keys').execute(),
    says: /Keys of 2 contacts are missing although no recorded erasure destroyed them/,
  },
  'the key of one contact is deleted': {
    does: (db) => db.deleteFrom('audit_keys').where('crm_id', '=', ADA).execute(),
    says: /Keys of 1 contact are missing although no recorded erasure destroyed them/,
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
  'the key of one contact is deleted, where an erasure of another is on record whose entries were purged':
    {
      does: (db) => db.deleteFrom('audit_keys').where('crm_id', '=', ADA).execute(),
      says: /Keys of 1 contact are missing although no recorded erasure destroyed them/,
      isErasedAndPurged: true,
    },
  'the key of a person who was erased is put back': {
    does: async (db) => {
      await db.insertInto('audit_keys').values(keyBefore()).execute();
    },
    says: /There are keys of 1 contact that were destroyed or that no entry needs/,
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
};

describeEachDatabase('a tampering with the keys of contacts in the audit', (open) => {
  const createWorld = storeWorlds(open);

  it.each(Object.entries(TAMPERINGS))('is named: %s', async (_, tampering) =>
    expectNamed(await createWorld(), tampering),
  );
});
