/** The one way in which operations ask for a second user. */
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
 * The request that waits for a second user now; null if the caller can decide alone. Throws a ConfigurationError
 * (conflict) for a caller without an account. Without a request there is nothing to confirm: a rejection.
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
 * For the question that comes first: a sentence if another user has to confirm it, and otherwise nothing. Throws a
 * ConfigurationError (conflict) where nobody could.
 */
export function warnOfSecond(
  { application, store, caller }: Asking,
  asked: Asked,
): Promise<string> {
  return warnOfSecondUser({ application: { ...application, store } }, caller.account, asked);
}

/**
 * Leaves work to the service: it waits for a second user if the settings say so, and is in force at once otherwise.
 * Throws likewise.
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

/** What happens with a request now, for its requester. */
export function describeWaiting({
  id,
  state,
  text,
  askedBy,
  runsOutAt,
}: ApprovalView): [string, ...string[]] {
  if (state === 'confirmed') {
    return [`donor-sync is doing it now, and continues after a restart. ${text}`];
  }
  const name = askedBy.name ?? 'you';
  return [
    `Nothing has been done yet: this waits for a second user. ${text}`,
    `Someone other than ${name} must confirm it by ${formatTimestamp(runsOutAt)}, on the page Decisions or here: donor-sync approvals confirm ${id}`,
  ];
}
