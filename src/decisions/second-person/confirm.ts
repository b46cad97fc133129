/**
 * Lets a second user confirm or refuse a request. Decisions about holds apply immediately. All other actions are
 * carried out after the confirmation.
 */

import type { Application } from '../../application.ts';
import type { Actor } from '../../core/actor.ts';
import type { Clock } from '../../core/clock.ts';
import { isConfigurationError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { newId } from '../../core/new-id.ts';
import { unknownClient } from '../../core/shared-errors.ts';
import { recordUndo, type UndoReport, undoRun } from '../../fields/undo.ts';
import { noteEntries } from '../../privacy/audit/record.ts';
import { forgetPerson } from '../../privacy/forget/forget.ts';
import type { ErasureReceipt } from '../../privacy/forget/receipt.ts';
import { openCrm } from '../../sync/control/crm-account.ts';
import { withLease } from '../../sync/control/with-lease.ts';
import type { ApprovalRecord } from '../statements/approvals.ts';
import {
  endApproval,
  findStoredApproval,
  recordConfirmation,
  recordRefusal,
} from '../statements/approvals.ts';
import { applyDueAnswers } from '../statements/withdrawable-answers.ts';
import { type AskDeps, readSubject } from './ask.ts';
import { approvalChanged, approvalGone, type Requester, requireSecondUser } from './second-user.ts';

export interface ConfirmDeps {
  application: AskDeps['application'] & Pick<Application, 'open' | 'takeLease'>;
  clock: Clock;
  log: Log;
  /**
   * Runs a confirmed operation in this user's name and records the operation's result. Omitted if only the service runs
   * operations.
   */
  runOperation?: (approval: ApprovalRecord, by: Actor, signal: AbortSignal) => Promise<void>;
}

/**
 * Confirms another user's request. Decisions about holds are applied before the function resolves. Other actions are
 * only recorded, and `carryOut` runs them.
 */
export async function confirmApproval(
  { application }: AskDeps,
  approval: ApprovalRecord,
  { account, actor }: Requester,
): Promise<void> {
  // Both users have already agreed.
  if (approval.confirmedBy !== null) return;
  await requireSecondUser(application.store, approval, account);
  const { request, integrationId, crmId } = approval;
  if (request.what === 'operation') throw new Error('An operation confirms itself.');
  const asked = { request, integrationId, ...(crmId === null ? {} : { crmId }) };
  const { digest, decisions } = await readSubject(application, asked);
  if (digest !== approval.digest) throw approvalChanged();
  const store = application.store.actingAs(actor);
  const become = await recordConfirmation(store.act, approval, decisions);
  if (become === 'changed') throw approvalChanged();
  if (become === 'gone') throw approvalGone();
  if (decisions !== null) await applyDueAnswers(store);
}

/**
 * Withdraws a request. The requester and other users can withdraw a request. Throws a ConfigurationError if it is too
 * late to withdraw the request.
 */
export async function refuseApproval(
  { application }: AskDeps,
  approval: ApprovalRecord,
  { actor }: Requester,
): Promise<void> {
  const { act } = application.store.actingAs(actor);
  if (!(await act((trx) => recordRefusal(trx, approval)))) throw approvalGone();
}

/**
 * The results of a confirmed action. Both results are null for decisions, because decisions are applied automatically.
 */
export interface CarriedOut {
  undo: UndoReport | null;
  forget: ErasureReceipt | null;
}

const NOTHING: CarriedOut = { undo: null, forget: null };

/**
 * Carries out the action for the confirming user. The call can be interrupted and repeated. Throws AlreadyRunning and
 * changes nothing if a run is in progress.
 */
export async function carryOut(
  deps: ConfirmDeps,
  { id }: Pick<ApprovalRecord, 'id'>,
  signal: AbortSignal,
): Promise<CarriedOut> {
  const approval = await findStoredApproval(deps.application.store, id);
  const by = approval?.confirmedBy ?? null;
  if (approval === undefined || by === null || approval.outcome !== null) return NOTHING;
  const store = deps.application.store.actingAs(by);
  const acting = { ...deps, application: { ...deps.application, store } };
  if (approval.request.what === 'undo') {
    const { run } = approval.request;
    return { ...NOTHING, undo: await undoConfirmed(acting, approval, run, signal) };
  }
  if (approval.request.what === 'decide') return NOTHING;
  if (approval.request.what === 'operation') {
    await deps.runOperation?.(approval, by, signal);
    return NOTHING;
  }
  const { alsoInCrm, blockUnknown, everywhere } = approval.request;
  const forget = await forgetPerson(
    { ...acting, newId: () => newId(deps.clock.now()) },
    {
      alsoInCrm,
      blockUnknown,
      everywhere,
      integration: requireIntegration(acting, approval),
      crmId: approval.crmId ?? '',
    },
  ).catch(async (error: unknown) => {
    if (isKnownNowhere(error)) await endApproval(store.connection, approval);
    throw error;
  });
  // The erasure is tried again if the CRM has not cleared all values.
  if (forget.complete) await endApproval(store.connection, approval);
  return { ...NOTHING, forget };
}

/** True if no CRM has the contact, so a retry cannot help. A CRM that is unavailable may respond later. */
function isKnownNowhere(error: unknown): boolean {
  if (!isConfigurationError(error) || error.code !== 'contact_unknown') return false;
  return error.details['isCrmAsked'] === true;
}

async function undoConfirmed(
  { application }: ConfirmDeps,
  approval: ApprovalRecord,
  run: string,
  signal: AbortSignal,
): Promise<UndoReport | null> {
  const { store } = application;
  const integration = requireIntegration({ application }, approval);
  const open = await application.open(integration, signal);
  try {
    return await withLease(open.deps, integration.id, async (lease) => {
      // Another process may have carried out this action since it was read.
      if ((await findStoredApproval(store, approval.id)) === undefined) return null;
      const asked = { run, approval: approval.id };
      const integrationId = integration.id;
      await noteEntries(store.act, [{ action: 'undo.asked', integrationId, details: asked }]);
      const report = await undoRun(await openCrm(open.deps, lease), lease, run);
      await recordUndo({ act: store.act, sealer: open.deps.sealer }, integrationId, report);
      // The undo is tried again for values that the CRM refused.
      if (report.contacts.refused === 0) await endApproval(store.connection, approval);
      return report;
    });
  } finally {
    await open.close();
  }
}

function requireIntegration(
  { application }: Pick<ConfirmDeps, 'application'>,
  { integrationId }: ApprovalRecord,
) {
  const integration = application.integrations.get(integrationId);
  if (integration) return integration;
  const next = 'It is no longer in the settings: refuse the request instead.';
  throw unknownClient(integrationId, { next, refusal: 'conflict' });
}
