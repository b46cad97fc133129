/**
 * The procedure for everything that costs credits. Before a request is sent, the database and the journal contain its
 * intent. Immediately before sending, the lease and the clock are confirmed. A payment is complete when its response is
 * saved on disk. If a response is lost, a proof must show whether the request was charged. Until this proof exists, no
 * other request with the same key is sent. The proof first waits for other requests in flight.
 */
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import type { Lease } from '../database/leases.ts';
import { CreditsExhausted, chargedBy } from '../partner/errors.ts';
import type { MayLeave } from '../partner/request.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { confirmLease, SpendingHeld } from './confirm.ts';
import {
  type JournaledEnd,
  type JournaledRequest,
  JournalUnwritable,
  noteEnd,
  noteIntended,
} from './note-spending.ts';

/** The number of temporary failures in a row after which the run stops spending. */
const MAX_FAILURES_IN_ROW = 5;

/** The delay after the first failure. The delay doubles with each further failure. */
const FAILURE_WAIT_MS = 1_000;

/** The number of requests without any processed item after which the run stops spending. */
const MAX_EMPTY_IN_ROW = 3;

/** The interval at which the run checks whether it may send a request. Other open requests can prevent sending. */
const LOOK_MS = 250;

/** The signal that ends this wait when a request has finished. */
const LANDED = 'a request has finished';

/** The time to wait for another run's request, in addition to the quiet time. */
const OTHER_RUN_PATIENCE_MS = 10 * 60_000;

/**
 * The result of one attempt to spend. `waited` means that there was nothing to send. `over` means that further attempts
 * in this run are useless.
 */
export type Attempt = 'progress' | 'waited' | 'nothing_processed' | 'failed' | 'over';

/** A recorded request without a response. */
export interface Unanswered {
  id: string;
  integrationId: string;
}

/** A request with a lost response, and the lease of its integration. */
export interface Lost<Open extends Unanswered> {
  open: Open;
  lease: Lease;
}

/** Finds out whether requests of one kind with lost responses were charged. */
export interface Proof<Open extends Unanswered> {
  /** Returns the requests of the key that have no response yet. */
  listOpen(): Promise<Open[]>;
  letsOthersPass(open: Open): boolean;
  /**
   * True if the request's result may be proved while its integration's run is in progress, because no process waits for
   * the response. Defaults to false.
   */
  isGivenUp?(open: Open): boolean;
  /** Records that no process waits for these responses. Other runs wait until the results are proved. */
  markLost?(lost: readonly Lost<Open>[]): Promise<void>;
  /**
   * Called while lost requests wait for other requests in flight. Finds the lost requests whose result can already be
   * proved.
   */
  watch?(): Promise<void>;
  /** Proves the results of lost requests. Changes nothing if the run stops. */
  prove(lost: readonly Lost<Open>[], givenUp: readonly Open[]): Promise<void>;
}

export interface Payment<Intent extends { id: string }, Answer> {
  /** Returns the journal line of a request, or null if the request is certainly free. */
  toJournal(intent: Intent): JournaledRequest | null;
  /** Returns the journal line of a response. */
  toJournaledEnd(answer: Answer, intent: Intent): JournaledEnd;
  /** Sends the request. `mayLeave` is called immediately before each attempt. */
  send(intent: Intent, mayLeave: MayLeave): Promise<Answer>;
  accept(intent: Intent, answer: Answer): Promise<Attempt>;
  /** Records that no response arrived. The request may have been charged. */
  lose(intent: Intent, error: unknown): Promise<Attempt>;
  /** Records a request that the service refused. It cost nothing. */
  refuse(intent: Intent, error: unknown): Promise<Attempt | null>;
  /** Returns the reason why spending stops. Defaults to the service's message. */
  explain?(message: string): string;
}

