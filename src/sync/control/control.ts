import type { Clock } from '../../core/clock.ts';
import { type DonorSyncError, isDonorSyncError, messageOf, wordsOf } from '../../core/errors.ts';
import type { ForeignText } from '../../core/foreign-text.ts';
import type { RunReason, StopCode } from '../../core/run.ts';

/** The stations of a run. */
export type Station = 'read' | 'submit' | 'poll' | 'deliver';

/** The time that requests in flight have to finish when a run stops. */
const GRACE_MS = 6_000;

/** The value that ends a wait after a change in the store. */
const CHANGED = 'changed';

/**
 * Stations check the store again after this time, even without a signal. The run sends a signal for its own changes,
 * but not for changes from outside. A change from outside can be a user's approval during the run, for example.
 */
export const IDLE_MS = 5_000;

/**
 * The state that the stations of one run share. It shows which stations are done, and which must stop and why. It also
 * signals changes in the store. The stations pass work to each other only through the store.
 */
export interface RunControl {
  /** Aborted when the run stops. This ends all waits. */
  readonly stopping: AbortSignal;
  /** Aborted when requests in flight have had enough time to finish. */
  readonly ending: AbortSignal;
  /** The reason why the run stops early, or null if it does not. If there are several reasons, the first is kept. */
  readonly reason: RunReason | null;
  /** The CRM's message for that reason, or null if there is none. Only readers and higher roles may see it. */
  readonly words: ForeignText | null;
  /** The error that made the run fail, if any. */
  readonly failure: unknown;
  /** Stops spending. All other work continues. */
  stopSpending(code: StopCode, message: string): void;
  readonly spendingStopped: boolean;
  /** Records why the run is incomplete although nothing stops it. An earlier reason is kept. */
  note(code: StopCode, message: string): void;
  /** Stops the run at the next checkpoint of each station. */
  stop(code: StopCode, message: string, words?: ForeignText | null): void;
  /** Stops the run because of an error. The run gets the error's stop code, or fails if the error has none. */
  stopFor(error: unknown): void;
  /** Marks a station as done. */
  finish(station: Station): void;
  isDone(station: Station): boolean;
  /** True while submitting waits for deliveries, so waiting longer would not fill a batch. */
  submitWaits: boolean;
  /** Signals that the store has changed. */
  notify(): void;
  /** The number of signals so far. Read it before you read the store, and pass it to `wait` afterwards. */
  readonly signals: number;
  /**
   * Resolves after the next signal, after `atMostMs`, or when the run stops. `signals` is the number of signals that
   * the caller has already handled.
   */
  wait(signals: number, atMostMs?: number): Promise<void>;
  /** Releases timers and listeners once the run has ended and nothing is in flight. */
  close(): void;
}

export function createRunControl(clock: Clock, outer: AbortSignal): RunControl {
  const stopping = new AbortController();
  const ending = new AbortController();
  const done = new Set<Station>();
  let reason: RunReason | null = null;
  let said: ForeignText | null = null;
  let failure: unknown = null;
  let spendingStopped = false;
  let submitWaits = false;
  let changed = new AbortController();
  let signals = 0;

  const control: RunControl = {
    stopping: stopping.signal,
    ending: ending.signal,
    get reason() {
      return reason;
    },
    get words() {
      return said;
    },
    get failure() {
      return failure;
    },
    get spendingStopped() {
      return spendingStopped;
    },
    stopSpending(code, message) {
      reason ??= { code, message };
      spendingStopped = true;
      control.notify();
    },
    note(code, message) {
      reason ??= { code, message };
    },
    stop(code, message, words = null) {
      // A reason to stop the run is more important than an earlier reason to stop spending.
      if (!stopping.signal.aborted) {
        reason = { code, message };
        said = words;
      }
      spendingStopped = true;
      if (stopping.signal.aborted) return;
      stopping.abort();
      control.notify();
      void clock.sleep(GRACE_MS, ending.signal).then(() => ending.abort());
    },
    stopFor(error) {
      // If a request was cut off because the run is ending, the run keeps its first reason.
      if (ending.signal.aborted && error === ending.signal.reason) return;
      const code = isDonorSyncError(error) ? toStopCode(error) : null;
      if (code !== null) return control.stop(code, messageOf(error), wordsOf(error));
      failure ??= error;
      const failureCode = isDonorSyncError(error) ? error.code : 'unexpected_error';
      control.stop('interrupted', messageOf(error));
      reason = { code: failureCode, message: messageOf(error) };
      said = wordsOf(error);
    },
    finish(station) {
      done.add(station);
      control.notify();
    },
    isDone: (station) => done.has(station),
    get submitWaits() {
      return submitWaits;
    },
    set submitWaits(waits) {
      const begins = waits && !submitWaits;
      submitWaits = waits;
      if (begins) control.notify();
    },
    get signals() {
      return signals;
    },
    notify() {
      signals += 1;
      const before = changed;
      changed = new AbortController();
      // If no reason were given, each abort would create an error with a stack trace.
      before.abort(CHANGED);
    },
    async wait(seen, atMostMs = IDLE_MS) {
      if (seen === signals && !stopping.signal.aborted) await clock.sleep(atMostMs, changed.signal);
    },
    close() {
      outer.removeEventListener('abort', interrupt);
      ending.abort();
    },
  };
  if (outer.aborted) interrupt();
  else outer.addEventListener('abort', interrupt, { once: true });
  return control;

  function interrupt(): void {
    control.stop('interrupted', 'The run was stopped; the next run continues from here.');
  }
}

const STOP_CODES: ReadonlySet<string> = new Set<StopCode>([
  'credits_exhausted',
  'budget_reached',
  'partner_key_rejected',
  'partner_key_expired',
  'partner_unavailable',
  'crm_unauthorized',
  'crm_limit_reached',
  'crm_unavailable',
  'interrupted',
  'match_rate_low',
  'contacts_missing',
  'journal_unwritable',
  'marks_unconfirmed',
  'clock_wrong',
  'store_replaced',
  'restore_unconfirmed',
  'store_does_not_know_crm',
  'lease_lost',
]);

/**
 * Returns the stop code for an error that may not occur again in the next run. Returns null for an error that makes the
 * run fail.
 */
function toStopCode(error: DonorSyncError): StopCode | null {
  if (isStopCode(error.code)) return error.code;
  if (error.kind !== 'retriable') return null;
  if (error.code.startsWith('partner_')) return 'partner_unavailable';
  return error.code.startsWith('crm_') ? 'crm_unavailable' : 'interrupted';
}

function isStopCode(code: string): code is StopCode {
  return STOP_CODES.has(code);
}
