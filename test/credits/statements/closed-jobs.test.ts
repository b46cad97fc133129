import { expect, it } from 'vitest';
import { reconcileMonth } from '../../../src/credits/reconcile-month.ts';
import { addUpClosedJobs } from '../../../src/credits/statements/closed-jobs.ts';
import { listSpentMonths } from '../../../src/credits/statements/credit-spans.ts';
import type { JobState } from '../../../src/database/tables/credits.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { contactRow } from '../../contacts/contact-stages.ts';
import {
  everything,
  INTEGRATION,
  KEY,
  START_MS,
  type StoreWorld,
  storeWorlds,
} from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';

const DAY_MS = 86_400_000;

/** `START_MS` is in January 2027. */
const MONTHS = ['2027-01', '2027-02'];

interface TestJob {
  id: string;
  /** The number of days after the start. */
  day: number;
  state?: JobState;
  crmId?: string;
  sharedFrom?: string;
  isAnswered?: boolean;
}

async function addSubmission(
  { db }: StoreWorld,
  id: string,
  day: number,
  state: 'accepted' | 'lost' = 'accepted',
): Promise<void> {
  await db
    .insertInto('submissions')
    .values({
      ...{ id, integration_id: INTEGRATION, run_id: 'run-1', partner_key: KEY, state },
      ...{ persons: 3, charged: state === 'lost' ? null : 3, balance_before: 1_000 },
      ...{ intended_at: START_MS + day * DAY_MS, lost_at: null, closed_at: null },
      ...{ mapping: 'mapping', slot: 1 },
    })
    .execute();
}

async function addJobs(
  { db }: StoreWorld,
  submissionId: string,
  jobs: readonly TestJob[],
): Promise<void> {
  await db
    .insertInto('jobs')
    .values(
      jobs.map(({ id, day, state = 'delivered', crmId = `of-${id}`, ...job }) => ({
        ...{ tracking_id: id, submission_id: submissionId, integration_id: INTEGRATION },
        ...{ crm_id: crmId, identity: 'i', person: null, reason: 'never_enhanced' as const },
        ...{ state, job_id: `job-${id}`, known: 1, shared_from: job.sharedFrom ?? null },
        answered_at: job.isAnswered === true ? START_MS + day * DAY_MS : null,
        ...{ submitted_at: START_MS + day * DAY_MS, closed_at: START_MS + day * DAY_MS },
      })),
    )
    .execute();
}

async function listJobs({ db }: StoreWorld): Promise<string[]> {
  const rows = await db.selectFrom('jobs').select('tracking_id').orderBy('tracking_id').execute();
  return rows.map(({ tracking_id }) => tracking_id);
}

function endJobs({ store, lease }: StoreWorld, day: number): Promise<number> {
  return addUpClosedJobs(store, lease, START_MS + day * DAY_MS);
}

