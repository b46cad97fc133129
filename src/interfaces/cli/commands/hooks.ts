import type { Command } from 'commander';
import {
  createWebhook,
  listWebhooks,
  revokeWebhook,
  rotateWebhook,
  showWebhook,
} from '../../../operations/hooks.ts';
import { operationCommand, topicCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync hooks create riverside                      the address for a Flow or a workflow
  donor-sync hooks create riverside --signature hubspot  accepts only calls signed by your HubSpot app
  donor-sync hooks create riverside --signature hmac     accepts only calls signed with a secret from donor-sync
  donor-sync hooks list                                  which clients have an address
  donor-sync hooks show riverside                        its address without the token, and its latest calls
  donor-sync hooks rotate riverside                      a new address; the old address stops working at once
  donor-sync hooks revoke riverside                      removes the address

The address is shown once, because donor-sync stores only a hash of it. A caller who knows it can only request
runs. To report a single contact, add "?contact=ID".`;

export function hooksCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'hooks', 'Create, list, replace and revoke webhook addresses', [
    operationCommand(deps, createWebhook),
    operationCommand(deps, listWebhooks),
    operationCommand(deps, showWebhook),
    operationCommand(deps, rotateWebhook),
    operationCommand(deps, revokeWebhook),
  ]).addHelpText('after', EXAMPLES);
}
