import { erasuresUnknownText, findRestoreHold, type RestoreHold } from '../backup/restores.ts';
import { isoTime, stopwatch } from '../core/clock.ts';
import { ConfigurationError, RetriableError } from '../core/errors.ts';
import { formatDuration } from '../core/quantities.ts';
import type { Reader } from '../database/reader.ts';
import { LEASE_MS } from '../database/transact.ts';
import type { Run, SyncDeps } from '../sync/control/context.ts';

/**
 * Confirms that this process may record the result of a request. Call this function before each request or retry that
 * spends credits. After a long pause, another process may have taken over the lease and sent the same requests. This
 * process must then send nothing. It must also send nothing if its database file was removed or its clock is wrong.
 */
export async function confirmLease(
  deps: Pick<SyncDeps, 'store' | 'clock' | 'partner'>,
  run: Pick<Run, 'lease' | 'control'>,
): Promise<void> {
  // This check comes first, because it can take a while.
  await confirmClock(deps, run);
  const held = await holdAfterRestore(deps, run);
  if (held !== null) throw new SpendingHeld(held, { code: 'restore_unconfirmed' });
  await confirmHeld(deps, run);
  await deps.store.requireInPlace();
}

/**
 * Confirms the lease before a free request. Call this function if another run may have changed the effect of the
 * request.
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

/**
 * The maximum difference between the clocks. If the difference is larger, one of the clocks is wrong and not only
 * imprecise.
 */
export const MAX_CLOCK_GAP_MS = 5 * 60_000;

/** Thrown if spending is on hold. The run already contains the reason. Free requests continue. */
export class SpendingHeld extends RetriableError {}

/**
 * This machine's clock and the service's clock differ too much. Spending continues after someone corrects the clock.
 */
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
 * Returns an error if the clock is wrong. Returns null if the clock is right or cannot be checked. `aheadMs` comes from
 * `PartnerClient.clockAheadMs`.
 */
export function clockProblem(aheadMs: number | null): ClockWrong | null {
  return aheadMs === null || Math.abs(aheadMs) <= MAX_CLOCK_GAP_MS ? null : new ClockWrong(aheadMs);
}

/**
 * True if data may be deleted because of its age. The clock must agree with the service's clock. If a service sends no
 * `Date` header, `hasAnswered` decides, because this must not prolong the retention.
 */
export function mayDeleteByAge(aheadMs: number | null, hasAnswered: boolean): boolean {
  return aheadMs === null ? hasAnswered : clockProblem(aheadMs) === null;
}

/**
 * Stops spending and throws ClockWrong if the clock is wrong. First checks the clock again with a free request, because
 * the machine may have slept or one of the service's servers may have a wrong clock.
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
 * After a restore, stops spending until a user agrees, because the restored database lacks later payments. Returns null
 * if spending may continue. Ends the run of an erased integration, because donor-sync must not read it again. Also ends
 * the run if donor-sync does not know the recent erasures, because the run could write to erased contacts.
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

/** After a restore, throws an error for requests that can cost credits, until a user agrees. */
export async function requireAgreed(reader: Reader, integrationId: string): Promise<void> {
  const hold = await findRestoreHold(reader, integrationId);
  if (hold === null) return;
  throw new ConfigurationError(
    `${holdText(hold)}, and no user has agreed yet that credits are spent. The request was not sent, because it can cost credits. Agree with \`donor-sync restore --agree ${integrationId}\`.`,
    { code: 'restore_unconfirmed', refusal: 'conflict' },
  );
}
