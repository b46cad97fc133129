/**
 * Whether a request without a known answer has cost credits: the balance says it, after a quiet
 * time and by two equal readings. All of it is free.
 */
import type { Bucket } from '../partner/buckets.ts';
import type { Run, Sightings, SyncDeps } from '../run/context.ts';
import type { Lease } from '../store/engine/leases.ts';

/** A request that may have been charged. */
export interface OpenRequest {
  /** Of the submission or bulk add. */
  id: string;
  /** The bucket it takes its credits from, and what was in there before. */
  bucket: Bucket;
  balanceBefore: number;
  /** How many credits it costs at most. */
  items: number;
}

/** What the balance says of a lost answer. */
export type Loss =
  | { charged: 0 }
  /** So many credits are gone, or it cannot be proved that they are not. */
  | { charged: number; why: string };

type LossDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'sightings'>;
type LossRun = Pick<Run, 'integration' | 'lease' | 'control'>;

/**
 * Waits for the quiet time (`settleAfterMs`) and reads the balance. `lease` is that of the
 * integration the request belongs to, which may be another than the run's. `stopped` if the run
 * stops meanwhile: nothing is known then.
 *
 * The quiet time begins when this process first looks at the request with that lease in hand. From
 * then on no other process can send it any more, and how long ago it was sent is not asked: the
 * clock that would tell belongs to another process, may be wrong, or may have been set since.
 */
export async function findLoss(
  deps: LossDeps,
  run: LossRun,
  request: OpenRequest,
  lease: Lease,
): Promise<{ loss: Loss; balance: number } | 'stopped'> {
  const { clock, sightings } = deps;
  const { id, bucket, balanceBefore, items } = request;
  const seenMs = sightings.firstSeenMs(id, clock.monotonicMs());
  const meanwhile = await watchUntil(
    deps,
    run,
    bucket,
    lease,
    seenMs + run.integration.settleAfterMs,
  );
  const balance = await readTwice(deps, run, bucket, lease);
  if (balance === 'stopped') return balance;
  sightings.forget(id);
  if (balance === 'restless') {
    const loss = { charged: items, why: 'the balance did not come to rest' };
    return { loss, balance: balanceBefore - items };
  }
  return { loss: judgeLoss({ balanceBefore, items }, balance, meanwhile), balance };
}

/**
 * Compares the balance before a lost request with the one after the quiet time and with those seen
 * `meanwhile`: a bucket that was charged and then topped up by as much shows the old balance.
 */
export function judgeLoss(
  request: Pick<OpenRequest, 'balanceBefore' | 'items'>,
  balance: number,
  meanwhile: readonly number[] = [],
): Loss {
  const gone = request.balanceBefore - Math.min(balance, ...meanwhile);
  if (gone === 0 && meanwhile.every((seen) => seen === balance)) return { charged: 0 };
  if (gone > 0 && gone <= request.items) {
    return { charged: gone, why: `${gone} credits left the bucket, and no answer came back` };
  }
  return {
    charged: request.items,
    why: 'the balance changed by something else meanwhile, so that nothing can be proved',
  };
}

/** In the quiet time the balance is looked at this often, and a lease taken for it is renewed. */
const WATCH_MS = 10_000;

/** Sleeps until a moment of the monotonic clock; resolves with the balances seen on the way. */
async function watchUntil(
  { clock, store, partner }: LossDeps,
  run: LossRun,
  bucket: Bucket,
  lease: Lease,
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
    // The run's own lease is renewed by the run.
    if (lease !== run.lease) await store.leases.renew(lease);
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
  lease: Lease,
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
    if (lease !== run.lease) await store.leases.renew(lease);
  }
  return 'restless';
}

/** Requests that others have settled are never forgotten by name: the oldest make room. */
const MAX_REMEMBERED = 1_000;

export function createSightings(): Sightings {
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
