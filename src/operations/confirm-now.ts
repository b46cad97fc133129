/**
 * Confirms a request and immediately carries it out, for the terminal. In other interfaces, the service carries out the
 * request later.
 */
import { z } from 'zod';
import type { Log } from '../core/log.ts';
import { formatTimestamp } from '../core/quantities.ts';
import { carryOut } from '../decisions/second-person/confirm.ts';
import { findStoredApproval } from '../decisions/statements/approvals.ts';
import {
  type ApprovalView,
  approvalSchema,
  describeApproval,
} from '../decisions/views/approval.ts';
import type { UndoReport } from '../fields/undo.ts';
import { actorText } from '../privacy/audit-view.ts';
import {
  confirmAnswerable,
  confirmDeclared,
  findAnswerable,
  STATES,
  toApplication,
} from './approvals.ts';
import { describeForgotten, describeReceipt, type Forgotten } from './forget-now.ts';
import { acting } from './kit/operation.ts';
import { describeUndone } from './undo.ts';

/**
 * Returns the operation for the terminal. The operation asks the user, carries out the request, and returns the
 * outcome.
 */
export function confirmNow(log: Log) {
  return acting({
    ...confirmDeclared,
    result: z.object({
      approval: approvalSchema,
      undo: z.custom<UndoReport>().optional(),
      forget: z.custom<Forgotten>().optional(),
    }),
    async question(world, { approval: id }) {
      const { text, askedBy, askedAt } = describeApproval(await findAnswerable(world, id));
      const who = `${actorText(askedBy)} requested this on ${formatTimestamp(askedAt)}`;
      return { text: `${text} ${who}. Confirm it?`, counts: {} };
    },
    async run(world, { approval: id }) {
      const { store, clock, signal } = world;
      const approval = await confirmAnswerable(world, id);
      const application = toApplication(world);
      const deps = { application, clock, log, runOperation: world.carryOut };
      const { undo, forget: receipt } = await carryOut(deps, approval, signal);
      const left = await findStoredApproval(store, id);
      // donor-sync deletes a request without a stored result when the request ends.
      const state: ApprovalView['state'] = left ? describeApproval(left).state : 'done';
      const integration = application.integrations.get(approval.integrationId);
      const about = integration && { integration, crmId: approval.crmId ?? '' };
      return {
        approval: { ...describeApproval(approval), state },
        ...(undo && { undo }),
        ...(receipt && about && { forget: describeForgotten(about, receipt) }),
      };
    },
    say: ({ approval: { id, text, what, state }, undo, forget }) => [
      `Confirmed. ${text}`,
      ...(undo ? describeUndone(undo) : []),
      ...(forget ? describeReceipt(forget) : []),
      ...(what === 'approve' || what === 'resubmit' ? ['The next sync carries it out.'] : []),
      ...(state === 'failed'
        ? [`${STATES.failed} To see why: donor-sync approvals show ${id}`]
        : []),
    ],
    ending: ({ approval: { state } }) =>
      state === 'done' ? 'done' : state === 'failed' ? 'refused' : 'stopped',
  });
}
