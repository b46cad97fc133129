/**
 * Handles a service key that is replaced while jobs are running. A new key of the same team can access the jobs. A key
 * of a different team cannot access the jobs, so the service reports them as unknown, although they are paid for and
 * have results. A user has to decide about these jobs, unless the settings contain the former key again.
 */
import {
  holdUnseen,
  listUnseen,
  resumeSeen,
} from '../../contacts/many-at-once/paid-since-backup.ts';
import type { LostJob } from '../../credits/statements/jobs.ts';
import {
  listOfOtherKeys,
  listSeenAgain,
  reopenJobs,
} from '../../credits/statements/unseen-jobs.ts';
import type { RunTransaction } from '../../database/leases.ts';
import type { Run, SyncDeps } from '../control/context.ts';
import { sharingRules } from '../sharing.ts';

/**
 * Holds the contacts of vanished jobs that a different key paid for, because a user has to decide about them. Resolves
 * with the number of vanished jobs.
 */
export async function holdOfFormerKeys(
  trx: RunTransaction,
  { newId }: Pick<SyncDeps, 'newId'>,
  run: Pick<Run, 'id' | 'partnerKey'>,
  vanished: readonly LostJob[],
): Promise<number> {
  const unseen = await listOfOtherKeys(trx, vanished, run.partnerKey);
  await holdUnseen(trx, { runId: run.id, newId }, 'former_key', unseen);
  return unseen.length;
}

/** Polls the jobs of a key that is in use again. The key that was in use in between could not access these jobs. */
export async function pollSeenAgain(
  { store, clock, log }: Pick<SyncDeps, 'store' | 'clock' | 'log'>,
  run: Pick<Run, 'id' | 'integration' | 'lease' | 'partnerKey'>,
): Promise<void> {
  const waiting = await listUnseen(store.reader, run.integration.id);
  if (waiting.length === 0) return;
  const { since } = sharingRules({ clock }, run);
  const seen = await listSeenAgain(store.reader, waiting, { partnerKey: run.partnerKey, since });
  if (seen.length === 0) return;
  await store.checkpoint(run.lease, async (trx) => {
    await reopenJobs(trx, await resumeSeen(trx, run.id, seen));
  });
  log.info({ run: run.id, contacts: seen.length }, 'the key that paid for these jobs is back');
}
