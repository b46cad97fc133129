import type { RunDeps } from '../run/context.ts';
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
