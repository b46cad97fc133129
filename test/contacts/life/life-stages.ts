/** Contains events for the tests of contacts' states. Contacts leave or are submitted again, and their jobs end. */
import { recordDecidedPage } from '../../../src/contacts/decided-pages.ts';
import { recordRefusedSubmission } from '../../../src/credits/statements/answers.ts';
import { recordJobProgress } from '../../../src/credits/statements/jobs.ts';
import type { DueReason } from '../../../src/database/tables/contacts.ts';
import { RUN, START_MS, type StoreWorld } from '../../database/store-world.ts';
import { jobOf, noting, submit, trackingIdOf } from '../contact-stages.ts';

export const OPTED_OUT = { kind: 'settle', reason: 'opted_out', eligible: false } as const;

export const NO_PROGRESS = { completed: [], failed: [], vanished: [], tooOld: [] };

export async function remove(
  { store, lease }: StoreWorld,
  id: string,
  mergedInto: string | null,
): Promise<void> {
  const removed = [{ id, mergedInto }];
  await store.checkpoint(lease, (trx) =>
    recordDecidedPage(
      trx,
      { runId: RUN, contacts: [], removed, cursor: null },
      noting(() => ({ kind: 'keep' })),
    ),
  );
}

/** Prepares a contact whose profile was delivered the given time ago. */
export async function submittedAgain(
  world: StoreWorld,
  profileAgeMs: number,
  reason: DueReason,
): Promise<StoreWorld> {
  await submit(world, ['c-1']);
  await world.db.updateTable('contacts').set({ asked_at: 1 }).execute();
  await world.db.updateTable('jobs').set({ reason }).execute();
  await world.db
    .insertInto('jobs')
    .values({
      ...(await jobOf(world, 'c-1')),
      tracking_id: 'older',
      state: 'delivered',
      job_id: 'job-older',
      submitted_at: START_MS - profileAgeMs,
    })
    .execute();
  return world;
}

export async function endJob(
  world: StoreWorld,
  end: 'failed' | 'vanished',
  ids = ['c-1', 'c-2', 'c-3'],
): Promise<void> {
  const progress = { ...NO_PROGRESS, [end]: ids.map(trackingIdOf) };
  await world.store.checkpoint(world.lease, (trx) => recordJobProgress(trx, RUN, progress));
}

export function refuse({ store, lease }: StoreWorld, trackingId?: string): Promise<void> {
  const blamed = trackingId === undefined ? [] : [{ trackingId, detail: 'no last name' }];
  return store.checkpoint(lease, (trx) => recordRefusedSubmission(trx, 'submission-1', blamed));
}
