import { isoTime } from '../core/clock.ts';
import { isRunning, type Owner, ownerIsGone } from '../core/owner.ts';
import type { Store } from '../store/store.ts';

/** Who is at work on an integration at this moment. */
export interface Running {
  /** `HOST/PROCESS ID/START`. */
  owner: string;
  /** When the run began, ISO 8601; null if it is no run, or has not begun one yet. */
  since: string | null;
  /** The id of the run; null likewise. */
  run: string | null;
}

/** Who holds the lease of an integration, if they still live; `owner` is this process. */
export async function findRunning(
  { owner: self }: { owner: Owner },
  { leases, runs }: Pick<Store, 'leases' | 'runs'>,
  integrationId: string,
): Promise<Running | null> {
  const holder = await leases.holder(integrationId);
  if (!holder || ownerIsGone(holder.owner, self, isRunning)) return null;
  const begun = await runs.list({ integrationId, status: 'running', limit: 1 });
  // A run that was cut off is still called running while a user undoes an older one.
  const run = begun.find(({ epoch }) => epoch === holder.epoch);
  return {
    owner: holder.owner,
    since: run ? isoTime(run.startedAt) : null,
    run: run?.id ?? null,
  };
}
