import { expect, it } from 'vitest';
import { findContacts } from '../../../src/contacts/contacts.ts';
import { getSpentByRun } from '../../../src/credits/statements/balances.ts';
import {
  countRunningJobs,
  listReadyJobs,
  recordJobProgress,
} from '../../../src/credits/statements/jobs.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import {
  accept,
  chargeLoss,
  contactOf,
  jobOf,
  makeReady,
  start,
  submit,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import { INTEGRATION, RUN, type StoreWorld, storeWorlds } from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

describeEachDatabase('a person who is forgotten in the middle of a sync', (open) => {
  const createWorld = storeWorlds(open);

  it('does not come back with the answer to a submission', async () => {
    const world = await createWorld();
    await submit(world, ['c-1', 'c-2']);
    await eraseContact(world.store, INTEGRATION, 'c-1');
    await accept(world, ['c-1']);
    expect(await getSpentByRun(world.store.reader, RUN)).toBe(1);
    expect(await idsKnown(world)).toEqual(['c-2']);
    expect(await contactOf(world, 'c-2')).toMatchObject({ outcome_reason: 'not_processed' });
    // With the service key, the job ID would be enough to fetch the profile.
    expect(await jobOf(world, 'c-1')).toMatchObject({ job_id: null, state: 'delivered' });
  });

  it('does not come back with the end of a job', async () => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2', 'c-3']);
    for (const id of ['c-1', 'c-2', 'c-3']) await eraseContact(world.store, INTEGRATION, id);
    await world.store.checkpoint(world.lease, (trx) =>
      recordJobProgress(trx, RUN, {
        completed: [trackingIdOf('c-1')],
        failed: [trackingIdOf('c-2')],
        vanished: [trackingIdOf('c-3')],
        tooOld: [],
      }),
    );
    expect(await idsKnown(world)).toEqual([]);
    const wanted = { runId: RUN, limit: 10, except: new Set<string>() };
    expect(await listReadyJobs(world.store.reader, INTEGRATION, wanted)).toEqual([]);
    expect(await countRunningJobs(world.store.reader, INTEGRATION, null)).toMatchObject({ all: 0 });
  });

  it('does not come back with a lost answer or a delivery', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await submit(world, ['c-2'], 'submission-2');
    for (const id of ['c-1', 'c-2']) await eraseContact(world.store, INTEGRATION, id);
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        {
          crmId: 'c-1',
          trackingId: trackingIdOf('c-1'),
          reason: 'fields_written',
          detail: null,
          end: {
            kind: 'delivered',
            identity: 'identity',
            donorId: 'donor-1',
            owned: {},
            writeId: null,
          },
        },
      ]),
    );
    await chargeLoss(world, 'resubmit', { submissionId: 'submission-2' });
    expect(await idsKnown(world)).toEqual([]);
  });

  async function idsKnown({ store }: StoreWorld): Promise<string[]> {
    return [...(await findContacts(store.reader, INTEGRATION, ['c-1', 'c-2', 'c-3'])).keys()];
  }
});
