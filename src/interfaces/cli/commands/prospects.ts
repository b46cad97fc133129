import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type FoundProspect, findProspects } from '../../../paths/find-prospects.ts';
import { prospectsCsv } from '../../../paths/prospects-csv.ts';
import { STRENGTH_FLOOR } from '../../../paths/strength.ts';
import { parseCount } from '../action/command.ts';
import { chooseOne, percentText, recordQueryCost } from '../action/integrations.ts';
import { recordNamesShown } from '../action/names-shown.ts';
import {
  baseOptions,
  type ProductDeps,
  productAction,
  productCommand,
  withIntegration,
} from '../action/product.ts';
import type { Output } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync prospects
  donor-sync prospects riverside --limit 100 --min-strength 0.7
  donor-sync prospects --csv > prospects.csv
  donor-sync prospects --json    for scripts: { "prospects": [...] }

Asks the service once, which may cost a credit if it charges for queries. Writes nothing. A person
who is in the CRM and was not enhanced yet may still be listed: nothing shows yet that the two are
the same.`;

const DEFAULT_LIMIT = 25;

const optionsSchema = baseOptions
  .extend({
    json: z.boolean().default(false),
    csv: z.boolean().default(false),
    limit: z.int().default(DEFAULT_LIMIT),
    minStrength: z.number().optional(),
  })
  .refine(({ csv, json }) => !(csv && json), { error: 'Either --csv or --json, not both.' });

/** The command `prospects`: people that the networks know and the CRM does not. */
export function prospectsCommand(deps: ProductDeps): Command {
  const command = productCommand('prospects', deps)
    .description('show people who are not in the CRM, those that the networks know best first')
    .argument('[id]', 'the integration; may be left out if there is only one')
    .option('--limit <count>', `how many at most (default: ${DEFAULT_LIMIT})`, parseCount)
    .option(
      '--min-strength <number>',
      'from 0.45 to 1 (default: insights.minStrength of the settings)',
      parseStrength,
    )
    .option('--csv', 'print a CSV file on stdout')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, id: string | undefined) => {
    const { application, options, output } = action;
    const integration = chooseOne(application, id, 'after the command');
    const { csv, limit, minStrength = integration.insights.minStrength } = options;
    await withIntegration(application, integration, async (open) => {
      const prospects = await findProspects(open.deps, integration.id, { limit, minStrength });
      await recordNamesShown(application, {
        command: 'prospects',
        integrationId: integration.id,
        names: prospects.length,
      });
      output.finish({ prospects }, () => {
        if (csv) deps.stdout.write(prospectsCsv(prospects));
        else printProspects(output, prospects);
      });
      recordQueryCost(output, open.partner);
    });
  });
}

/** Reads the value of an option that is the strength of a connection. */
function parseStrength(text: string): number {
  const strength = Number(text);
  if (/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) && strength >= STRENGTH_FLOOR && strength <= 1)
    return strength;
  throw new InvalidArgumentError(`Write a number from ${STRENGTH_FLOOR} to 1, for example 0.7.`);
}

function printProspects(output: Output, prospects: readonly FoundProspect[]): void {
  if (prospects.length === 0) {
    output.print('The networks know no people of such strength who are not in the CRM already.');
    return;
  }
  output.table(
    [
      { header: 'Strength', value: ({ best }) => percentText(best.strength), align: 'right' },
      { header: 'Who', value: ({ name, donorId }) => name ?? donorId },
      { header: 'Known to', value: ({ people }) => String(people), align: 'right' },
      { header: 'How', value: ({ best }) => best.sentence, shrinks: true },
    ],
    prospects,
  );
}
