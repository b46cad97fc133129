import { expect } from 'vitest';
import { countContactWork } from '../../src/contacts/contacts.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

export const NET_WORTH = 'Donor Net Worth';

/** Opens a sync test's CRM, service and store, and closes them after the test. */
export const open = closedAfterTest(createSyncWorld);

/** Creates contacts that are all in the CRM and have been enhanced. */
export async function openEnhanced(count: number, options?: SyncWorldOptions): Promise<SyncWorld> {
  const world = await open(options);
  await world.addPeople(count);
  const report = await world.sync();
  expect(report.status).toBe('succeeded');
  return world;
}

/** Returns the ID of a contact into which the first run has written a net worth. */
export function aWrittenContact({ crm }: SyncWorld): string {
  const write = crm.writes.find(({ values }) => values[NET_WORTH]);
  if (!write) throw new Error('No contact was written');
  return write.id;
}

/** Options for a service that returns other people's profiles. */
export const strangers: SyncWorldOptions = {
  partner: (client) => ({
    ...client,
    async readResults(jobIds, signal) {
      const results = await client.readResults(jobIds, signal);
      for (const result of results.values()) {
        if (result.state === 'completed') result.profile.name.last = 'Quillfeather';
      }
      return results;
    },
  }),
};

/** Submits all contacts and stops before any job is polled. */
export async function leaveJobsRunning(world: SyncWorld): Promise<void> {
  await world.putFaults([{ on: { path: '*progress*' }, fault: { kind: 'slow', delayMs: 60_000 } }]);
  const stop = new AbortController();
  const running = world.sync({ signal: stop.signal });
  const submitted = () => countContactWork(world.store.reader, 'riverside');
  await expect.poll(submitted).toMatchObject({ due: 0 });
  await expect.poll(() => world.spent()).toBeGreaterThan(0);
  stop.abort();
  await running;
}

/** Moves all jobs back by this number of minutes. */
export async function ageJobs({ database }: SyncWorld, minutes: number): Promise<void> {
  await database.db
    .updateTable('jobs')
    .set((eb) => ({ submitted_at: eb('submitted_at', '-', minutes * 60_000) }))
    .execute();
}
