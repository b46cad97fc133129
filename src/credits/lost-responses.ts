/**
 * Finds out whether requests without a known response have cost credits. The balance shows this if two successive
 * readings after a quiet time agree. This costs no credits.
 */

import type { Lease } from '../database/leases.ts';
import type { Bucket } from '../partner/buckets.ts';
import type { Observations, Run, SyncDeps } from '../sync/control/context.ts';
import { type Glance, judgeLosses, type Loss } from './judge-lost-responses.ts';

/** The requests of one key that may have been charged. These are all of its open requests. */
export interface LostRequests {
  /** The bucket from which they are paid. */
  bucket: Bucket;
  /** The bucket's last reading while nothing was open, minus the cost of requests that were answered since. */
  before: number;
  /** The readings before all other requests were answered. */
  glances?: readonly Glance[];
  /** Each request's ID and size. The size is the most that the request can cost. */
  requests: readonly { id: string; items: number }[];
}

type LossDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings'>;
type LossRun = Pick<Run, 'integration' | 'lease' | 'control'>;

/**
 * Waits for the quiet time (`settleAfterMs`) and reads the balance. `leases` are the leases of the requests'
 * integrations, which can differ from the run's integration. Returns `stopped` if the run stops in the meantime, in
 * which case nothing is known.
 *
 * The quiet time starts when this process has the lease and first sees the last of the requests. From then on, no other
 * process can send the request. The recorded time of sending is not used, because another process's clock may be wrong
 * or may have been set since.
 */
export async function findLosses(
  deps: LossDeps,
  run: LossRun,
  { bucket, before, glances = [], requests }: LostRequests,
  leases: readonly Lease[],
): Promise<{ losses: Loss[]; balance: number } | 'stopped'> {
  const { clock, sightings } = deps;
  const seenMs = requests.map(({ id }) => sightings.firstSeenMs(id, clock.monotonicMs()));
  const quietMs = Math.max(...seenMs) + run.integration.settleAfterMs;
  const meanwhile = await watchUntil(deps, run, bucket, leases, quietMs);
  const balance = await readTwice(deps, run, bucket, leases);
  if (balance === 'stopped') return balance;
  for (const { id } of requests) sightings.forget(id);
  const items = requests.map((request) => request.items);
  if (balance === 'restless') {
    const losses = items.map((charged) => ({ charged, why: 'the balance did not settle' }));
    return { losses, balance: before - items.reduce((sum, each) => sum + each, 0) };
  }
  return { losses: judgeLosses(items, { before, meanwhile, glances, balance }), balance };
}

/** How often the balance is read during the quiet time. The leases that were taken for it are renewed just as often. */
const WATCH_MS = 10_000;

/** Sleeps until a time of the monotonic clock. Resolves with the balances that were read in the meantime. */
async function watchUntil(
  { clock, store, partner }: LossDeps,
  run: LossRun,
  bucket: Bucket,
  leases: readonly Lease[],
  untilMs: number,
): Promise<number[]> {
  const seen: number[] = [];
  while (!run.control.stopping.aborted) {
    const leftMs = untilMs - clock.monotonicMs();
    if (leftMs <= 0) break;
    // If the service is unavailable now, it has until the end of the quiet time.
    const credits = await partner.readCredits(run.control.stopping).catch(() => null);
    if (credits) seen.push(credits[bucket]);
    await clock.sleep(Math.min(leftMs, WATCH_MS), run.control.stopping);
    await renewOthers(store, run, leases);
  }
  return seen;
}

/** How often the balance is read before the loss counts as unprovable. */
const MAX_READINGS = 10;

/** The pause between two readings, as a fraction of the quiet time. It stays within these bounds. */
const READING_GAP_PART = 0.1;
const MIN_READING_GAP_MS = 50;
const MAX_READING_GAP_MS = 5_000;

/** Reads the balance until two successive readings agree. */
async function readTwice(
  { partner, clock, store }: LossDeps,
  run: LossRun,
  bucket: Bucket,
  leases: readonly Lease[],
): Promise<number | 'stopped' | 'restless'> {
  const gap = Math.min(
    MAX_READING_GAP_MS,
    Math.max(MIN_READING_GAP_MS, run.integration.settleAfterMs * READING_GAP_PART),
  );
  let before: number | null = null;
  for (let reading = 0; reading < MAX_READINGS; reading++) {
    if (run.control.stopping.aborted) return 'stopped';
    const balance = (await partner.readCredits(run.control.ending))[bucket];
    if (balance === before) return balance;
    before = balance;
    await clock.sleep(gap, run.control.stopping);
    await renewOthers(store, run, leases);
  }
  return 'restless';
}

/** Renews the other leases. The run renews its own lease. */
async function renewOthers(
  store: LossDeps['store'],
  run: LossRun,
  leases: readonly Lease[],
): Promise<void> {
  for (const lease of leases) if (lease !== run.lease) await store.leases.renew(lease);
}

/**
 * Requests that other processes have settled are not removed by ID. So if there are more than this, the oldest ones are
 * removed.
 */
const MAX_REMEMBERED = 1_000;

export function createObservations(): Observations {
  const moments = new Map<string, number>();
  return {
    firstSeenMs(id, nowMs) {
      const seen = moments.get(id);
      if (seen !== undefined) return seen;
      const [oldest] = moments.keys();
      if (oldest !== undefined && moments.size >= MAX_REMEMBERED) moments.delete(oldest);
      moments.set(id, nowMs);
      return nowMs;
    },
    forget(id) {
      moments.delete(id);
    },
  };
}
