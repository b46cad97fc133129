import { RetriableError } from '../core/errors.ts';
import { formatDuration } from '../core/quantities.ts';
import type { Run, SyncDeps } from './context.ts';

/** Clocks that are further apart are wrong, not just uneven. */
export const MAX_CLOCK_GAP_MS = 5 * 60_000;

/** This machine and the service do not agree about the time: another run may, once that is put right. */
export class ClockWrong extends RetriableError {
  constructor(aheadMs: number) {
    const gap = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
    super(
      `The clock of this machine is ${gap} the Partner Data Service's. Nothing more is spent: by a wrong clock profiles look old that are not, and would be paid for again. Set the clock, best by a time server (NTP), then sync again; if it is right, tell the service operator.`,
      { code: 'clock_wrong', details: { aheadMs: Math.round(aheadMs) } },
    );
  }
}

/** The clock may be wrong by so much (`PartnerClient.clockAheadMs`); null if it is right, or nothing is known. */
export function clockProblem(aheadMs: number | null): ClockWrong | null {
  return aheadMs === null || Math.abs(aheadMs) <= MAX_CLOCK_GAP_MS ? null : new ClockWrong(aheadMs);
}

/**
 * Ends the spending of the run, and throws ClockWrong, if the clock is wrong. What looks wrong is asked
 * again first (free): a machine that slept did not hear the time pass, and one answer may have come from
 * a machine whose own clock is wrong.
 */
export async function confirmClock(
  { partner }: Pick<SyncDeps, 'partner'>,
  { control }: Pick<Run, 'control'>,
): Promise<void> {
  if (clockProblem(partner.clockAheadMs()) === null) return;
  await partner.readCredits(control.ending);
  const problem = clockProblem(partner.clockAheadMs());
  if (problem === null) return;
  control.stopSpending('clock_wrong', problem.message);
  throw problem;
}