export interface Kind<Intent extends { id: string }, Answer, Open extends Unanswered>
  extends Proof<Open>,
    Payment<Intent, Answer> {
  /** A plural noun for the objects that are sent. The report contains this noun. */
  what: string;
  /**
   * Records the next request before it is sent. Returns an attempt if there is nothing to send. `later` means that
   * requests in flight must finish first. After `waited`, first checks for lost requests. If there are any, sends
   * nothing.
   */
  intend(isStillClear: () => Promise<boolean>): Promise<Intent | Attempt | 'later'>;
  /** The maximum number of this run's requests that are in flight at the same time. Defaults to one. */
  atOnce?(): number;
}

type SpendDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log' | 'takeLease'>;
type SettleDeps = Pick<SpendDeps, 'clock' | 'log' | 'takeLease'> & {
  store: { leases: Pick<SpendDeps['store']['leases'], 'release'> };
};
type SpendRun = Pick<Run, 'id' | 'lease' | 'integration' | 'control'>;

/** Spends credits until nothing is left to send or the run stops. */
export async function spend<Intent extends { id: string }, Answer, Open extends Unanswered>(
  deps: SpendDeps,
  run: SpendRun,
  kind: Kind<Intent, Answer, Open>,
): Promise<void> {
  const underWay = createUnderWay(deps, run, kind);
  try {
    await sendAll(deps, run, kind, underWay);
  } finally {
    await underWay.end();
  }
  if (underWay.failure !== null) throw underWay.failure.error;
  const open = underWay.lost.size > 0 ? await kind.listOpen() : [];
  if (open.some(({ id }) => underWay.lost.has(id))) await settleOpen(deps, run, kind);
}

const NOT_CLEAR = -1;

async function sendAll<Intent extends { id: string }, Answer, Open extends Unanswered>(
  deps: SpendDeps,
  run: SpendRun,
  kind: Kind<Intent, Answer, Open>,
  underWay: UnderWay<Intent>,
): Promise<void> {
  const { requests } = underWay;
  /**
   * The number of lost responses at the last check. After each new request, it is set to an impossible number, so that
   * the check is repeated.
   */
  let clearAt = NOT_CLEAR;
  while (!underWay.isOver) {
    const atOnce = underWay.failures > 0 ? 1 : (kind.atOnce?.() ?? 1);
    if (requests.size >= atOnce) {
      await underWay.landing();
      continue;
    }
    await underWay.pause();
    const lost = underWay.lost.size;
    const wasClear = clearAt === lost;
    const settle = () => settleOpen(deps, run, kind, requests);
    const way = wasClear ? 'clear' : await settle();
    if (way === 'stopped') return;
    const isFree = way === 'clear' && !underWay.isOver;
    const isStillClear = async () => !wasClear || (await settle()) === 'clear';
    const intent = isFree ? await kind.intend(isStillClear) : 'later';
    clearAt = intent === 'waited' ? lost : NOT_CLEAR;
    if (intent === 'later' || (intent === 'over' && requests.size > 0)) {
      // Finished requests may have made contacts due again, and further requests may now be possible.
      await underWay.landing();
    } else if (typeof intent === 'string') underWay.note(intent);
    else underWay.launch(intent);
  }
}

/** The run's requests in flight, and the results of finished requests. The requests and results are only in memory. */
interface UnderWay<Intent> {
  readonly requests: ReadonlyMap<string, Promise<void>>;
  readonly isOver: boolean;
  /** The error that ended the spending, if any. */
  readonly failure: { error: unknown } | null;
  /** The number of successive requests with a temporary failure. */
  readonly failures: number;
  /** The IDs of the requests whose responses were lost. */
  readonly lost: ReadonlySet<string>;
  launch(intent: Intent): void;
  note(attempt: Attempt): void;
  /**
   * Resolves when a request finishes. Also resolves after a while without a finished request, because a further request
   * may be possible.
   */
  landing(): Promise<void>;
  /** Waits after failures. The wait depends on the number of failures. */
  pause(): Promise<void>;
  /** Resolves when no request is in flight. */
  end(): Promise<void>;
}

