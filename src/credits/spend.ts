/**
 * One protocol for all that costs credits. What is to be paid for is on disk as intended before its request
 * leaves; lease and clock are confirmed right before that; the answer is on disk before it is counted as
 * over; an answer that was lost is settled by a proof that each kind brings along, and until then nothing
 * else of the same key is sent. Kinds may have several requests under way: then those are awaited first.
 */
import { isDonorSyncError, messageOf } from '../core/errors.ts';
import type { Lease } from '../database/leases.ts';
import { CreditsExhausted, chargedBy } from '../partner/errors.ts';
import type { MayLeave } from '../partner/request.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';
import { confirmLease, SpendingHeld } from './confirm.ts';

/** Requests in a row that may fail for passing reasons before the run stops spending. */
const MAX_FAILURES_IN_ROW = 5;

/** The wait after the first failure; each further one waits twice as long. */
const FAILURE_WAIT_MS = 1_000;

/** Requests in a row of which the service may process no item before the run stops spending. */
const MAX_EMPTY_IN_ROW = 3;

/** How often it is looked at whether something may be sent: what is open of other runs, and how many at once. */
const LOOK_MS = 250;

/** Why that is not waited for any more. */
const LANDED = 'a request has come back';

/** For so long beyond its quiet time the same one is waited for. */
const OTHER_RUN_PATIENCE_MS = 10 * 60_000;

/** How one attempt to spend ended; `waited` if there was nothing to send yet; after `over` no other makes sense in this run. */
export type Attempt = 'progress' | 'waited' | 'nothing_processed' | 'failed' | 'over';

/** A request on disk that waits for its answer, and whose it is. */
export interface Unanswered {
  id: string;
  integrationId: string;
}

/** A request whose answer is lost, and the lease of its integration. */
export interface Lost<Open extends Unanswered> {
  open: Open;
  lease: Lease;
}

/** How lost answers of one kind are settled. */
export interface Proof<Open extends Unanswered> {
  /** The requests of the run's key that wait for their answers. */
  listOpen(): Promise<Open[]>;
  /** True if another may be sent while this one, of a living run, is under way. */
  letsOthersPass(open: Open): boolean;
  /**
   * True if this one may be settled while a run of its integration goes on: no process sends it any more, or waits
   * for its answer. False for all if it is left out.
   */
  isGivenUp?(open: Open): boolean;
  /** Puts on disk that no one waits for their answers any more, so that no other run sends anything. */
  markLost?(lost: readonly Lost<Open>[]): Promise<void>;
  /** They wait for what else is under way to come back: what is known of them until then. */
  watch?(): Promise<void>;
  /**
   * Settles them under their leases, and with them what living runs have given up; leaves them as they are if the
   * run stops meanwhile.
   */
  prove(lost: readonly Lost<Open>[], givenUp: readonly Open[]): Promise<void>;
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
  /**
   * Puts the next request on disk as intended; an attempt if nothing is to be sent now, `later` if that
   * depends on what is under way. After it has `waited`, it asks whether still nothing is to be settled, and
   * makes no progress otherwise.
   */
  intend(isStillClear: () => Promise<boolean>): Promise<Intent | Attempt | 'later'>;
  /** How many requests of this run may be under way now; one if it is left out. */
  atOnce?(): number;
}

type SpendDeps = Pick<SyncDeps, 'store' | 'partner' | 'clock' | 'log' | 'takeLease'>;
type SettleDeps = Pick<SpendDeps, 'clock' | 'log' | 'takeLease'> & {
  store: { leases: Pick<SpendDeps['store']['leases'], 'release'> };
};
type SpendRun = Pick<Run, 'id' | 'lease' | 'integration' | 'control'>;

/** Spends until there is nothing more to spend on, or the run stops. */
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
  /** How many answers were lost when nothing was left to settle; no number that there is once anything was sent since. */
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
      // What comes back may be due again, and leaves room.
      await underWay.landing();
    } else if (typeof intent === 'string') underWay.note(intent);
    else underWay.launch(intent);
  }
}

/** The requests of a run that wait for their answers, known in memory, and how those before went. */
interface UnderWay<Intent> {
  readonly requests: ReadonlyMap<string, Promise<void>>;
  /** Nothing more is to be sent. */
  readonly isOver: boolean;
  /** The error that ended it, if one did. */
  readonly failure: { error: unknown } | null;
  /** Requests in a row that failed for passing reasons. */
  readonly failures: number;
  /** Ids of those whose answers were lost. */
  readonly lost: ReadonlySet<string>;
  launch(intent: Intent): void;
  note(attempt: Attempt): void;
  /** Resolves when a request has come to its end, or after a while: more may be sent by then. */
  landing(): Promise<void>;
  /** Waits as long as the failures ask for. */
  pause(): Promise<void>;
  /** Resolves once nothing is under way any more. */
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
      // A reason of its own would be made with its stack each time.
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
    // Whatever found that has ended the spending.
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
  // Outside the `try`: should this fail, the intent stays open and is settled like a lost answer.
  return kind.accept(intent, answer);
}

/**
 * Settles what was lost. `clear` if something may be sent; `occupied` if what this run has under way is to
 * come back before; `stopped` if nothing may be sent: the run stops, or a request of another living run
 * does not come to its end.
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
    // As it is before the store is read: one that comes back meanwhile still stands there as open. One that has
    // come back since the last look, and is lost, has to be settled with the others.
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
      log.warn({ run: run.id, requests: ids }, 'another run does not settle its lost answer');
      return 'stopped';
    }
    await clock.sleep(LOOK_MS, run.control.stopping);
  }
  return 'stopped';
}

/** What others have left open: settled if no one else waits for an answer, as one balance says it of all. */
async function settleOthers<Open extends Unanswered>(
  deps: Pick<SettleDeps, 'store' | 'takeLease'>,
  run: SpendRun,
  proof: Proof<Open>,
  seen: readonly Open[],
  isOwnUnderWay: boolean,
): Promise<'clear' | 'occupied' | 'settled' | 'wait'> {
  const leases = await takeLeases(deps, run, seen);
  try {
    // Before the leases were ours, the other integrations' runs may have settled theirs by themselves.
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
    // A living run settles what it has lost, unless something of ours is lost as well: then it waits for us.
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

/** The leases of the integrations that requests belong to, without those that a living process has. */
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
