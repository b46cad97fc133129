import { expect, it } from 'vitest';
import { listUnreadContacts } from '../../../src/contacts/contacts.ts';
import {
  countRunningJobs,
  findJobIds,
  listReadyJobs,
  listRunningJobs,
  type RunningJob,
  recordJobProgress,
} from '../../../src/credits/statements/jobs.ts';
import { fromRow } from '../../../src/database/from-row.ts';
import { listOpenQuestions, recordDecision } from '../../../src/decisions/statements/questions.ts';
import { recordDeliveries } from '../../../src/fields/statements/deliveries.ts';
import type { Store } from '../../../src/store.ts';
import { recordRunBegin } from '../../../src/sync/statements/runs.ts';
import {
  contactOf,
  crmIds,
  jobIdOf,
  jobOf,
  makeReady,
  readContact,
  readPage,
  start,
  submit,
  trackingIdOf,
} from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  RUN,
  START_MS,
  type StoreWorld,
  storeWorlds,
  takeLease,
} from '../../database/store-world.ts';
import { eraseContact } from '../../helpers/erasing.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

/** The maximum number of pages that a test reads one after the other. */
const MAX_PAGES = 20;

describeEachDatabase('running jobs', (open) => {
  const createWorld = storeWorlds(open);

  it('are listed in pages, the oldest first and those of one instant by tracking id', async () => {
    const world = await createWorld();
    const ids = crmIds(11);
    await start(world, ids.slice(5, 8), 'submission-1');
    await start(world, ids.slice(0, 5), 'submission-2');
    await world.clock.advance(1_000);
    await start(world, ids.slice(8), 'submission-3');

    const pages = await pagesOf(world.store, 3);
    expect(pages.map((page) => page.length)).toEqual([3, 3, 3, 2]);
    expect(pages.flat()).toEqual(
      ids.map((id, index) => ({
        trackingId: trackingIdOf(id),
        jobId: jobIdOf(id),
        submittedAt: index < 8 ? START_MS : START_MS + 1_000,
      })),
    );
  });

  it('are those of one integration whose answer came and whose end did not', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await makeReady(world, ['c-2'], 'submission-2');
    await submit(world, ['c-3'], 'submission-3');
    const jobs = await listRunningJobs(world.store.reader, INTEGRATION, 10, null);
    expect(jobs.map((job) => job.trackingId)).toEqual([trackingIdOf('c-1')]);
    expect(await listRunningJobs(world.store.reader, 'lakeside', 10, null)).toEqual([]);
  });

  it('are counted in all and after a given one, with the age of the oldest of these', async () => {
    const world = await createWorld();
    expect(await countRunningJobs(world.store.reader, INTEGRATION, null)).toEqual({
      all: 0,
      fresh: 0,
      oldestFreshAt: null,
    });
    await start(world, ['c-1', 'c-2', 'c-3']);
    await world.clock.advance(1_000);
    await start(world, ['c-4'], 'submission-2');
    const list = await listRunningJobs(world.store.reader, INTEGRATION, 10, null);
    const after = async (index: number) =>
      countRunningJobs(world.store.reader, INTEGRATION, list[index] ?? null);
    expect(await countRunningJobs(world.store.reader, INTEGRATION, null)).toEqual({
      all: 4,
      fresh: 4,
      oldestFreshAt: START_MS,
    });
    expect(await after(0)).toEqual({ all: 4, fresh: 3, oldestFreshAt: START_MS });
    expect(await after(2)).toEqual({ all: 4, fresh: 1, oldestFreshAt: START_MS + 1_000 });
    expect(await after(3)).toEqual({ all: 4, fresh: 0, oldestFreshAt: null });
    expect(await countRunningJobs(world.store.reader, 'lakeside', null)).toMatchObject({ all: 0 });
  });

  async function pagesOf({ reader }: Store, limit: number): Promise<RunningJob[][]> {
    const pages: RunningJob[][] = [];
    let after: RunningJob | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const list: RunningJob[] = await listRunningJobs(reader, INTEGRATION, limit, after);
      const last = list.at(-1);
      if (!last) return pages;
      pages.push(list);
      after = last;
    }
    throw new Error(`There are more than ${MAX_PAGES} pages`);
  }
});

