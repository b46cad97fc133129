import { expect, it } from 'vitest';
import { migrateToLatest } from '../../src/store/engine/migrate.ts';
import { MIGRATIONS } from '../../src/store/engine/migrations.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';
import { contactRow } from './contact-stages.ts';

const NAME = '0032-opt-outs';

describeEachDatabase('the migration to opt-outs', (open) => {
  it('knows who has opted out, and leaves in its network who opted in again within a run', async () => {
    const { db } = await open();
    const before = Object.entries(MIGRATIONS).filter(([name]) => name < NAME);
    await migrateToLatest(db, Object.fromEntries(before));
    const rows = [
      { crm_id: 'in', outcome_reason: 'profile_fresh' },
      { crm_id: 'in again', outcome_reason: 'opted_out' },
      { crm_id: 'out', outcome_reason: 'opted_out', eligible: 0 },
      { crm_id: 'without a name', outcome_reason: 'last_name_missing', eligible: 0 },
    ];
    for (const contact of rows) {
      const {
        has_opted_out: _,
        values_donor: __,
        values_identity: ___,
        missing_since: ____,
        ...row
      } = contactRow(contact);
      await db.insertInto('contacts').values(row).execute();
    }
    await migrateToLatest(db);
    const out = db.selectFrom('contacts').select('crm_id').where('has_opted_out', '=', 1);
    expect(await out.execute()).toEqual([{ crm_id: 'out' }]);
  });
});
