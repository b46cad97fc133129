import type { Clock } from '../../core/clock.ts';
import { type DonorSyncError, isDonorSyncError, messageOf, wordsOf } from '../../core/errors.ts';
import type { ForeignText } from '../../core/foreign-text.ts';
import type { RunReason, StopCode } from '../../core/run.ts';

/** The stations of a run. */
export type Station = 'read' | 'submit' | 'poll' | 'deliver';

/** The time that requests in flight have to finish when a run stops. */
const GRACE_MS = 6_000;

/** The signal value that ends a wait after a change in the database. */
const CHANGED = 'changed';

/**
 * Stations check the database again after this time, even without a signal. The run signals its own changes, but it
 * cannot signal changes by others, such as a user's approval.
 */
export const IDLE_MS = 5_000;

/**
 * The state that the stations of a run share. The state shows which stations are done, and which stations must stop.
 * The state also signals changes in the database. The stations pass work to each other only through the database.
 */
export interface RunControl {
  /** Aborted when the run stops. The abort ends all waits. */
  readonly stopping: AbortSignal;
  /** Aborted when requests in flight have had enough time to finish after a stop. */
  readonly ending: AbortSignal;
  /**
   * The reason why the run stops early, or null if the run does not stop early. If there are several reasons, the first
   * reason is kept.
   */
  readonly reason: RunReason | null;
  /**
   * The CRM's message about the reason for the stop, or null if there is no message. Users see the message only if
   * their role is reader or higher.
   */
  readonly words: ForeignText | null;
  /** The error that made the run fail, if any. */
  readonly failure: unknown;
  /** Stops spending credits. All other work continues. */
  stopSpending(code: StopCode, message: string): void;
  readonly spendingStopped: boolean;
  /** Records why the run is incomplete, without stopping the run. An earlier reason is kept. */
  note(code: StopCode, message: string): void;
  /** Stops the run. Each station stops at its next checkpoint. */
  stop(code: StopCode, message: string, words?: ForeignText | null): void;
  /**
   * Stops the run because of an error. The run ends with the error's stop code. If the error has no stop code, the run
   * fails.
   */
  stopFor(error: unknown): void;
  /** Marks a station as done. */
  finish(station: Station): void;
  isDone(station: Station): boolean;
  /**
   * True while the submit station waits for deliveries. During this time, no further contacts arrive, so waiting cannot
   * fill a batch.
   */
  submitWaits: boolean;
  /** Signals that the database has changed. */
  notify(): void;
  /** The number of signals so far. Read this number before you read the database, and then pass it to `wait`. */
  readonly signals: number;
  /**
   * Resolves after the next signal, after `atMostMs`, or when the run stops. `signals` is the number of signals that
   * the caller has already handled.
   */
  wait(signals: number, atMostMs?: number): Promise<void>;
  /** Releases timers and listeners. Call this once the run has ended and no request is in flight. */
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
      // A reason to stop the run replaces an earlier reason to stop spending.
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
      // If the ending run aborted the request itself, the run keeps its first reason.
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
      // Aborting without a reason would create an error with a stack trace each time.
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
 * Returns the stop code for an error that may not happen again in the next run. Returns null if the error makes the run
 * fail.
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
