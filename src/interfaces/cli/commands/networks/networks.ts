import type { Command } from 'commander';
import { z } from 'zod';
import type { OpenIntegration } from '../../../../application.ts';
import type { NetworkDrift } from '../../../../networks/drift.ts';
import { isTheSame } from '../../../../networks/drift-view.ts';
import { checkNetworks, repairOpen } from '../../../../networks/networks-by-hand.ts';
import { describeNetworks } from '../../../../networks/overview.ts';
import {
  attemptEach,
  chooseIntegrations,
  finishAttempts,
  getWorstCode,
  namedOrAll,
} from '../../action/integrations.ts';
import {
  baseOptions,
  confirmOrStop,
  neverAborted,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import { EXIT_CODES, type ExitCode } from '../../terminal/output.ts';
import { describeCount } from '../../terminal/words.ts';
import {
  type IntegrationDrift,
  type IntegrationNetworks,
  type IntegrationRepair,
  printDrift,
  printOverview,
  printRepair,
} from './text.ts';

const EXAMPLES = `
Examples:
  donor-sync networks                     the mirrored groups and who is to join
  donor-sync networks check riverside     what was changed by hand at the service
  donor-sync networks repair riverside    make the networks what their groups are`;

const optionsSchema = baseOptions.extend({
  spend: z.boolean().default(false),
  yes: z.boolean().default(false),
});

type NetworksOptions = z.infer<typeof optionsSchema>;

/** The command `networks`: how the mirrored groups stand, and whether the service agrees. */
export function networksCommand(deps: ProductDeps): Command {
  const command = productCommand('networks', deps)
    .description('show the mirrored groups, check them at the service, or repair them')
    .usage('[options] [check|repair] [ids...]')
    .argument('[ids...]', 'the integrations (default: all)')
    .addHelpText('after', EXAMPLES)
    .addCommand(checkCommand(deps))
    .addCommand(repairCommand(deps));
  return productAction(deps, command, baseOptions, async (action, ids: string[]) => {
    const { application, output } = action;
    const networks: IntegrationNetworks[] = [];
    for (const integration of namedOrAll(application, ids)) {
      networks.push({
        integration: integration.id,
        networks: await describeNetworks(application, integration),
      });
    }
    output.finish({ networks }, () => {
      for (const each of networks) printOverview(output, each, deps.clock.now());
    });
  });
}

function checkCommand(deps: ProductDeps): Command {
  const command = productCommand('check', deps)
    .description('ask the service who is in the networks, and show what differs from the mirror')
    .argument('[ids...]', 'the integrations (default: all)')
    .option('--spend', 'ask even if the service charges for questions');
  return productAction(deps, command, optionsSchema, check);
}

async function check(
  { application, options, output }: ProductAction<NetworksOptions>,
  ids: string[],
): Promise<ExitCode> {
  const attempts = await attemptEach(application, namedOrAll(application, ids), (open) =>
    checkOne(open, options.spend),
  );
  const errorCode = finishAttempts(output, attempts, 'checks', (each) => printDrift(output, each));
  const found = attempts.flatMap(({ value }) => value?.networks ?? []);
  return getWorstCode([errorCode, ...(found.every(isTheSame) ? [] : [EXIT_CODES.stopped])]);
}

async function checkOne(open: OpenIntegration, maySpend: boolean): Promise<IntegrationDrift> {
  const networks = await checkNetworks(open, { maySpend, signal: neverAborted() });
  return { integration: open.integration.id, networks };
}

function repairCommand(deps: ProductDeps): Command {
  const command = productCommand('repair', deps)
    .description('make the networks what their groups are, whatever was changed by hand')
    .argument('[ids...]', 'the integrations; may be left out if there is only one')
    .option('--spend', 'ask even if the service charges for questions')
    .option('--yes', 'do not ask');
  return productAction(deps, command, optionsSchema, async (action, ids: string[]) => {
    const { application, options, output } = action;
    const chosen = chooseIntegrations(application, ids, false);
    const attempts = await attemptEach(
      application,
      chosen,
      (open) => repairOne(deps, open, options),
      deps.stopSignal(),
    );
    const errorCode = finishAttempts(output, attempts, 'repairs', (each) =>
      printRepair(output, each),
    );
    const isStopped = attempts.some(({ value }) => value?.stopped);
    return getWorstCode([errorCode, ...(isStopped ? [EXIT_CODES.stopped] : [])]);
  });
}

async function repairOne(
  deps: ProductDeps,
  open: OpenIntegration,
  options: NetworksOptions,
): Promise<IntegrationRepair> {
  const { id } = open.integration;
  const repaired = await repairOpen(open, {
    maySpend: options.spend,
    signal: deps.stopSignal(),
    confirm: (found) => confirmRepair(deps, id, found, options.yes),
  });
  return { integration: id, ...repaired };
}

function confirmRepair(
  deps: ProductDeps,
  integrationId: string,
  drifts: readonly NetworkDrift[],
  yes: boolean,
): Promise<void> {
  const added = drifts.reduce((sum, { addedByHand }) => sum + addedByHand.length, 0);
  const removed = drifts.reduce((sum, { removedByHand }) => sum + removedByHand.length, 0);
  return confirmOrStop(
    deps,
    `Make the networks of "${integrationId}" what their groups are? Removed by hand: ${describeCount(removed, 'member')}, who cost a credit each to be added again; added by hand: ${added}, who are removed unless their group has them. Those who could not be added before are tried again, for a credit each.`,
    yes,
  );
}
