import type { Command } from 'commander';
import { createCommand } from '../../action/command.ts';
import { creditsCommand, keysCommand, teamsCommand } from './access.ts';
import type { ServiceDeps } from './action.ts';
import { backupCommand, statsCommand, verifyCommand } from './file.ts';
import { importCommand } from './import.ts';
import { checkJoinsCommand, eraseCommand, joinCommand, reviewCommand } from './people.ts';
import { serveCommand } from './serve.ts';

const EXAMPLES = `
Examples:
  donor-sync service import 990 returns/
  donor-sync service teams add riverside --credits 5000
  donor-sync service keys issue riverside --label donor-sync
  donor-sync service serve --port 4100

All data is in one file: service.db, unless --db names another file. Guide: docs/guides/service.md.`;

export function serviceCommands(deps: ServiceDeps): Command {
  return createCommand('service', deps)
    .description('run your own Partner Data Service, with people from public records')
    .addCommand(serveCommand(deps))
    .addCommand(importCommand(deps))
    .addCommand(joinCommand(deps))
    .addCommand(checkJoinsCommand(deps))
    .addCommand(reviewCommand(deps))
    .addCommand(eraseCommand(deps))
    .addCommand(teamsCommand(deps))
    .addCommand(keysCommand(deps))
    .addCommand(creditsCommand(deps))
    .addCommand(statsCommand(deps))
    .addCommand(backupCommand(deps))
    .addCommand(verifyCommand(deps))
    .addHelpText('after', EXAMPLES);
}
