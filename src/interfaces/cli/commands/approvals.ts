import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { didYouMean } from '../../../core/near-miss.ts';
import {
  type CarriedOut,
  carryOut,
  confirmApproval,
} from '../../../decisions/second-person/confirm.ts';
import type { ApprovalRecord } from '../../../decisions/statements/approvals.ts';
import { describeApproval, listApprovals } from '../../../decisions/views/approval.ts';
import {
  confirmRequest,
  listWaitingApprovals,
  refuseRequest,
  showRequest,
  unknownRequest,
} from '../../../operations/approvals.ts';
import { describeForgotten, describeReceipt } from '../../../operations/forget-now.ts';
import type { ActingWorld } from '../../../operations/kit/operation.ts';
import { createOperationRunner, perform } from '../../../operations/kit/perform.ts';
import { describeUndone } from '../../../operations/undo.ts';
import { actorText } from '../../../privacy/audit-view.ts';
import type { Settings } from '../../../settings/settings.ts';
import {
  carryOutHere,
  operationCommand,
  toCaller,
  toOperationDeps,
} from '../action/operation-command.ts';
import {
  baseOptions,
  confirmOrStop,
  neverAborted,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';
import { getRequester } from '../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../terminal/output.ts';
import { findId, formatTimestamp, shortId } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync approvals                     what waits for a second user
  donor-sync approvals confirm 1a2b3c4d    shows it, asks, and does exactly that
  donor-sync approvals refuse 1a2b3c4d     it is not to be done; also for who asked

The settings (twoPeople) say which actions wait, and from how many contacts on. Someone other than the
requester has to confirm: here, another user of the machine. A request expires after 7 days. If a
confirmation was cut off, repeat it to continue. Exit code 0: done. 2: nothing was changed, and the
message says why. 3: confirmed, but not finished.`;

const actSchema = baseOptions.extend({ yes: z.boolean().default(false) });

/** The command `approvals`: the actions that wait for a second user, and the answers. */
export function approvalsCommand(deps: ProductDeps): Command {
  const command = productCommand('approvals', deps)
    .description(listWaitingApprovals.summary)
    .usage('[options] [show|confirm|refuse]')
    .argument('[words...]')
    .addHelpText('after', EXAMPLES);
  command.addCommand(operationCommand(deps, showRequest));
  command.addCommand(confirmCommand(deps));
  command.addCommand(refuseCommand(deps));
  return productAction(deps, command, baseOptions, (action, [word]: string[]) => {
    if (word === undefined) return carryOutHere(deps, action, listWaitingApprovals, {});
    throw usageError(
      `approvals knows no "${word}"${didYouMean(word, WORDS) || '.'} It can ${WORDS.join(', ')}.`,
    );
  });
}

const WORDS = ['show', 'confirm', 'refuse'];

interface Acting {
  deps: ProductDeps;
  application: Application;
  settings: Settings;
  output: Output;
  yes: boolean;
}

function confirmCommand(deps: ProductDeps): Command {
  const command = productCommand('confirm', deps)
    .description(confirmRequest.summary)
    .argument('<approval>', 'the ID of the request, whole or as the list shows it')
    .option('--yes', 'do not ask');
  return productAction(
    deps,
    command,
    actSchema,
    async ({ application, settings, output, options: { yes } }, typed: string) => {
      const approval = await requireApproval(application, typed);
      return confirm({ deps, application, settings, output, yes }, approval);
    },
  );
}

/** The terminal asks first; the API refuses at once. */
function refuseCommand(deps: ProductDeps): Command {
  const asking = {
    ...refuseRequest,
    async question({ store }: Pick<ActingWorld, 'store'>, { approval: id }: { approval: string }) {
      const { text } = describeApproval(await requireApproval({ store }, id));
      return { text: `Refuse this? ${text}`, counts: {} };
    },
  };
  return operationCommand(deps, asking, undefined, {
    findSubject: async ({ application }, typed) => (await requireApproval(application, typed)).id,
  });
}

async function confirm(acting: Acting, approval: ApprovalRecord): Promise<ExitCode> {
  const { deps, application, settings, output, yes } = acting;
  const { text, askedBy, askedAt } = describeApproval(approval);
  const who = `${actorText(askedBy)} asked for it on ${formatTimestamp(askedAt)}`;
  await confirmOrStop(deps, `${text} ${who}. Confirm it?`, yes);
  const world = toOperationDeps(deps, application, settings);
  if (approval.request.what === 'operation') {
    await perform(world, toCaller(deps), confirmRequest, { approval: approval.id });
  } else await confirmApproval({ application }, approval, getRequester(deps));
  const runOperation = createOperationRunner(world);
  const done = await carryOut({ ...deps, application, runOperation }, approval, neverAborted());
  return finishConfirmed(application, output, approval, done);
}

function finishConfirmed(
  application: Application,
  output: Output,
  approval: ApprovalRecord,
  { undo, forget: receipt }: CarriedOut,
): ExitCode {
  const isEnded = (undo?.contacts.refused ?? 0) === 0 && (receipt?.complete ?? true);
  const integration = application.integrations.get(approval.integrationId);
  const crmId = approval.crmId ?? '';
  const forget = receipt && integration && describeForgotten({ integration, crmId }, receipt);
  const document = {
    approval: { ...describeApproval(approval), state: isEnded ? 'done' : 'confirmed' },
    ...(undo && { undo }),
    ...(forget && { forget }),
  };
  output.finish(document, () => {
    output.print(`Confirmed. ${describeApproval(approval).text}`);
    if (undo) output.print(describeUndone(undo).join('\n'));
    if (forget) output.print(describeReceipt(forget).join('\n'));
    if (approval.request.what === 'decide') output.print('The next sync does it.');
  });
  return isEnded ? EXIT_CODES.done : EXIT_CODES.stopped;
}

async function requireApproval(
  { store }: Pick<Application, 'store'>,
  typed: string,
): Promise<ApprovalRecord> {
  const approvals = await listApprovals(store);
  const ids = approvals.map(({ id }) => id);
  const id = findId(typed, ids);
  const found = approvals.find((one) => one.id === id);
  if (found) return found;
  throw unknownRequest(typed, ids.map(shortId));
}