describeEachDatabase('closed jobs', (open) => {
  const createWorld = storeWorlds(open);

  it('are added up, and each month has the same sums as before', async () => {
    const world = await createWorld();
    await addSubmission(world, 's-1', 0);
    await addSubmission(world, 's-2', 30);
    await addJobs(world, 's-1', [
      { id: 'a', day: 0 },
      { id: 'b', day: 0, state: 'failed' },
      { id: 'c', day: 0, state: 'unpaid' },
      { id: 'd', day: 0, sharedFrom: 'a' },
    ]);
    await addJobs(world, 's-2', [
      { id: 'e', day: 30 },
      { id: 'f', day: 30, crmId: '' },
    ]);
    const results = async () => ({
      months: await Promise.all(MONTHS.map((each) => reconcileMonth(world.store.reader, each))),
      spent: await listSpentMonths(world.store.reader, 12),
    });
    const before = await results();
    expect(before.months.map(([key]) => key?.reasons)).toEqual([
      { never_enhanced: 2 },
      { never_enhanced: 2 },
    ]);
    expect(await endJobs(world, 15)).toBe(4);
    expect(await listJobs(world)).toEqual(['e', 'f']);
    expect(await results()).toEqual(before);
    expect(await endJobs(world, 40)).toBe(2);
    expect(await listJobs(world)).toEqual([]);
    expect(await results()).toEqual(before);
    expect(await endJobs(world, 40)).toBe(0);
    const entries = await listAuditEntries(world.store, { action: 'data.purged', limit: 10 });
    expect(entries.map(({ details }) => details)).toEqual([
      { what: 'closedJobs', rows: 2 },
      { what: 'closedJobs', rows: 4 },
    ]);
  });

  it('stay while anything needs them', async () => {
    const world = await createWorld();
    const { db } = world;
    await addSubmission(world, 'open', 0, 'lost');
    await addJobs(world, 'open', [{ id: 'unsettled', day: 0 }]);
    await addSubmission(world, 's', 0);
    await addJobs(world, 's', [
      { id: 'asked', day: 0 },
      { id: 'asked-by-id', day: 0 },
      { id: 'intended', day: 0, state: 'intended' },
      { id: 'kept', day: 0 },
      { id: 'known', day: 0, crmId: 'here' },
      { id: 'moved', day: 0 },
      { id: 'running', day: 0, state: 'processing' },
      { id: 'unneeded', day: 0 },
    ]);
    await db
      .insertInto('contacts')
      .values([
        contactRow({ crm_id: 'here' }),
        contactRow({ crm_id: 'heir', tracking_id: 'moved' }),
      ])
      .execute();
    await db
      .insertInto('kept_profiles')
      .values({
        ...{ integration_id: INTEGRATION, crm_id: 'heir', tracking_id: 'kept', is_delivered: 1 },
        ...{ field_map: '', kept_at: 1, opted_out_at: null, requested: null, gone_at: null },
        ...{ donor: 'd', key: 'k', profile: 'p' },
      })
      .execute();
    const question = { integration_id: INTEGRATION, kind: 'lost_answer' as const, opened_at: 1 };
    await db
      .insertInto('questions')
      .values([
        { ...question, id: 'q', crm_id: 'x', tracking_id: 'asked', batch: null, detail: null },
        { ...question, id: 'asked-by-id', crm_id: 'y', batch: null, detail: null },
      ])
      .execute();
    const all = await listJobs(world);
    expect(await endJobs(world, 1)).toBe(1);
    expect(await listJobs(world)).toEqual(all.filter((id) => id !== 'unneeded'));
  });

  it('of a known contact end if a later job was delivered', async () => {
    const world = await createWorld();
    await addSubmission(world, 's', 0);
    const crmId = 'here';
    await addJobs(world, 's', [
      { id: 'first', day: 0, crmId },
      { id: 'held', day: 0, crmId, state: 'held' },
      { id: 'second', day: 5, crmId },
      { id: 'third', day: 6, crmId, state: 'failed' },
    ]);
    await world.db
      .insertInto('contacts')
      .values(contactRow({ crm_id: crmId }))
      .execute();
    expect(await endJobs(world, 10)).toBe(1);
    expect(await listJobs(world)).toEqual(['held', 'second', 'third']);
  });

  it('stay if they are among the last 200 answers, which show the match rate', async () => {
    const world = await createWorld();
    await addSubmission(world, 's', 0);
    const jobs = Array.from({ length: 203 }, (_, at) => ({
      ...{ id: `j-${String(at).padStart(3, '0')}`, day: at, isAnswered: true },
    }));
    await addJobs(world, 's', jobs);
    expect(await endJobs(world, 1_000)).toBe(3);
    expect(await listJobs(world)).toEqual(jobs.slice(3).map(({ id }) => id));
  });

  it('of another client stay', async () => {
    const world = await createWorld();
    await addSubmission(world, 's', 0);
    await addJobs(world, 's', [{ id: 'a', day: 0 }]);
    await world.db.updateTable('jobs').set({ integration_id: 'another' }).execute();
    const before = await everything(world.db);
    expect(await endJobs(world, 10)).toBe(0);
    expect(await everything(world.db)).toEqual(before);
  });
});
