import type { Command } from 'commander';
import type { Application } from '../../../application.ts';
import { didYouMean } from '../../../core/near-miss.ts';
import type { ApprovalRecord } from '../../../decisions/statements/approvals.ts';
import { describeApproval, listApprovals } from '../../../decisions/views/approval.ts';
import {
  listWaitingApprovals,
  refuseRequest,
  showRequest,
  unknownRequest,
} from '../../../operations/approvals.ts';
import { confirmNow } from '../../../operations/confirm-now.ts';
import type { ActingWorld } from '../../../operations/kit/operation.ts';
import { carryOutHere, operationCommand } from '../action/operation-command.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { usageError } from '../terminal/output.ts';
import { findId, shortId } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync approvals                     requests that wait for a second user
  donor-sync approvals confirm 1a2b3c4d    shows the request, asks, and does exactly that
  donor-sync approvals refuse 1a2b3c4d     refuses it; you can also refuse your own request

The settings (twoPeople) define which actions wait, and from which number of contacts. Someone other than the
requester has to confirm: in the terminal, another user of the machine. A request expires after 7 days. If a
confirmation was cut off, repeat it to continue. Exit code 0: done. 2: nothing was changed, and the message explains why. 3: confirmed, but not finished.`;

export function approvalsCommand(deps: ProductDeps): Command {
  const command = productCommand('approvals', deps)
    .description(listWaitingApprovals.summary)
    .usage('[options] [show|confirm|refuse]')
    .argument('[words...]')
    .addHelpText('after', EXAMPLES);
  command.addCommand(operationCommand(deps, showRequest));
  command.addCommand(operationCommand(deps, confirmNow(deps.log), undefined, { findSubject }));
  command.addCommand(refuseCommand(deps));
  return productAction(deps, command, baseOptions, (action, [word]: string[]) => {
    if (word === undefined) return carryOutHere(deps, action, listWaitingApprovals, {});
    throw usageError(
      `approvals has no command "${word}"${didYouMean(word, WORDS) || '.'} Its commands are ${WORDS.join(', ')}.`,
    );
  });
}

const WORDS = ['show', 'confirm', 'refuse'];

/** Creates the command that refuses a request. The terminal asks first, but the API refuses immediately. */
function refuseCommand(deps: ProductDeps): Command {
  const asking = {
    ...refuseRequest,
    async question({ store }: Pick<ActingWorld, 'store'>, { approval: id }: { approval: string }) {
      const { text } = describeApproval(await requireApproval({ store }, id));
      return { text: `Refuse this? ${text}`, counts: {} };
    },
  };
  return operationCommand(deps, asking, undefined, { findSubject });
}

/** Finds the whole ID of a request, because lists show only the last characters of IDs. */
async function findSubject(
  { application }: { application: Pick<Application, 'store'> },
  typed: string,
): Promise<string> {
  return (await requireApproval(application, typed)).id;
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