describeEachDatabase('recordProgress', (open) => {
  const createWorld = storeWorlds(open);

  it('makes contacts whose jobs are done ready for delivery, however many they are', async () => {
    const world = await createWorld();
    const ids = crmIds(131);
    await makeReady(world, ids);
    for (const id of ids) {
      expect(await jobOf(world, id)).toMatchObject({ state: 'completed', closed_at: null });
      expect(await contactOf(world, id)).toMatchObject({
        state: 'ready',
        tracking_id: trackingIdOf(id),
      });
    }
  });

  it('leaves jobs of which it says nothing as they are', async () => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2']);
    await record(world, { completed: ['c-2'] });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'processing' });
    expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'submitted' });
  });

  it('settles the contact of a failed job, whose credit stays spent', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await world.clock.advance(1_000);
    await world.store.checkpoint(world.lease, (trx) =>
      recordRunBegin(trx, 'run-2', 'schedule', null),
    );
    await record(world, { failed: ['c-1'] }, 'run-2');
    expect(await jobOf(world, 'c-1')).toMatchObject({
      state: 'failed',
      closed_at: START_MS + 1_000,
    });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      tracking_id: null,
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      last_credit: 'stands',
      outcome_reason: 'no_match',
      outcome_run: 'run-2',
      outcome_at: START_MS + 1_000,
    });
  });

  it.each([
    ['vanished', 'job_vanished'],
    ['tooOld', 'job_too_old'],
  ])('has the contact of a job that is %s asked for again', async (end, reason) => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2']);
    await record(world, { [end]: ['c-1'] });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'vanished', closed_at: START_MS });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      tracking_id: null,
      asked_identity: null,
      last_credit: 'in_vain',
      outcome_reason: reason,
      outcome_run: RUN,
    });
    expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'submitted', asked_at: START_MS });
  });

  it('spends no second credit for a job that vanished after a profile was delivered before', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await world.db.updateTable('contacts').set({ enhanced_at: 1 }).execute();
    await record(world, { vanished: ['c-1'] });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      last_credit: 'stands',
      outcome_reason: 'job_vanished',
    });
  });

  it.each(['failed', 'vanished', 'tooOld'])(
    'has a contact with a profile read once more whose next job is %s: it may have opted out',
    async (end) => {
      const world = await createWorld();
      await start(world, ['c-1', 'c-2']);
      await world.db.updateTable('contacts').set({ donor_id: 'd', enhanced_at: 1 }).execute();
      await record(world, { [end]: ['c-1'] });
      expect(await listUnreadContacts(world.store.reader, world.lease.integrationId)).toEqual([
        'c-1',
      ]);
    },
  );

  it('spends no second credit for a record that refused its write until its job vanished', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await postpone(world, 'c-1', 'crm_refused');
    await record(world, { vanished: ['c-1'] });
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'vanished' });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      asked_identity: 'identity of c-1',
      asked_at: START_MS,
      last_credit: 'stands',
    });
  });

  it('has a contact whose identity changed during its job thought about again', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    await readPage(world, [readContact('c-1', 'a new identity')], { kind: 'keep' });
    await record(world, { failed: ['c-1'] });
    expect(await contactOf(world, 'c-1')).toMatchObject({
      state: 'settled',
      identity: 'a new identity',
      asked_identity: 'identity of c-1',
      last_credit: 'outdated',
    });
  });

  it('ends each job once: a late word on one that has ended changes nothing', async () => {
    const world = await createWorld();
    await start(world, ['c-1', 'c-2']);
    await record(world, { failed: ['c-1'], vanished: ['c-2'] });
    await world.clock.advance(1_000);
    const [jobs, contacts] = await jobsAndContacts(world);
    await record(world, { completed: ['c-1', 'c-2'], vanished: ['c-1'], failed: ['c-2'] }, 'run-2');
    expect(await jobsAndContacts(world)).toEqual([jobs, contacts]);
  });

  it('does not touch a contact that has gone on to another job', async () => {
    const world = await createWorld();
    await start(world, ['c-1']);
    const elsewhere = { state: 'submitted', tracking_id: 'tracking-2' } as const;
    await world.db.updateTable('contacts').set(elsewhere).execute();
    const before = await contactOf(world, 'c-1');
    await record(world, { completed: ['c-1'] });
    await record(world, { vanished: ['c-1'] });
    expect(await contactOf(world, 'c-1')).toEqual(before);
    expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'vanished' });
  });

  async function jobsAndContacts({ db }: StoreWorld): Promise<unknown[]> {
    const { jobs, contacts } = await everything(db);
    return [jobs, contacts];
  }
});

