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
  donor-sync hooks create riverside --signature hubspot  only calls that your HubSpot app signed
  donor-sync hooks create riverside --signature hmac     only calls signed with a secret of donor-sync
  donor-sync hooks list                                  which clients have an address
  donor-sync hooks show riverside                        its address without the token, and its latest calls
  donor-sync hooks rotate riverside                      a new address; the old one ends at once
  donor-sync hooks revoke riverside                      no address any more

The address is shown once: donor-sync keeps only a hash of it. A caller who knows it can request runs and nothing
else. Add "?contact=ID" to it for one contact.`;

/** The command `hooks`: the addresses by which CRMs report that contacts have changed. */
export function hooksCommand(deps: ProductDeps): Command {
  return topicCommand(deps, 'hooks', 'Create, list, replace and revoke webhook addresses', [
    operationCommand(deps, createWebhook),
    operationCommand(deps, listWebhooks),
    operationCommand(deps, showWebhook),
    operationCommand(deps, rotateWebhook),
    operationCommand(deps, revokeWebhook),
  ]).addHelpText('after', EXAMPLES);
}
