/** The only place where operations require a second user. */
import { formatTimestamp } from '../core/quantities.ts';
import {
  type Asked,
  askForWork,
  askSecondPerson,
  warnOfSecondUser,
} from '../decisions/second-person/ask.ts';
import type { WorkRequest } from '../decisions/statements/approvals.ts';
import { type ApprovalView, describeApproval } from '../decisions/views/approval.ts';
import type { ActingWorld } from './kit/operation.ts';

type Asking = Pick<ActingWorld, 'application' | 'store' | 'caller'>;

/**
 * Records a request that waits for a second user. Returns null if the caller can decide alone. Throws a
 * ConfigurationError (conflict) for a caller without an account. `request` is null for a rejection, which needs no
 * confirmation.
 */
export async function waitForSecond(
  { application, store, caller }: Asking,
  request: WorkRequest | null,
  integrationId: string,
): Promise<ApprovalView | null> {
  if (request === null) return null;
  const deps = { application: { ...application, store } };
  const approval = await askSecondPerson(deps, caller, { request, integrationId });
  return approval && describeApproval(approval);
}

/**
 * Returns a sentence for the question if another user has to confirm the request, or an empty text otherwise. Throws a
 * ConfigurationError (conflict) if nobody could confirm it.
 */
export function warnOfSecond(
  { application, store, caller }: Asking,
  asked: Asked,
): Promise<string> {
  return warnOfSecondUser({ application: { ...application, store } }, caller.account, asked);
}

/**
 * Leaves work to the service. If the settings require a second user, the work waits. Otherwise the service starts it
 * immediately. Throws the same error.
 */
export async function leaveToService(
  { application, store, caller, carryOn }: Asking & Pick<ActingWorld, 'carryOn'>,
  asked: Asked,
): Promise<ApprovalView> {
  const deps = { application: { ...application, store } };
  const approval = await askForWork(deps, caller, asked);
  carryOn();
  return describeApproval(approval);
}

/** Tells the requester what happens next. */
export function describeWaiting({
  id,
  state,
  text,
  askedBy,
  runsOutAt,
}: ApprovalView): [string, ...string[]] {
  if (state === 'confirmed') {
    return [`donor-sync is carrying it out now, and continues after a restart. ${text}`];
  }
  const name = askedBy.name ?? 'you';
  return [
    `Nothing has been done yet. The request waits for a second user: ${text}`,
    `Someone other than ${name} must confirm it by ${formatTimestamp(runsOutAt)}, on the page Decisions or here: donor-sync approvals confirm ${id}`,
  ];
}
