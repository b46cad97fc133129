/**
 * One protocol for all that costs credits. What is to be paid for is on disk as intended before its request
 * leaves; lease and clock are confirmed right before that; the answer is on disk before anything else is
 * done; an answer that was lost is settled by a proof that each kind brings along, and until then nothing
 * else of the same key is sent.
 */
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import { CreditsExhausted, chargedBy } from '../partner/errors.ts';
import type { MayLeave } from '../partner/request.ts';
import type { Run, SyncDeps } from '../run/context.ts';
import type { Lease } from '../store/engine/leases.ts';
import { ClockWrong, confirmLease } from './confirm.ts';

/** Requests in a row that may fail for passing reasons before the run stops spending. */
const MAX_FAILURES_IN_ROW = 5;

/** The wait after the first failure; each further one waits twice as long. */
const FAILURE_WAIT_MS = 1_000;

/** Requests in a row of which the service may process no item before the run stops spending. */
const MAX_EMPTY_IN_ROW = 3;

/** How often the open request of another living run is looked at. */
const OTHER_RUN_WAIT_MS = 250;

/** For so long beyond its quiet time the same one is waited for. */
const OTHER_RUN_PATIENCE_MS = 10 * 60_000;

/** How one attempt to spend ended; after `over` no other makes sense in this run. */
export type Attempt = 'progress' | 'nothing_processed' | 'failed' | 'over';

/** A request on disk that waits for its answer, and whose it is. */
export interface Unanswered {
  id: string;
  integrationId: string;
}

/** How lost answers of one kind are settled. */
export interface Proof<Open extends Unanswered> {
  /** The request of the run's key that waits for its answer; there is at most one. */
  findOpen(): Promise<Open | undefined>;
  /** Settles it under the lease of its integration; leaves it as it is if the run stops meanwhile. */
  prove(open: Open, lease: Lease): Promise<void>;
}

/** One request and what is noted of it, always on disk. */
export interface Payment<Intent extends { id: string }, Answer> {
  /** Sends it; `mayLeave` is asked right before each try. */
  send(intent: Intent, mayLeave: MayLeave): Promise<Answer>;
  accept(intent: Intent, answer: Answer): Promise<Attempt>;
  /** No answer came: it may have been charged. */
  lose(intent: Intent, error: unknown): Promise<Attempt>;
  /** It was refused and charged nothing. Null leaves what comes of it to the protocol. */
  refuse(intent: Intent, error: unknown): Promise<Attempt | null>;
  /** Why the run stops spending, in words; what the service says unless given. */
  explain?(message: string): string;
}

/** A kind of spending. */
export interface Kind<Intent extends { id: string }, Answer, Open extends Unanswered>
  extends Proof<Open>,
    Payment<Intent, Answer> {
  /** What is sent, in the plural, for the report. */
  what: string;
  /** Puts the next request on disk as intended; an attempt if nothing is to be sent now. */
  intend(): Promise<Intent | Attempt>;
}

type SpendDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log' | 'takeLease'>;
type SpendRun = Pick<Run, 'id' | 'lease' | 'integration' | 'control'>;

/** Spends, one request at a time, until there is nothing more to spend on, or the run stops. */
export async function spend<Intent extends { id: string }, Answer, Open extends Unanswered>(
  deps: SpendDeps,
  run: SpendRun,
  kind: Kind<Intent, Answer, Open>,
): Promise<void> {
  let failures = 0;
  let empty = 0;
  while (await settleOpen(deps, run, kind)) {
    const intent = await kind.intend();
    const attempt = typeof intent === 'string' ? intent : await spendOnce(deps, run, kind, intent);
    if (attempt === 'over') return;
    failures = attempt === 'failed' ? failures + 1 : 0;
    empty = attempt === 'nothing_processed' ? empty + 1 : 0;
    if (failures === MAX_FAILURES_IN_ROW || empty === MAX_EMPTY_IN_ROW) {
      run.control.stopSpending(
        'partner_unavailable',
        `The Partner Data Service processed none of ${failures || empty} ${kind.what} in a row. The next run tries again.`,
      );
      return;
    }
    if (failures > 0) {
      await deps.clock.sleep(FAILURE_WAIT_MS * 2 ** (failures - 1), run.control.stopping);
    }
  }
}

/** Sends what is on disk as intended, and puts on disk how it went. */
export async function spendOnce<Intent extends { id: string }, Answer>(
  deps: Omit<SpendDeps, 'takeLease'>,
  run: SpendRun,
  kind: Payment<Intent, Answer>,
  intent: Intent,
): Promise<Attempt> {
  let answer: Answer;
  try {
    answer = await kind.send(intent, () => confirmLease(deps, run));
  } catch (error) {
    const facts = { run: run.id, request: intent.id };
    if (chargedBy(error) === 'unknown') {
      deps.log.warn(facts, messageOf(error));
      return kind.lose(intent, error);
    }
    const attempt = await kind.refuse(intent, error);
    if (attempt !== null) return attempt;
    if (run.control.ending.aborted) return 'over';
    // What found the clock wrong has ended the spending.
    if (error instanceof ClockWrong) return 'over';
    if (error instanceof CreditsExhausted) {
      const { message } = error;
      run.control.stopSpending('credits_exhausted', kind.explain?.(message) ?? message);
      return 'over';
    }
    if (isDonorSyncError(error) && error.kind === 'retriable') {
      deps.log.warn(facts, error.message);
      return 'failed';
    }
    throw error;
  }
  // Outside the `try`: should this fail, the intent stays open and is settled like a lost answer.
  return kind.accept(intent, answer);
}

/**
 * Settles what waits for its answer; resolves with false if nothing may be sent: the run stops, or a
 * request of another living run does not come to its end.
 */
export async function settleOpen<Open extends Unanswered>(
  deps: Pick<SpendDeps, 'store' | 'clock' | 'log' | 'takeLease'>,
  run: SpendRun,
  { findOpen, prove }: Proof<Open>,
): Promise<boolean> {
  const { clock, log, store } = deps;
  let waited = { id: '', sinceMs: 0 };
  while (!run.control.stopping.aborted) {
    const open = await findOpen();
    if (!open) return true;
    if (open.id !== waited.id) waited = { id: open.id, sinceMs: clock.monotonicMs() };
    const lease = await leaseOf(deps, run, open);
    if (lease === null) {
      const patienceMs = run.integration.settleAfterMs + OTHER_RUN_PATIENCE_MS;
      if (clock.monotonicMs() - waited.sinceMs > patienceMs) {
        log.warn({ run: run.id, request: open.id }, 'another run does not settle its lost answer');
        return false;
      }
      await clock.sleep(OTHER_RUN_WAIT_MS, run.control.stopping);
      continue;
    }
    try {
      // Before the lease was ours, the other integration's run may have settled it by itself.
      const still = lease === run.lease ? open : await findOpen();
      if (still?.id === open.id) await prove(still, lease);
    } finally {
      if (lease !== run.lease) await store.leases.release(lease);
    }
  }
  return false;
}

/** The lease of the integration that a request belongs to; null while a living process has it. */
async function leaseOf(
  { takeLease }: Pick<SpendDeps, 'takeLease'>,
  { integration, lease }: SpendRun,
  { integrationId }: Unanswered,
): Promise<Lease | null> {
  if (integrationId === integration.id) return lease;
  const attempt = await takeLease(integrationId);
  return attempt.acquired ? attempt.lease : null;
}
