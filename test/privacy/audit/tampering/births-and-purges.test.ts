import { it } from 'vitest';
import { storeWorlds } from '../../../database/store-world.ts';
import { describeEachDatabase } from '../../../helpers/test-databases.ts';
import { endOf, expectNamed, head, readEntry, type Tampering } from './tampering.ts';

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
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
  'the place of a purge is set back, so that none was': {
    does: (db) => head(db).set({ purged_seq: 0, purged_hash: null, purged_mark: null }).execute(),
    says: /The chain starts at entry \d+, and no purge is on record/,
    isPurged: true,
  },
};

describeEachDatabase(
  'a tampering with the birth record of the audit, or with what a purge notes',
  (open) => {
    const createWorld = storeWorlds(open);

    it.each(Object.entries(TAMPERINGS))('is named: %s', async (_, tampering) =>
      expectNamed(await createWorld(), tampering),
    );
  },
);
