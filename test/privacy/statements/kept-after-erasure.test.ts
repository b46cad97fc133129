import { expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import {
  findKeyBalance,
  getSpentByRun,
  getSpentSince,
} from '../../../src/credits/statements/balances.ts';
import { markStalePaths } from '../../../src/paths/statements/warm-paths.ts';
import { contactOf, contactRow, holdForName, putContacts } from '../../contacts/contact-stages.ts';
import {
  BALANCE,
  everything,
  INTEGRATION,
  KEY,
  RUN,
  storeWorlds,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { leaveTraces, MARKED, TRACKING_ID } from './traces.ts';

describeEachDatabase('an erasure', (open) => {
  const createWorld = storeWorlds(open);

  it('keeps on record what was paid, without saying for which person', async () => {
    const world = await createWorld();
    await leaveTraces(world);
    await eraseContact(world.store, INTEGRATION, MARKED);
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(1);
    expect(await getSpentSince(world.store.reader, INTEGRATION, 0)).toBe(1);
    expect(await findKeyBalance(world.store.reader, KEY)).toMatchObject({ balance: BALANCE - 1 });
    expect(await world.db.selectFrom('jobs').selectAll().execute()).toMatchObject([
      { tracking_id: TRACKING_ID, job_id: null, reason: 'never_enhanced', crm_id: '' },
    ]);
  });

  it('leaves everybody else, and the same id in another integration, as they were', async () => {
    const world = await createWorld();
    await holdForName(world, ['c-1', 'c-2']);
    await putContacts(world, [contactRow({ crm_id: 'c-1', integration_id: 'lakeside' })]);
    const { jobs, questions } = await everything(world.db);
    const other = await contactOf(world, 'c-2');
    await eraseContact(world.store, INTEGRATION, 'c-1');
    expect(await contactOf(world, 'c-2')).toEqual(other);
    expect((await findContacts(world.store.reader, 'lakeside', ['c-1'])).size).toBe(1);
    expect((await findContacts(world.store.reader, INTEGRATION, ['c-1'])).size).toBe(0);
    const left = await everything(world.db);
    expect(left['questions']).toEqual(questions?.filter((row) => row.includes('"c-2"')));
    expect(left['questions']).toHaveLength(1);
    expect(left['jobs']).toEqual(
      expect.arrayContaining(jobs?.filter((row) => row.includes('"c-2"')) ?? []),
    );
  });

  it('leaves the paths through a donor who is another contact, too', async () => {
    const world = await createWorld();
    const { store, lease, db } = world;
    await putContacts(world, [
      contactRow({ crm_id: MARKED, donor_id: 'donor-1' }),
      contactRow({ crm_id: 'c-1', donor_id: 'donor-1' }),
    ]);
    const scope = { settings: 's', members: { board: ['donor-1'] }, computedBefore: null };
    await store.checkpoint(lease, (trx) => markStalePaths(trx, scope));
    const { warm_path_scopes: before } = await everything(db);
    await eraseContact(store, INTEGRATION, MARKED);
    const { warm_path_scopes: after } = await everything(db);
    expect(after).toEqual(before);
  });
});
