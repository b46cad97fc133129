import type { Command } from 'commander';
import {
  checkNetworks,
  listNetworks,
  repairNetworks,
  showIntroductions,
} from '../../../operations/networks.ts';
import { findProspects, showPaths } from '../../../operations/paths.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';

const EXAMPLES = `
Examples:
  donor-sync networks                            the mirrored groups, and members who will join
  donor-sync networks check riverside            changes made by hand in the service
  donor-sync networks repair riverside           update the networks to match their groups
  donor-sync networks introductions riverside    who can introduce which contact, by IDs`;

const PATH_EXAMPLES = `
Examples:
  donor-sync paths 0035e00000abcde
  donor-sync paths 0035e00000abcde --integration riverside

Sends one query to the service, which can cost a credit if the service charges for queries. Writes nothing. The output
names people, so there is no --json. For scripts, use the HTTP API.`;

const PROSPECT_EXAMPLES = `
Examples:
  donor-sync prospects
  donor-sync prospects riverside --limit 100 --min-strength 0.7
  donor-sync prospects --csv > prospects.csv

Sends one query to the service, which can cost a credit if the service charges for queries. Writes nothing. A person
who is in the CRM but has not been enhanced yet can still be listed, because it is not known yet that the two are the
same. The output names people, so there is no --json. For scripts, use --csv or the HTTP API.`;

const NAMES = { namesPeople: true };

export function networksCommand(deps: ProductDeps): Command {
  return operationCommand(deps, listNetworks, { each: 'networks', byDefault: 'all' })
    .usage('[options] [check|repair|introductions] [integration...]')
    .addCommand(operationCommand(deps, checkNetworks, { each: 'checks', byDefault: 'all' }))
    .addCommand(
      operationCommand(deps, repairNetworks, { each: 'repairs', byDefault: 'the only one' }),
    )
    .addCommand(operationCommand(deps, showIntroductions, { one: 'after the command' }))
    .addHelpText('after', EXAMPLES);
}

export function pathsCommand(deps: ProductDeps): Command {
  return operationCommand(deps, showPaths, { one: 'with --integration' }, NAMES).addHelpText(
    'after',
    PATH_EXAMPLES,
  );
}

export function prospectsCommand(deps: ProductDeps): Command {
  return operationCommand(deps, findProspects, { one: 'after the command' }, NAMES).addHelpText(
    'after',
    PROSPECT_EXAMPLES,
  );
}
