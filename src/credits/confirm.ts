import { erasuresUnknownText, findRestoreHold, type RestoreHold } from '../backup/restores.ts';
import { isoTime, stopwatch } from '../core/clock.ts';
import { ConfigurationError, RetriableError } from '../core/errors.ts';
import { formatDuration } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { LEASE_MS } from '../database/transact.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';

/**
 * Confirms that this process may record a request's result and that the record will be found again. Call it before each
 * request or retry that spends credits. After a long pause, another process may have taken over the lease and sent the
 * same requests. The paused process must then send nothing. It must also send nothing if its database file was removed
 * or its clock is wrong.
 */
export async function confirmLease(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner'>,
  run: Pick<Run, 'lease' | 'control'>,
): Promise<void> {
  // Runs first, because it can take a while.
  await confirmClock(deps, run);
  const held = await holdAfterRestore(deps, run);
  if (held !== null) throw new SpendingHeld(held, { code: 'restore_unconfirmed' });
  await confirmHeld(deps, run);
  await deps.store.requireInPlace();
}

/** Call it before a free request if another run may have changed the request's effect. */
export async function confirmHeld(
  { store, clock }: Pick<SyncDeps, 'store' | 'clock'>,
  run: Pick<Run, 'lease'>,
): Promise<void> {
  const tookMs = stopwatch(clock);
  await store.leases.renew(run.lease);
  if (tookMs() > LEASE_MS / 2) {
    throw new RetriableError('Checking whether the lease is still held took too long.', {
      code: 'lease_doubtful',
    });
  }
}

/** A larger difference means that one clock is wrong and not just imprecise. */
export const MAX_CLOCK_GAP_MS = 5 * 60_000;

/** Thrown if spending is blocked. The run already has the reason. Free requests continue. */
export class SpendingHeld extends RetriableError {}

/** This machine and the service disagree about the time. Spending continues after the clock is corrected. */
class ClockWrong extends SpendingHeld {
  constructor(aheadMs: number) {
    const gap = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
    super(
      `The clock of this machine is ${gap} the Partner Data Service's. Nothing more is spent, because with a wrong clock, new profiles can look old and would be paid for again. Set the clock, preferably with a time server (NTP), then sync again. If the clock is correct, inform the service operator.`,
      { code: 'clock_wrong', details: { aheadMs: Math.round(aheadMs) } },
    );
  }
}

/**
 * Returns an error for a wrong clock. Returns null if the clock is right or cannot be checked. `aheadMs` is
 * `PartnerClient.clockAheadMs`.
 */
export function clockProblem(aheadMs: number | null): ClockWrong | null {
  return aheadMs === null || Math.abs(aheadMs) <= MAX_CLOCK_GAP_MS ? null : new ClockWrong(aheadMs);
}

/**
 * Deleting data by age requires a clock that agrees with the service's. A service without a `Date` header must not
 * prolong the retention, so `hasAnswered` decides.
 */
export function mayDeleteByAge(aheadMs: number | null, hasAnswered: boolean): boolean {
  return aheadMs === null ? hasAnswered : clockProblem(aheadMs) === null;
}

/**
 * Stops spending and throws ClockWrong if the clock is wrong. First checks again with a free request. The machine may
 * have slept, or one server of the service may have a wrong clock.
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

/**
 * Stops spending after a restore until a user agrees. A restored database lacks later payments. Returns null if
 * spending may continue. Ends the run of an erased integration, because it must not be read again. Also ends the run if
 * recent erasures are unknown, because it could deliver to erased contacts.
 */
export async function holdAfterRestore(
  { store }: Pick<SyncDeps, 'store'>,
  { lease: { integrationId: id }, control }: Pick<Run, 'lease' | 'control'>,
): Promise<string | null> {
  const hold = await findRestoreHold(store.reader, id);
  if (hold === null) return null;
  const way = `Check \`donor-sync plan ${id}\`, then agree with \`donor-sync restore --agree ${id}\`.`;
  const { erasuresUnknownAfter } = hold;
  const why =
    erasuresUnknownAfter === null
      ? 'the database does not know what was paid for, so nothing is spent'
      : erasuresUnknownText(erasuresUnknownAfter);
  const message = `${holdText(hold)}: ${why}. ${way}`;
  if (hold.why === 'erased' || erasuresUnknownAfter !== null)
    control.stop('restore_unconfirmed', message);
  else control.stopSpending('restore_unconfirmed', message);
  return message;
}

function holdText({ why, heldAt, madeAt }: RestoreHold): string {
  const day = (at: number) => isoTime(at).slice(0, 10);
  if (why === 'erased') return `All data about the client was erased on ${day(heldAt)}`;
  return `A backup${madeAt === null ? '' : ` of ${day(madeAt)}`} was restored on ${day(heldAt)}`;
}

/** After a restore, refuses requests that can cost credits until a user agrees. */
export async function requireAgreed(reader: Reader, integrationId: string): Promise<void> {
  const hold = await findRestoreHold(reader, integrationId);
  if (hold === null) return;
  throw new ConfigurationError(
    `${holdText(hold)}, and no user has agreed yet that credits are spent. The request was not sent, because it can cost credits. Agree with \`donor-sync restore --agree ${integrationId}\`.`,
    { code: 'restore_unconfirmed', refusal: 'conflict' },
  );
}
