import type { Command } from 'commander';
import { z } from 'zod';
import type { OpenIntegration } from '../../../../application.ts';
import type { PersonDetails } from '../../../../core/person.ts';
import { forecastNetworks, type NetworksForecast } from '../../../../networks/forecast.ts';
import { forecastPaths, type PathsForecast } from '../../../../paths/forecast-paths.ts';
import { openCrm } from '../../../../sync/control/crm-account.ts';
import { type Preview, previewRun, secondsAtLimit } from '../../../../sync/preview.ts';
import { parseCount } from '../../action/command.ts';
import { contactOptionSchema } from '../../action/contact-option.ts';
import {
  attemptEach,
  chooseIntegrations,
  finishAttempts,
  requireOne,
} from '../../action/integrations.ts';
import { recordNamesShown } from '../../action/names-shown.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
} from '../../action/product.ts';
import type { Output } from '../../terminal/output.ts';
import { printNetworks, printPaths, printPreview } from './text.ts';

const EXAMPLES = `
Examples:
  donor-sync plan riverside
  donor-sync plan riverside --list 50            name the first 50 contacts and changes
  donor-sync plan riverside --contact 0035e000
  donor-sync plan --all --json                   for scripts: { "plans": [...] }

Nothing is written anywhere but into the audit that names were shown, and only free requests are made.`;

/** Contacts and changes that are named one by one by default. */
const DEFAULT_LISTED = 10;

const optionsSchema = baseOptions.extend({
  all: z.boolean().default(false),
  contact: contactOptionSchema.optional(),
  full: z.boolean().default(false),
  list: z.int().positive().default(DEFAULT_LISTED),
});

type PlanOptions = z.infer<typeof optionsSchema>;

/** The command `plan`: what a sync would do now, for nothing. */
export function planCommand(deps: ProductDeps): Command {
  const command = productCommand('plan', deps)
    .description('show who would be enhanced and why, what it costs and what it would change')
    .argument('[ids...]', 'the integrations; may be left out if there is only one')
    .option('--all', 'every integration')
    .option('--contact <crm-id>', 'only the contact with this id in the CRM')
    .option('--full', 'as if all contacts were read again')
    .option('--list <n>', `contacts and changes to name (default: ${DEFAULT_LISTED})`, parseCount)
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, ids: string[]) => {
    const { application, options, output } = action;
    const chosen = chooseIntegrations(application, ids, options.all);
    if (options.contact !== undefined) requireOne(chosen);
    // Names of persons are for the terminal alone, and no part of the document.
    const shown = new Map<string, readonly PersonDetails[]>();
    const attempts = await attemptEach(application, chosen, (open) =>
      planOne(open, options, (persons) => shown.set(open.integration.id, persons)),
    );
    // Elsewhere than on a terminal their shapes are shown alone.
    if (output.isTerminal && !output.isJson) {
      for (const [integrationId, { length: names }] of shown)
        await recordNamesShown(application, { command: 'plan', integrationId, names });
    }
    return finishAttempts(output, attempts, 'plans', (plan) => {
      printPlan(output, plan, options.list, shown.get(plan.integration));
    });
  });
}

/** What a sync would do to contacts, networks and warm paths. */
export interface Plan extends Omit<Preview, 'credits'> {
  networks: NetworksForecast['networks'];
  warmPaths: PathsForecast;
  credits: {
    enhancements: Preview['credits']['enhancements'];
    networks: NetworksForecast['credits'];
  };
}

/** A plan for a person, with this many contacts and changes named one by one. */
export function printPlan(
  output: Output,
  plan: Plan,
  listed = DEFAULT_LISTED,
  persons: readonly PersonDetails[] = [],
): void {
  printPreview(output, plan, { listed, persons }, () => {
    printNetworks(output, plan);
    printPaths(output, plan);
  });
}

/** Works out what a sync would do now. */
export async function planOne(
  open: OpenIntegration,
  { contact, full }: Pick<PlanOptions, 'contact' | 'full'>,
  show: (persons: readonly PersonDetails[]) => void = () => {},
): Promise<Plan> {
  const { integration, mappings, partnerKey } = open;
  const deps = await openCrm(open.deps, null);
  const only = contact ?? null;
  const preview = await previewRun(deps, { integration, mappings, partnerKey, full, only, show });
  // A run for one contact leaves the groups alone.
  const mirrored = only === null ? integration : { ...integration, networks: [] };
  const { remaining } = preview.credits.networks;
  const forecast = await forecastNetworks(deps, mirrored, remaining);
  const warmPaths = await forecastPaths(deps, {
    integration,
    mappings,
    only: only === null ? null : [only],
    enhanced: preview.credits.enhancements.allowed + preview.waiting.profiles,
    joiners: forecast.credits.allowed,
  });
  const calls = sumCalls([preview.calls, forecast.calls, warmPaths.calls]);
  return {
    ...preview,
    networks: forecast.networks,
    warmPaths,
    credits: { enhancements: preview.credits.enhancements, networks: forecast.credits },
    calls,
    secondsAtLimit: secondsAtLimit(calls.partner),
  };
}

function sumCalls(calls: readonly Preview['calls'][]): Preview['calls'] {
  return calls.reduce((sum, { partner, crm }) => ({
    partner: sum.partner + partner,
    crm: sum.crm + crm,
  }));
}
