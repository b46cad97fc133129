import type { Integration } from '../core/integration.ts';
import type { Retention } from '../core/retention.ts';
import type { Run, RunDeps } from '../run/context.ts';
import type { Lease } from '../store/engine/leases.ts';

const DAY_MS = 86_400_000;

/**
 * The end of a whole run that went well, at most without spending all that it would, and whose clock has been compared with the service's: what was
 * kept for long enough goes, and the log and the audit say what that was.
 */
export async function purgeOld(
  { store, clock, log, retention }: Pick<RunDeps, 'store' | 'clock' | 'log' | 'retention'>,
  lease: Lease,
): Promise<void> {
  const purged = await store.retention.purge(lease, retention);
  const { audit: days = null } = retention;
  const audit = days === null ? 0 : await store.audit.purge(clock.now() - days * DAY_MS);
  const rows = Object.values({ ...purged, audit }).reduce((sum, count) => sum + count, 0);
  if (rows === 0) return;
  log.info({ integration: lease.integrationId, ...purged, audit }, 'old records were purged');
}

/** A profile is kept for so long beyond the age at which it is bought again: runs may fail for a while. */
const KEPT_BEYOND_REFRESH_DAYS = 60;
const KEPT_WITHOUT_REFRESH_DAYS = 730;

/** An opt-out mark that is wrong is mended within this time. */
const KEPT_AFTER_OPT_OUT_DAYS = 30;

/** More new marks than this are more likely a wrong opt-out field. */
const OPT_OUT_GUARD = { share: 0.1, atLeast: 25 };

/** For how many days a profile that was paid for is kept; the settings can only shorten that. Pure. */
export function keptProfileDays(
  { afterDays }: Pick<Integration['refresh'], 'afterDays'>,
  { profiles = null }: Pick<Retention, 'profiles'>,
): number {
  const days =
    afterDays === null ? KEPT_WITHOUT_REFRESH_DAYS : afterDays + KEPT_BEYOND_REFRESH_DAYS;
  return profiles === null || profiles === 0 ? days : Math.min(days, profiles);
}

/** The end of each run, however it ended: profiles that are too old to be delivered go with their keys. */
export async function purgeProfiles(
  { store, clock, log, retention }: Pick<RunDeps, 'store' | 'clock' | 'log' | 'retention'>,
  { lease, integration }: Pick<Run, 'lease' | 'integration'>,
): Promise<void> {
  const days = keptProfileDays(integration.refresh, retention);
  const profiles = await store.keptProfiles.purge(lease, clock.now() - days * DAY_MS);
  const optedOut = await store.keptProfiles.purgeOptedOut(lease, {
    before: clock.now() - KEPT_AFTER_OPT_OUT_DAYS * DAY_MS,
    guard: OPT_OUT_GUARD,
  });
  if (optedOut.guarded > 0) {
    const { guarded } = optedOut;
    log.warn(
      { integration: lease.integrationId, guarded },
      'many contacts opted out at once: their profiles are kept, and not delivered',
    );
  }
  if (profiles + optedOut.deleted === 0) return;
  log.info(
    { integration: lease.integrationId, profiles, optedOut: optedOut.deleted },
    'profiles were deleted',
  );
}
