import type { Clock } from '../../core/clock.ts';
import { type DonorSyncError, isDonorSyncError, messageOf, wordsOf } from '../../core/errors.ts';
import type { ForeignText } from '../../core/foreign-text.ts';
import type { RunReason, StopCode } from '../../core/run.ts';

/** The stations of a run. */
export type Station = 'read' | 'submit' | 'poll' | 'deliver';

/** Requests that are under way when a run stops get this long to finish. */
const GRACE_MS = 6_000;

/** Why a wait ends early. */
const CHANGED = 'changed';

/**
 * Stations look again after this long, even without a signal. What a run does itself comes with one; only
 * what others do meanwhile does not, as a profile that a person lets through.
 */
export const IDLE_MS = 5_000;

/**
 * How the stations of one run know of each other: who is done, who must stop and why, and a signal
 * that says that the store has changed. Work itself goes through the store alone.
 */
export interface RunControl {
  /** Aborted when the run stops: waits end at once. */
  readonly stopping: AbortSignal;
  /** Aborted when requests under way have had their time. */
  readonly ending: AbortSignal;
  /** Why the run does not come to its end, if so; the first reason counts. */
  readonly reason: RunReason | null;
  /** What the CRM said of that reason, for those who decide; null if it said nothing. */
  readonly words: ForeignText | null;
  /** The error that made the run fail, if one did. */
  readonly failure: unknown;
  /** Ends spending; everything else goes on. */
  stopSpending(code: StopCode, message: string): void;
  readonly spendingStopped: boolean;
  /** Notes why the run is incomplete, although nothing stops; an earlier reason stays. */
  note(code: StopCode, message: string): void;
  /** Ends the run at the next checkpoint of each station. */
  stop(code: StopCode, message: string, words?: ForeignText | null): void;
  /** Ends the run because of an error: one of the stop codes, or a failure. */
  stopFor(error: unknown): void;
  /** Marks a station as done. */
  finish(station: Station): void;
  isDone(station: Station): boolean;
  /** True while nothing is submitted before more is delivered: no batch gets fuller by waiting. */
  submitWaits: boolean;
  /** Says that the store has changed. */
  notify(): void;
  /** The count of signals so far: taken before reading the store, given to `wait` after. */
  readonly signals: number;
  /** Resolves after a signal later than `signals`, after a while (`atMostMs`), or when the run stops. */
  wait(signals: number, atMostMs?: number): Promise<void>;
  /** Lets go of timers and listeners once the run is over; nothing is under way any more. */
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
      // A stop of everything says more than a stop of spending did.
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
      // A request that was cut off because the run ends is no reason of its own.
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
      // A reason of its own would be made with its stack each time.
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
    control.stop('interrupted', 'The run was asked to stop; the next run goes on from here.');
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
  'marks_unconfirmed',
  'clock_wrong',
  'store_replaced',
  'restore_unconfirmed',
  'store_does_not_know_crm',
  'lease_lost',
]);

/** The stop code of an error that another run may get past; null for one that is a failure. */
function toStopCode(error: DonorSyncError): StopCode | null {
  if (isStopCode(error.code)) return error.code;
  if (error.kind !== 'retriable') return null;
  if (error.code.startsWith('partner_')) return 'partner_unavailable';
  return error.code.startsWith('crm_') ? 'crm_unavailable' : 'interrupted';
}

function isStopCode(code: string): code is StopCode {
  return STOP_CODES.has(code);
}
