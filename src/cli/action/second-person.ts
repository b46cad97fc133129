/** What a command does where a second person is needed: it puts the question on record, and says who answers it. */

import { type Asked, type Asker, askSecondPerson } from '../../application/two-people/ask.ts';
import type { Application } from '../../application.ts';
import type { Account } from '../../core/two-people.ts';
import { describeApproval } from '../../views/approval.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../terminal/output.ts';
import { formatMoment, shortId } from '../terminal/words.ts';
import type { ProductDeps } from './product.ts';

/** The user of this machine who typed the command. */
export function askerOf({ user, owner }: Pick<ProductDeps, 'user' | 'owner'>): Asker {
  const account: Account | null = user === null ? null : { kind: 'command', id: user, name: user };
  return { account, actor: { kind: 'command', name: user, from: owner.host } };
}

/** The exit code of a command that waits for a second person now; null if it may go on. */
export async function waitForSecondPerson(
  deps: Pick<ProductDeps, 'user' | 'owner'>,
  application: Application,
  output: Output,
  asked: Asked,
): Promise<ExitCode | null> {
  const approval = await askSecondPerson({ application }, askerOf(deps), asked);
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
      `Another person than ${approval.by.account.name} confirms it until ${formatMoment(approval.runsOutAt)}: \`donor-sync approvals confirm ${shortId(view.id)}\`, or on the page Decisions.`,
    );
  });
  return EXIT_CODES.stopped;
}
