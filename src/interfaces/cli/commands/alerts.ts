import type { Command } from 'commander';
import {
  checkAlerts,
  listClientAlerts,
  showAlerts,
  testAlerts,
  testOwnAlerts,
} from '../../../operations/alerts.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync alerts list                            reported problems, the newest first
  donor-sync alerts list --integration riverside
  donor-sync alerts show riverside                  its channels, open problems and past alerts
  donor-sync alerts test                            sends a message through each channel, and shows the result
  donor-sync alerts test-own riverside              the same through the client's own channel
  donor-sync alerts check                           checks now and sends what has changed, for cron after a sync

\`donor-sync serve\` checks automatically. The recipients are in the settings, under alerts.`;

export function alertsCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'alerts', 'List and check alerts, and test their channels', [
    operationCommand(deps, listClientAlerts),
    operationCommand(deps, showAlerts),
    operationCommand(deps, testAlerts),
    operationCommand(deps, testOwnAlerts),
    operationCommand(deps, checkAlerts),
  ]).addHelpText('after', EXAMPLES);
}