function createUnderWay<Intent extends { id: string }, Answer, Open extends Unanswered>(
  deps: SpendDeps,
  run: SpendRun,
  kind: Kind<Intent, Answer, Open>,
): UnderWay<Intent> {
  const { clock } = deps;
  const requests = new Map<string, Promise<void>>();
  let failures = 0;
  let empty = 0;
  let pausedFor = 0;
  let isOver = false;
  const lost = new Set<string>();
  let failure: { error: unknown } | null = null;
  const noting = {
    ...kind,
    lose(intent: Intent, error: unknown) {
      lost.add(intent.id);
      return kind.lose(intent, error);
    },
  };

  return {
    requests,
    get isOver() {
      return isOver;
    },
    get failure() {
      return failure;
    },
    get failures() {
      return failures;
    },
    lost,
    launch(intent) {
      const sending = spendOnce(deps, run, noting, intent)
        .then(note, (error: unknown) => {
          isOver = true;
          failure ??= { error };
        })
        .finally(() => requests.delete(intent.id));
      requests.set(intent.id, sending);
    },
    note,
    async landing() {
      if (run.control.stopping.aborted) {
        await Promise.all(requests.values());
        return;
      }
      const nap = new AbortController();
      const signal = AbortSignal.any([nap.signal, run.control.stopping]);
      await Promise.race([...requests.values(), clock.sleep(LOOK_MS, signal)]);
      // Aborting without a reason would create an error with a stack trace each time.
      nap.abort(LANDED);
    },
    async pause() {
      if (failures === pausedFor) return;
      pausedFor = failures;
      if (failures === 0) return;
      await clock.sleep(FAILURE_WAIT_MS * 2 ** (failures - 1), run.control.stopping);
    },
    async end() {
      await Promise.all(requests.values());
    },
  };

  function note(attempt: Attempt): void {
    if (attempt === 'over') isOver = true;
    failures = attempt === 'failed' ? failures + 1 : 0;
    empty = attempt === 'nothing_processed' ? empty + 1 : 0;
    if (failures < MAX_FAILURES_IN_ROW && empty < MAX_EMPTY_IN_ROW) return;
    isOver = true;
    run.control.stopSpending(
      'partner_unavailable',
      `The Partner Data Service processed none of ${failures || empty} ${kind.what} in a row. The next run tries again.`,
    );
  }
}

const NOTHING_CHARGED: JournaledEnd = { charged: 0, jobs: {} };

