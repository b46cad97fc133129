/** Simulates the quiet time after a night. Everything is synced repeatedly until no work is left. */
import { HOUR_MS } from '../timeline.ts';
import type { Syncing } from './syncing.ts';
import type { Night } from './world.ts';

/** More rounds follow if a recent submission is still waiting. */
const ROUNDS = 4;
const MOST_ROUNDS = 30;

export async function playQuiet(night: Night, { syncOnce }: Syncing): Promise<void> {
  const { swarm, timeline, store, oracle, hosts, settings, ended, say } = night;
  const [host] = hosts;
  if (host === undefined) return;
  let isMoreToCome = true;
  for (let round = 0; round < (isMoreToCome ? MOST_ROUNDS : ROUNDS); round += 1) {
    // During this time, leases of dead processes expire. Jobs become so old that the service knows them everywhere.
    await timeline.pass(HOUR_MS);
    const before = oracle.payments.length;
    const beganAt = timeline.now();
    for (const integration of settings.integrations) {
      await syncOnce(host, integration, false);
      // Follows the advice in the run's message.
      const { report } = ended.at(-1) ?? {};
      if (report?.reason?.code !== 'store_does_not_know_crm') continue;
      say('a person', `has the contacts of ${integration.id} taken over`);
      await syncOnce(host, integration, false, null, true);
    }
    await store.mirror();
    const [waiting] = store.rows(
      `select count(*) as count from contacts where state in ('due', 'submitted', 'ready')
        or (state = 'settled' and (outcome_reason in ('job_vanished', 'job_too_old') or last_credit = 'outdated'))`,
    );
    const [underWay] = store.rows(
      "select count(*) as count from contacts where state in ('submitted', 'ready')",
    );
    // If a budget allows only a few submissions per run, contacts of the last round may still wait for their jobs.
    isMoreToCome = oracle.payments.length > before && underWay?.['count'] !== 0;
    // If a delivery reveals an opt-out, the contact's networks change with the next run.
    const isDone =
      oracle.payments.length === before && waiting?.['count'] === 0 && isAllShown(night, beganAt);
    if (isDone && (round > 0 || !swarm.networks)) return;
  }
}

/**
 * Returns false if a delayed search still misses some changes. A write can hide users' earlier changes to the record.
 */
function isAllShown({ swarm, crms }: Night, searchedAt: number): boolean {
  const { lagMs } = swarm.people;
  if (lagMs === 0) return true;
  const records = [...crms.values()].flatMap((crm) => [...crm.records.values()]);
  return records.every(({ changedAt }) => changedAt <= searchedAt - lagMs);
}
