import { erasuresUnknownText, findRestoreHold, type RestoreHold } from '../backup/restores.ts';
import { isoTime, stopwatch } from '../core/clock.ts';
import { ConfigurationError, RetriableError } from '../core/errors.ts';
import { formatDuration } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { LEASE_MS } from '../database/transact.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';

/**
 * Called before a request that spends credits is sent, and again before each retry. It checks that
 * this process may still record the result and that the record will be found again. A process that
 * paused for longer than its lease must not send: another process may have taken over its work,
 * settled open requests and sent its own. The same applies to a process whose database file was
 * removed, or whose clock is wrong.
 */
export async function confirmLease(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner'>,
  run: Pick<Run, 'lease' | 'control'>,
): Promise<void> {
  // Done first, because it may take a while.
  await confirmClock(deps, run);
  const held = await holdAfterRestore(deps, run);
  if (held !== null) throw new SpendingHeld(held, { code: 'restore_unconfirmed' });
  await confirmHeld(deps, run);
  await deps.store.requireInPlace();
}

/**
 * Does the same for a free request whose effect another run may have changed by the time the request is sent.
 * Checks that the lease is still held.
 */
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

/** Clocks that differ by more than this are wrong, not just imprecise. */
export const MAX_CLOCK_GAP_MS = 5 * 60_000;

/** Spending is blocked, for a reason that is already recorded in the run. Free requests continue. */
export class SpendingHeld extends RetriableError {}

/** This machine and the service disagree about the time. Another run can spend once this is fixed. */
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
 * Returns the error if the clock is wrong. `aheadMs` is `PartnerClient.clockAheadMs`. Null if the clock is
 * right, or if nothing is known about it.
 */
export function clockProblem(aheadMs: number | null): ClockWrong | null {
  return aheadMs === null || Math.abs(aheadMs) <= MAX_CLOCK_GAP_MS ? null : new ClockWrong(aheadMs);
}

/**
 * Returns true if data may be deleted because of its age: the clock agrees with the service's. If nothing is known about
 * the service's clock, it depends on `hasAnswered`, because a service without a `Date` must not prolong the retention.
 */
export function mayDeleteByAge(aheadMs: number | null, hasAnswered: boolean): boolean {
  return aheadMs === null ? hasAnswered : clockProblem(aheadMs) === null;
}

/**
 * Stops the run's spending and throws ClockWrong if the clock is wrong. First it checks again (free). The
 * machine may have slept without noticing how much time passed, or one response may come from a server whose
 * own clock is wrong.
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
 * Stops the run's spending and returns the reason if the database was restored from a backup and no user has
 * agreed since. Such a database does not contain the payments after the backup. For an erased integration the
 * run ends, because a process that still has its settings must not read it again. The run also ends if
 * erasures are unknown, because it could deliver to erased contacts. Null if spending may continue.
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

/** Refuses a request that a user makes by hand and that can cost credits, if no user has agreed since a restore. */
export async function requireAgreed(reader: Reader, integrationId: string): Promise<void> {
  const hold = await findRestoreHold(reader, integrationId);
  if (hold === null) return;
  throw new ConfigurationError(
    `${holdText(hold)}, and no user has agreed yet that credits are spent. The request was not sent, because it can cost credits. Agree with \`donor-sync restore --agree ${integrationId}\`.`,
    { code: 'restore_unconfirmed', refusal: 'conflict' },
  );
}