/** Sends a recorded request and records its result. */
export async function spendOnce<Intent extends { id: string }, Answer>(
  deps: Omit<SpendDeps, 'takeLease'>,
  run: SpendRun,
  kind: Payment<Intent, Answer>,
  intent: Intent,
): Promise<Attempt> {
  const line = kind.toJournal(intent);
  let answer: Answer;
  try {
    if (line !== null) await noteIntended(deps, run, line);
    answer = await kind.send(intent, () => confirmLease(deps, run));
  } catch (error) {
    const facts = { run: run.id, request: intent.id };
    if (chargedBy(error) === 'unknown') {
      deps.log.warn(facts, messageOf(error));
      return kind.lose(intent, error);
    }
    if (line !== null && !(error instanceof JournalUnwritable)) {
      await noteEnd(deps, run, intent.id, NOTHING_CHARGED);
    }
    const attempt = await kind.refuse(intent, error);
    if (attempt !== null) return attempt;
    if (run.control.ending.aborted) return 'over';
    // The code that found the problem has already stopped the spending.
    if (error instanceof SpendingHeld) return 'over';
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
  if (line !== null) await noteEnd(deps, run, intent.id, kind.toJournaledEnd(answer, intent));
  // This line must remain outside the `try` block. If it fails, the open intent is handled like a lost response.
  return kind.accept(intent, answer);
}

/**
 * Proves the results of lost responses. `clear` means that a request may be sent, and `occupied` that other requests
 * must finish first. `stopped` means that nothing may be sent, because the run stops or another run's request does not
 * finish.
 */
export async function settleOpen<Open extends Unanswered>(
  deps: SettleDeps,
  run: SpendRun,
  proof: Proof<Open>,
  underWay: ReadonlyMap<string, unknown> = new Map(),
): Promise<'clear' | 'occupied' | 'stopped'> {
  const { clock, log } = deps;
  let waited = { ids: '', sinceMs: 0 };
  while (!run.control.stopping.aborted) {
    // The set is copied before the database is read. If a request finishes in between, the database still shows it as
    // open. If its response was lost, it must be handled with the other lost requests.
    const own = new Set(underWay.keys());
    const others = (await proof.listOpen()).filter(({ id }) => !own.has(id));
    if (others.length === 0) return 'clear';
    const way = await settleOthers(deps, run, proof, others, underWay.size > 0);
    if (way === 'clear') return way;
    if (way === 'settled') continue;
    await proof.watch?.();
    if (way === 'occupied') return way;
    const ids = others.map(({ id }) => id).join();
    if (ids !== waited.ids) waited = { ids, sinceMs: clock.monotonicMs() };
    const patienceMs = run.integration.settleAfterMs + OTHER_RUN_PATIENCE_MS;
    if (clock.monotonicMs() - waited.sinceMs > patienceMs) {
      log.warn({ run: run.id, requests: ids }, 'another run does not settle its lost response');
      return 'stopped';
    }
    await clock.sleep(LOOK_MS, run.control.stopping);
  }
  return 'stopped';
}

/** Proves the results of other runs' requests for which no process waits. All requests of a key share one balance. */
async function settleOthers<Open extends Unanswered>(
  deps: Pick<SettleDeps, 'store' | 'takeLease'>,
  run: SpendRun,
  proof: Proof<Open>,
  seen: readonly Open[],
  isOwnUnderWay: boolean,
): Promise<'clear' | 'occupied' | 'settled' | 'wait'> {
  const leases = await takeLeases(deps, run, seen);
  try {
    // Before this process got the leases, the requests' own runs may have proved their results.
    const still = new Set((await proof.listOpen()).map(({ id }) => id));
    const others = seen.filter(({ id }) => still.has(id));
    const lost = others.flatMap((open) => {
      const lease = leases.get(open.integrationId);
      return lease ? [{ open, lease }] : [];
    });
    const living = others.filter(({ integrationId }) => !leases.has(integrationId));
    if (lost.length === 0 && living.every(proof.letsOthersPass)) return 'clear';
    await proof.markLost?.(lost);
    if (isOwnUnderWay) return 'occupied';
    // Each run proves the results of its lost requests. If this run has a lost request too, the other run waits for
    // this run.
    const isWaitedFor = lost.length > 0 && living.every((open) => proof.isGivenUp?.(open));
    if (living.length > 0 && !isWaitedFor) return 'wait';
    await proof.prove(lost, living);
    return 'settled';
  } finally {
    for (const lease of leases.values()) {
      if (lease !== run.lease) await deps.store.leases.release(lease);
    }
  }
}

/** Acquires the leases of these integrations. Skips leases of other running processes. */
async function takeLeases(
  { takeLease }: Pick<SpendDeps, 'takeLease'>,
  { integration, lease }: SpendRun,
  requests: readonly Unanswered[],
): Promise<Map<string, Lease>> {
  const leases = new Map<string, Lease>();
  for (const id of new Set(requests.map(({ integrationId }) => integrationId))) {
    if (id === integration.id) leases.set(id, lease);
    else {
      const attempt = await takeLease(id);
      if (attempt.acquired) leases.set(id, attempt.lease);
    }
  }
  return leases;
}
