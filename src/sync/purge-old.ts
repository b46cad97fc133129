import { messageOf } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import { LEFT_FOR_DAYS, longestProfileDays, profileDays } from '../core/retention.ts';
import { addUpClosedJobs } from '../credits/statements/closed-jobs.ts';
import { pruneJournal } from '../credits/statements/journal/prune-journal.ts';
import { purgeRecalled } from '../credits/statements/recalled-payments.ts';
import {
  hasOldProfiles,
  listClientsWithProfiles,
  type PurgedProfiles,
  type PurgeLimits,
  purgeKeptProfiles,
  purgeKeptProfilesUnattended,
} from '../fields/statements/profile-purges.ts';
import { purgeAudit } from '../privacy/audit/purge-audit.ts';
import { endRemovedContacts } from '../privacy/statements/end-removed.ts';
import { purgeExpired } from '../privacy/statements/retention.ts';
import type { Run, RunDeps } from './control/context.ts';
import { KEPT_AFTER_OPT_OUT_DAYS, OPT_OUT_WINDOW_MS } from './guards/opt-outs.ts';

const DAY_MS = 86_400_000;

/**
 * Deletes data whose retention period has ended. The log and the audit record what was deleted. Called at the end of a
 * complete and successful run that has compared its clock with the service's clock. The run may have spent less than
 * intended.
 */
export async function purgeOld(
  { store, clock, log, retention }: Pick<RunDeps, 'store' | 'clock' | 'log' | 'retention'>,
  { lease, integration }: Pick<Run, 'lease' | 'integration'>,
): Promise<void> {
  const purged = await purgeExpired(store, lease, retention);
  const journaledBefore = clock.now() - longestProfileDays(integration) * DAY_MS;
  await store.checkpoint(lease, (trx) => purgeRecalled(trx, integration.id, journaledBefore));
  try {
    await pruneJournal(store, integration.id, journaledBefore);
  } catch (error) {
    log.warn({ error: messageOf(error) }, 'old lines of the spending journal cannot be removed');
  }
  const ended = await endRecords({ store, clock, retention }, { lease, integration });
  const { audit: days = null } = retention;
  const audit =
    days === null ? 0 : await store.act((trx) => purgeAudit(trx, clock.now() - days * DAY_MS));
  const counts = { ...purged, ...ended, audit };
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (rows === 0) return;
  log.info({ integration: lease.integrationId, ...counts }, 'old records were purged');
}

/**
 * Ends the records of contacts that left, and of jobs, if a profile that was bought at that time would be due for a
 * refresh anyway. If profiles are never refreshed, a contact that returns must never be paid for again, so nothing
 * ends.
 */
async function endRecords(
  { store, clock, retention }: Pick<RunDeps, 'store' | 'clock' | 'retention'>,
  { lease, integration }: Pick<Run, 'lease' | 'integration'>,
): Promise<{ endedContacts: number; closedJobs: number }> {
  if (integration.refresh.afterDays === null) return { endedContacts: 0, closedJobs: 0 };
  const now = clock.now();
  const paidBefore = now - longestProfileDays(integration) * DAY_MS;
  const leftForDays = Math.max(LEFT_FOR_DAYS, retention.removedContacts ?? 0);
  const leftBefore = now - leftForDays * DAY_MS;
  const endedContacts = await endRemovedContacts(store, lease, { paidBefore, leftBefore });
  return { endedContacts, closedJobs: await addUpClosedJobs(store, lease, paidBefore) };
}

type PurgeDeps = Pick<RunDeps, 'store' | 'clock' | 'log' | 'retention'>;

/**
 * Deletes profiles and their keys if the profiles are too old to be delivered, or if the contact objected or opted out
 * long enough ago. Called at the end of each run, whatever its result. If `byAge` is false, the clock may be wrong, so
 * no profile counts as too old.
 */
export async function purgeProfiles(
  deps: PurgeDeps,
  { lease, integration }: Pick<Run, 'lease' | 'integration'>,
  byAge: boolean,
): Promise<void> {
  const limits = { ...purgeLimits(deps, integration), ...(!byAge && NOT_BY_AGE) };
  report(deps, lease.integrationId, await purgeKeptProfiles(deps.store, lease, limits));
}

/**
 * Deletes expired profiles for every client, even for clients that are not synced. Therefore, a paused schedule or an
 * unavailable CRM does not prolong the retention. For clients that are no longer in the settings, uses the default
 * settings. For clients in `unreadable`, the retention is unknown, so none of their profiles is deleted because of its
 * age. `isClockRight` is called at most once, before the first profile is deleted because of its age.
 */
export async function purgeAllProfiles(
  deps: PurgeDeps,
  {
    integrations,
    unreadable,
  }: {
    integrations: ReadonlyMap<string, Pick<Integration, 'refresh' | 'retention'>>;
    unreadable: ReadonlyMap<string, unknown>;
  },
  isClockRight: () => Promise<boolean>,
): Promise<void> {
  let byAge: boolean | null = null;
  for (const id of await listClientsWithProfiles(deps.store.reader)) {
    const limits = purgeLimits(deps, integrations.get(id) ?? DEFAULT_CLIENT);
    const isKnown = !unreadable.has(id);
    if (isKnown && (await hasOldProfiles(deps.store.reader, id, limits.paidBefore))) {
      byAge ??= await isClockRight();
    }
    const own = { ...limits, ...((!isKnown || byAge === false) && NOT_BY_AGE) };
    report(deps, id, await purgeKeptProfilesUnattended(deps.store, id, own));
  }
}

const NOT_BY_AGE = { paidBefore: null };

const DEFAULT_CLIENT = integrationSchema.pick({ refresh: true, retention: true }).parse({});

/** Returns the times before which profiles and rows are deleted. Apart from the clock, the function is pure. */
function purgeLimits(
  { clock, retention }: Pick<PurgeDeps, 'clock' | 'retention'>,
  integration: Pick<Integration, 'refresh' | 'retention'>,
): PurgeLimits & { paidBefore: number } {
  const now = clock.now();
  const days = profileDays(integration, retention);
  // If the client keeps no profiles, the rows still show which values are waiting.
  const rowDays = days === 0 ? longestProfileDays(integration) : days;
  return {
    paidBefore: now - rowDays * DAY_MS,
    optedOutBefore: now - KEPT_AFTER_OPT_OUT_DAYS * DAY_MS,
    countedSince: now - OPT_OUT_WINDOW_MS,
    keepsAny: days > 0,
  };
}

function report(
  { log }: Pick<PurgeDeps, 'log'>,
  integration: string,
  purged: PurgedProfiles,
): void {
  if (Object.values(purged).every((count) => count === 0)) return;
  log.info({ integration, ...purged }, 'profiles were deleted');
}
