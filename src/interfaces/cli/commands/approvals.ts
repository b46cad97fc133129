import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../../application.ts';
import { didYouMean } from '../../../core/near-miss.ts';
import {
  type CarriedOut,
  carryOut,
  confirmApproval,
  refuseApproval,
} from '../../../decisions/second-person/confirm.ts';
import type { ApprovalRecord } from '../../../decisions/statements/approvals.ts';
import {
  type ApprovalView,
  describeApproval,
  listApprovals,
} from '../../../decisions/views/approval.ts';
import {
  confirmRequest,
  listWaitingApprovals,
  refuseRequest,
  showRequest,
  unknownRequest,
} from '../../../operations/approvals.ts';
import { createOperationRunner, perform } from '../../../operations/kit/perform.ts';
import { actorText } from '../../../privacy/audit-view.ts';
import type { Settings } from '../../../settings/settings.ts';
import { readOptions, runAction } from '../action/command.ts';
import { operationCommand, toCaller, toOperationDeps } from '../action/operation-command.ts';
import {
  baseOptions,
  confirmOrStop,
  neverAborted,
  type ProductDeps,
  productAction,
  productCommand,
  withApplication,
} from '../action/product.ts';
import { getRequester } from '../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output, usageError } from '../terminal/output.ts';
import { findId, formatAgo, formatCount, formatTimestamp, shortId } from '../terminal/words.ts';
import { describeForgotten, printForgotten } from './forget.ts';
import { printReport } from './undo.ts';

const EXAMPLES = `
Examples:
  donor-sync approvals                     what waits for a second person
  donor-sync approvals confirm 1a2b3c4d    shows it, asks, and does exactly that
  donor-sync approvals refuse 1a2b3c4d     it is not to be done; also for who asked

What waits, and from how many contacts on, is in the settings (twoPeople). Who confirms is another one
than who asked: here, another user of the machine. It runs out after 7 days. A confirmation that was cut
off goes on when it is repeated. Exit code 0: done. 2: nothing was changed, and the message says why.
3: confirmed, and not at its end.`;

const actSchema = baseOptions.extend({ yes: z.boolean().default(false) });

/** The command `approvals`: the actions that wait for a second user, and the answers. */
export function approvalsCommand(deps: ProductDeps): Command {
  const command = productCommand('approvals', deps)
    .description(listWaitingApprovals.summary)
    .usage('[options] [show|confirm|refuse]')
    .argument('[words...]')
    .addHelpText('after', EXAMPLES);
  command.addCommand(operationCommand(deps, showRequest));
  command.addCommand(actCommand(deps, 'confirm', confirmRequest.summary, confirm));
  command.addCommand(actCommand(deps, 'refuse', refuseRequest.summary, refuse));
  return command.action(([word]: string[]) =>
    runAction(deps, command, (output) => {
      if (word !== undefined) {
        throw usageError(
          `approvals knows no "${word}"${didYouMean(word, WORDS) || '.'} It can ${WORDS.join(', ')}.`,
        );
      }
      const options = readOptions(command, baseOptions);
      return withApplication(deps, options.config, async ({ store }) => {
        const approvals = (await listApprovals(store)).map(describeApproval);
        output.finish({ approvals }, () => printApprovals(output, approvals, deps.clock.now()));
        return EXIT_CODES.done;
      });
    }),
  );
}

const WORDS = ['show', 'confirm', 'refuse'];

interface Acting {
  deps: ProductDeps;
  application: Application;
  settings: Settings;
  output: Output;
  yes: boolean;
}

function actCommand(
  deps: ProductDeps,
  name: string,
  description: string,
  act: (acting: Acting, approval: ApprovalRecord) => Promise<ExitCode>,
): Command {
  const command = productCommand(name, deps)
    .description(description)
    .argument('<approval>', 'the ID of the request, whole or as the list shows it')
    .option('--yes', 'do not ask');
  return productAction(
    deps,
    command,
    actSchema,
    async ({ application, settings, output, options: { yes } }, typed: string) =>
      act({ deps, application, settings, output, yes }, await requireApproval(application, typed)),
  );
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
    if (undo) printReport(output, undo);
    if (forget) printForgotten(output, forget);
    if (approval.request.what === 'decide') output.print('The next sync does it.');
  });
  return isEnded ? EXIT_CODES.done : EXIT_CODES.stopped;
}

async function refuse(acting: Acting, approval: ApprovalRecord): Promise<ExitCode> {
  const { deps, application, output, yes } = acting;
  const view = describeApproval(approval);
  await confirmOrStop(deps, `Refuse this? ${view.text}`, yes);
  await refuseApproval({ application }, approval, getRequester(deps));
  output.finish({ approval: { ...view, state: 'refused' } }, () =>
    output.print(`Refused, and nothing is done of it. ${view.text}`),
  );
  return EXIT_CODES.done;
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

function printApprovals(output: Output, approvals: readonly ApprovalView[], now: number): void {
  if (approvals.length === 0) {
    output.print('Nothing waits for a second person.');
    return;
  }
  output.table<ApprovalView>(
    [
      { header: 'Id', value: ({ id }) => shortId(id) },
      { header: 'What', value: ({ text }) => text, shrinks: true },
      { header: 'Contacts', value: ({ contacts }) => formatCount(contacts), align: 'right' },
      { header: 'Credits', value: ({ credits }) => formatCount(credits), align: 'right' },
      { header: 'Asked by', value: ({ askedBy }) => actorText(askedBy), shrinks: true },
      { header: 'Asked', value: ({ askedAt }) => formatAgo(askedAt, now) },
      { header: 'Runs out', value: ({ runsOutAt }) => formatTimestamp(runsOutAt) },
      { header: 'State', value: ({ state }) => state },
    ],
    approvals,
  );
}
