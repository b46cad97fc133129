import type { Command } from 'commander';
import { confirmEmail, setMail, showMails } from '../../../operations/mails.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync mails show --user rea@example.org
  donor-sync mails set results off --user rea@example.org

Users turn on their own emails, under My account.`;

export function mailsCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'mails', "Show a user's monthly emails, and turn them off", [
    operationCommand(deps, showMails),
    operationCommand(deps, setMail),
    operationCommand(deps, confirmEmail),
  ]).addHelpText('after', EXAMPLES);
}
