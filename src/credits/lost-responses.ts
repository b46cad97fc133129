/**
 * Whether requests without a known answer have cost credits: the balance says it, after a quiet
 * time and by two equal readings. All of it is free.
 */

import type { Lease } from '../database/leases.ts';
import type { Bucket } from '../partner/buckets.ts';
import type { Observations, Run, SyncDeps } from '../sync/control/context.ts';
import { type Glance, judgeLosses, type Loss } from './judge-lost-responses.ts';

/** Requests of one key that may have been charged: all of it that is open. */
export interface LostRequests {
  /** The bucket they take their credits from. */
  bucket: Bucket;
  /** Its last reading with nothing open, less what was charged since by requests that were answered. */
  before: number;
  /** What it was seen to hold before all else had come back. */
  glances?: readonly Glance[];
  /** Id and size of each; it costs at most so many credits. */
  requests: readonly { id: string; items: number }[];
}

type LossDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings'>;
type LossRun = Pick<Run, 'integration' | 'lease' | 'control'>;

/**
 * Waits for the quiet time (`settleAfterMs`) and reads the balance. `leases` are those of the
 * integrations the requests belong to, which may be others than the run's. `stopped` if the run
 * stops meanwhile: nothing is known then.
 *
 * The quiet time begins when this process first looks at the last of the requests with that lease in
 * hand. From then on no other process can send it any more, and how long ago it was sent is not asked:
 * the clock that would tell belongs to another process, may be wrong, or may have been set since.
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
    const losses = items.map((charged) => ({ charged, why: 'the balance did not come to rest' }));
    return { losses, balance: before - items.reduce((sum, each) => sum + each, 0) };
  }
  return { losses: judgeLosses(items, { before, meanwhile, glances, balance }), balance };
}

/** In the quiet time the balance is looked at this often, and a lease taken for it is renewed. */
const WATCH_MS = 10_000;

/** Sleeps until a moment of the monotonic clock; resolves with the balances seen on the way. */
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
    // A service that is away now has until the end of the quiet time to come back.
    const credits = await partner.readCredits(run.control.stopping).catch(() => null);
    if (credits) seen.push(credits[bucket]);
    await clock.sleep(Math.min(leftMs, WATCH_MS), run.control.stopping);
    await renewOthers(store, run, leases);
  }
  return seen;
}

/** How often the balance is read before it counts as not provable. */
const MAX_READINGS = 10;

/** The pause between two readings is this part of the quiet time, within these bounds. */
const READING_GAP_PART = 0.1;
const MIN_READING_GAP_MS = 50;
const MAX_READING_GAP_MS = 5_000;

/** Reads the balance until two readings in a row agree. */
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

/** The run's own lease is renewed by the run. */
async function renewOthers(
  store: LossDeps['store'],
  run: LossRun,
  leases: readonly Lease[],
): Promise<void> {
  for (const lease of leases) if (lease !== run.lease) await store.leases.renew(lease);
}

/** Requests that others have settled are never forgotten by name: the oldest make room. */
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
