/** For a command that needs a second user: records the request, and says who can confirm it. */

import type { Application } from '../../../application.ts';
import type { Account } from '../../../core/second-person.ts';
import {
  type Asked,
  askSecondPerson,
  type Requester,
} from '../../../decisions/second-person/ask.ts';
import { describeApproval } from '../../../decisions/views/approval.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../terminal/output.ts';
import { formatTimestamp, shortId } from '../terminal/words.ts';
import type { ProductDeps } from './product.ts';

/** The user of this machine who typed the command. */
export function getRequester({ user, owner }: Pick<ProductDeps, 'user' | 'owner'>): Requester {
  const account: Account | null = user === null ? null : { kind: 'command', id: user, name: user };
  return { account, actor: { kind: 'command', name: user, from: owner.host } };
}

/** Returns the exit code of a command that now waits for a second user; null if it may continue. */
export async function waitForSecondPerson(
  deps: Pick<ProductDeps, 'user' | 'owner'>,
  application: Application,
  output: Output,
  asked: Asked,
): Promise<ExitCode | null> {
  const approval = await askSecondPerson({ application }, getRequester(deps), asked);
  if (approval === null) return null;
  const view = describeApproval(approval);
  output.finish({ approval: view }, () => {
    output.print(`Nothing is done yet: this waits for a second person. ${view.text}`);
    if (view.state === 'confirmed') {
      output.print(
        `It is confirmed, and not at its end: \`donor-sync approvals confirm ${shortId(view.id)}\` goes on with it.`,
      );
      return;
    }
    output.print(
      `Another person than ${approval.by.account.name} confirms it until ${formatTimestamp(approval.runsOutAt)}: \`donor-sync approvals confirm ${shortId(view.id)}\`, or on the page Decisions.`,
    );
  });
  return EXIT_CODES.stopped;
}
