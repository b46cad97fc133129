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
 * Records a request if a second user must confirm it. Returns null if one user is enough. Throws a ConfigurationError
 * (conflict) if the caller has no account.
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
 * Returns a warning if another user may have to confirm, or an empty text. Throws a ConfigurationError (conflict) if
 * nobody could confirm.
 */
export function warnOfSecond(
  { application, store, caller }: Asking,
  asked: Asked,
): Promise<string> {
  return warnOfSecondUser({ application: { ...application, store } }, caller.account, asked);
}

/**
 * Records a request that the service carries out. If a second user is required, the request first waits for the
 * confirmation. Throws the same errors as the functions above.
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

/** Describes to the requester what happens next. */
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
    `Someone other than ${name} must confirm it by ${formatTimestamp(runsOutAt)}, on the Decisions page or here: donor-sync approvals confirm ${id}`,
  ];
}
