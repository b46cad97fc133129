/**
 * Gets profiles that are already paid for. Paid profiles come from the database or from the service, which returns a
 * job's results again for free.
 */
import { isFatalError } from '../../core/errors.ts';
import { inParallel, splitIntoBatches } from '../../core/parallel.ts';
import type { Profile } from '../../core/profile.ts';
import { decryptProfile } from '../../fields/kept-profile.ts';
import type { KeptOfContact } from '../../fields/statements/kept-profiles.ts';
import { type JobResult, MAX_JOBS_PER_RESULTS } from '../../partner/results.ts';
import type { SyncDeps } from '../control/context.ts';
import { isTooYoungToVanish } from '../poll.ts';

/** The number of simultaneous requests for results. More requests would only use more memory. */
const RESULTS_AT_ONCE = 4;

/** Fetches the results of these jobs by job ID, ten per request. Costs no credits. */
export async function fetchResults(
  { partner }: Pick<SyncDeps, 'partner'>,
  jobs: readonly { jobId: string }[],
  signal?: AbortSignal,
): Promise<Map<string, JobResult>> {
  const jobIds = jobs.map(({ jobId }) => jobId);
  const requests = splitIntoBatches(jobIds, MAX_JOBS_PER_RESULTS);
  const results = await inParallel(requests, RESULTS_AT_ONCE, (ids) =>
    partner.readResults(ids, signal),
  );
  return new Map(results.flatMap((result) => [...result]));
}

/** The jobs' profiles by CRM ID, and the contacts whose profile would cost a second credit now. */
export interface FoundProfiles {
  profiles: Map<string, Profile>;
  gone: string[];
}

/** Fetches the profiles of jobs that were delivered before, if the service still has their results. */
export async function fetchDelivered(
  deps: Pick<SyncDeps, 'partner' | 'clock'>,
  jobs: readonly { crmId: string; jobId: string; submittedAt: number }[],
  signal?: AbortSignal,
): Promise<FoundProfiles> {
  const found: FoundProfiles = { profiles: new Map(), gone: [] };
  if (jobs.length === 0) return found;
  const results = await fetchResults(deps, jobs, signal);
  for (const { crmId, jobId, submittedAt } of jobs) {
    const result = results.get(jobId);
    if (result?.state === 'completed') found.profiles.set(crmId, result.profile);
    const isDenied = result?.state === 'vanished' || result?.state === 'failed';
    if (isDenied && !isTooYoungToVanish(submittedAt, deps.clock.now())) found.gone.push(crmId);
  }
  return found;
}

/**
 * Decrypts the stored profiles. If a contact has no stored profile, fetches its result from the service, as long as the
 * service still has the result. Costs no credits.
 */
export async function openProfiles(
  deps: Pick<SyncDeps, 'partner' | 'clock' | 'sealer' | 'log'>,
  kept: readonly KeptOfContact[],
  signal?: AbortSignal,
): Promise<FoundProfiles> {
  const isKept = ({ kept: { profile } }: KeptOfContact) => profile !== '';
  const jobs = kept.flatMap((each) =>
    isKept(each) || each.job.jobId === null
      ? []
      : [{ ...each.job, crmId: each.kept.crmId, jobId: each.job.jobId }],
  );
  const found = await fetchDelivered(deps, jobs, signal);
  for (const each of kept.filter(isKept)) {
    try {
      found.profiles.set(each.kept.crmId, decryptProfile(deps, each.kept));
    } catch (error) {
      // If someone has changed a row in the database, only this contact is affected.
      if (!isFatalError(error)) throw error;
      deps.log.warn({ code: error.code }, 'a kept profile cannot be opened');
    }
  }
  return found;
}
