import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { hideSecrets, toYaml } from '../../../clients/shown-settings.ts';
import { exportEverything } from '../../../privacy/export-everything.ts';
import { requireEmptyFolder } from '../action/empty-folder.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync export riverside > riverside.yaml
  donor-sync export riverside --json
  donor-sync export riverside --everything riverside-data    all that is held, for a nonprofit that leaves

Keys, tokens and passwords are replaced by variables whose names are made of the integration's id
and the setting, for example \${RIVERSIDE_PARTNER_API_KEY}; stderr lists them.

--everything writes files for spreadsheets into a new folder, settings among them. Who leaves is erased by
donor-sync erase afterwards.`;

const optionsSchema = baseOptions.extend({ everything: z.string().min(1).optional() });

/** The command `export`: prints an integration so that `apply` takes it. */
export function exportCommand(deps: ProductDeps): Command {
  const command = productCommand('export', deps)
    .description('print the settings of an integration as YAML that apply takes')
    .argument('<id>', 'the integration, from the settings file or from the database')
    .option('--everything <folder>', 'write all that is held of it into a new folder')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, id: string) => {
    const { application, options, output } = action;
    for (const integration of application.select([id])) {
      const { settings, variables } = hideSecrets(integration);
      // JSON is YAML: `apply` takes either.
      const document = { integrations: [settings] };
      if (options.everything === undefined) {
        output.finish(document, () => output.print(toYaml(document).trimEnd()));
      } else {
        const folder = resolve(deps.cwd, options.everything);
        await requireEmptyFolder(folder);
        const { clock } = deps;
        const files = await exportEverything({ application, clock }, integration.id, folder);
        await writeFile(join(folder, 'settings.yaml'), toYaml(document));
        output.finish({ exported: integration.id, folder, files }, () => {
          for (const { name, rows } of files)
            output.print(`${name}: ${describeCount(rows, 'row')}`);
          output.print(`Everything of "${integration.id}" is in ${folder}.`);
        });
      }
      if (variables.length > 0) {
        output.note(`Set these variables before you apply it: ${variables.join(', ')}`);
      }
    }
  });
}
