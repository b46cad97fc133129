import type { Command } from 'commander';
import { listClients, listConnections, showClient } from '../../../operations/clients.ts';
import { checkClients } from '../../../operations/doctor/all-clients.ts';
import { listUnfinished, showUnfinished } from '../../../operations/setups.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync clients list
  donor-sync clients show riverside
  donor-sync clients check          problems to fix, counted by client
  donor-sync clients connections    which CRM accounts are connected
  donor-sync clients list --json    for scripts: { "integrations": [...] }

To see what is running and waiting: donor-sync status`;

const SETUP_EXAMPLES = `
Examples:
  donor-sync setups list
  donor-sync setups show riverside

The entered values are encrypted and not shown. To continue a set-up, open the Set up page in a browser.`;

export function clientsCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'clients', 'List, show and check the clients', [
    operationCommand(deps, listClients),
    operationCommand(deps, showClient, { one: 'after the command' }),
    operationCommand(deps, checkClients),
    operationCommand(deps, listConnections),
  ]).addHelpText('after', EXAMPLES);
}

export function setupsCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'setups', 'List and show unfinished set-ups', [
    operationCommand(deps, listUnfinished),
    operationCommand(deps, showUnfinished),
  ]).addHelpText('after', SETUP_EXAMPLES);
}