describeEachDatabase('listReady', (open) => {
  const createWorld = storeWorlds(open);
  const NONE: ReadonlySet<string> = new Set();

  it('lists jobs with their contacts, the oldest first and those of one instant by id', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-2', 'c-3'], 'submission-1');
    await makeReady(world, ['c-1'], 'submission-2');
    await world.clock.advance(1_000);
    await makeReady(world, ['c-0'], 'submission-3');
    const ready = await list(world);
    expect(ready.map(({ contact }) => contact.crmId)).toEqual(['c-1', 'c-2', 'c-3', 'c-0']);
    expect(ready[0]).toEqual({
      jobId: jobIdOf('c-1'),
      job: fromRow(await jobOf(world, 'c-1')),
      contact: fromRow(await contactOf(world, 'c-1')),
    });
  });

  it('gives as many as are wanted beside those that are left out', async () => {
    const world = await createWorld();
    await makeReady(world, crmIds(40));
    const except = new Set(crmIds(10).map(trackingIdOf));
    expect(await idsOf(world, { except, limit: 5 })).toEqual(crmIds(15).slice(10));
    expect(await idsOf(world, { except, limit: 100 })).toEqual(crmIds(40).slice(10));
    expect(await idsOf(world, { limit: 0 })).toEqual([]);
  });

  it.each(['crm_refused', 'crm_busy', 'crm_passing', 'profile_unreadable', 'job_running'] as const)(
    'leaves what this run has tried in vain (%s) to the next run',
    async (reason) => {
      const world = await createWorld();
      await makeReady(world, ['c-1', 'c-2']);
      await postpone(world, 'c-1', reason);
      expect(await idsOf(world, { runId: RUN })).toEqual(['c-2']);
      expect(await idsOf(world, { runId: 'run-2' })).toEqual(['c-1', 'c-2']);
    },
  );

  it('lists what a person has approved in this run', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1']);
    await world.store.checkpoint(world.lease, (trx) =>
      recordDeliveries(trx, RUN, [
        {
          crmId: 'c-1',
          trackingId: trackingIdOf('c-1'),
          reason: 'name_mismatch',
          detail: null,
          end: { kind: 'held', donorId: 'donor-1' },
        },
      ]),
    );
    expect(await idsOf(world)).toEqual([]);
    const [hold] = await listOpenQuestions(world.store.reader);
    expect(hold && (await recordDecision(world.store, hold, 'approved'))).toBe(true);
    expect(await idsOf(world)).toEqual(['c-1']);
  });

  it('leaves out a job whose contact has gone on, is gone, or belongs to another integration', async () => {
    const world = await createWorld();
    await makeReady(world, ['c-1', 'c-2', 'c-3']);
    await world.db
      .updateTable('contacts')
      .set({ tracking_id: 'tracking-2' })
      .where('crm_id', '=', 'c-1')
      .execute();
    await eraseContact(world.store, INTEGRATION, 'c-2');
    expect(await idsOf(world)).toEqual(['c-3']);
    await takeLease(world.store, 'lakeside');
    expect(await listReadyJobs(world.store.reader, 'lakeside', { ...ALL, except: NONE })).toEqual(
      [],
    );
  });

  const ALL = { runId: RUN, limit: 100 };

  function list({ store }: StoreWorld, wanted: Wanted = {}) {
    return listReadyJobs(store.reader, INTEGRATION, { ...ALL, except: NONE, ...wanted });
  }

  async function idsOf(world: StoreWorld, wanted: Wanted = {}): Promise<string[]> {
    return (await list(world, wanted)).map(({ contact }) => contact.crmId);
  }
});

describeEachDatabase('findJobIds', (open) => {
  const createWorld = storeWorlds(open);

  it('finds the job ids of those that have one, however many are asked for', async () => {
    const world = await createWorld();
    const ids = crmIds(131);
    await start(world, ids);
    await submit(world, ['c-unanswered'], 'submission-2');
    const asked = [...ids, 'c-unanswered', 'c-unknown'].map(trackingIdOf);
    const found = await findJobIds(world.store.reader, asked);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(ids.map((id) => [trackingIdOf(id), jobIdOf(id)])),
    );
    expect(await findJobIds(world.store.reader, [])).toEqual(new Map());
  });
});

interface Wanted {
  runId?: string;
  limit?: number;
  except?: ReadonlySet<string>;
}

interface Ends {
  completed?: readonly string[];
  failed?: readonly string[];
  vanished?: readonly string[];
  tooOld?: readonly string[];
}

/** Records the results of a poll by CRM ID. */
function record({ store, lease }: StoreWorld, ends: Ends, runId = RUN) {
  return store.checkpoint(lease, (trx) =>
    recordJobProgress(trx, runId, {
      completed: (ends.completed ?? []).map(trackingIdOf),
      failed: (ends.failed ?? []).map(trackingIdOf),
      vanished: (ends.vanished ?? []).map(trackingIdOf),
      tooOld: (ends.tooOld ?? []).map(trackingIdOf),
    }),
  );
}

/** Records a failed delivery, which a later run tries again. */
function postpone(
  { store, lease }: StoreWorld,
  crmId: string,
  reason: 'crm_refused' | 'crm_busy' | 'crm_passing' | 'profile_unreadable' | 'job_running',
): Promise<void> {
  return store.checkpoint(lease, (trx) =>
    recordDeliveries(trx, RUN, [
      {
        crmId,
        trackingId: trackingIdOf(crmId),
        reason,
        detail: null,
        end: { kind: 'postponed', writeId: null, enhanced: false },
      },
    ]),
  );
}
