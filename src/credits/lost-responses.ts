/**
 * Finds out whether requests with a lost response have cost credits. After a waiting time, two equal readings of the
 * balance show this. Reading the balance costs no credits.
 */

import type { Lease } from '../database/leases.ts';
import type { Bucket } from '../partner/buckets.ts';
import type { Observations, Run, SyncDeps } from '../sync/control/context.ts';
import { type Glance, judgeLosses, type Loss } from './judge-lost-responses.ts';

/** All open requests of a key. The service may have charged any of them. */
export interface LostRequests {
  /** The bucket that pays for the requests. */
  bucket: Bucket;
  /** The last reading without open requests, minus costs that became known later. */
  before: number;
  /** The readings from the time before all other requests were answered. */
  glances?: readonly Glance[];
  /** The ID and the size of each request. The size is the maximum cost of the request. */
  requests: readonly { id: string; items: number }[];
}

type LossDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings'>;
type LossRun = Pick<Run, 'integration' | 'lease' | 'control'>;

/**
 * Waits for a quiet time (`settleAfterMs`) and reads the balance. `leases` are the leases of the requests'
 * integrations, which may be other integrations than the run's. Returns `stopped` without a result if the run stops
 * first.
 *
 * The quiet time starts once this process has the lease and knows all requests. From then on, no other process can send
 * a request. The recorded send time is not used, because the other process's clock may be wrong.
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

/** The interval between balance readings during the quiet time. The leases are renewed at the same interval. */
const WATCH_MS = 10_000;

/** Waits until a monotonic time, and reads the balance at intervals. */
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
    // If the service is unavailable now, it must respond before the quiet time ends.
    const credits = await partner.readCredits(run.control.stopping).catch(() => null);
    if (credits) seen.push(credits[bucket]);
    await clock.sleep(Math.min(leftMs, WATCH_MS), run.control.stopping);
    await renewOthers(store, run, leases);
  }
  return seen;
}

/** The maximum number of readings. If the last reading proves nothing, the result counts as unprovable. */
const MAX_READINGS = 10;

/** The pause between readings, as a fraction of the quiet time and within these limits. */
const READING_GAP_PART = 0.1;
const MIN_READING_GAP_MS = 50;
const MAX_READING_GAP_MS = 5_000;

/** Reads the balance until two successive readings are equal. */
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

/**
 * Renews the leases of other integrations. The leases of other integrations do not include the run's own lease, which
 * the run renews itself.
 */
async function renewOthers(
  store: LossDeps['store'],
  run: LossRun,
  leases: readonly Lease[],
): Promise<void> {
  for (const lease of leases) if (lease !== run.lease) await store.leases.renew(lease);
}

/** The maximum number of remembered requests. Requests that other processes have finished are never removed by ID. */
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
