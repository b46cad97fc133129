import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { hideSecrets, toYaml } from '../../../clients/shown-settings.ts';
import { findClient } from '../../../operations/kit/clients.ts';
import { exportSettings } from '../../../operations/settings.ts';
import { exportEverything } from '../../../privacy/export-everything.ts';
import { requireEmptyFolder } from '../action/empty-folder.ts';
import { carryOutHere } from '../action/operation-command.ts';
import {
  baseOptions,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';
import { EXIT_CODES, type ExitCode } from '../terminal/output.ts';
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

/** The command `export`: prints the settings of a client so that `apply` accepts them. */
export function exportCommand(deps: ProductDeps): Command {
  const command = productCommand('export', deps)
    .description(exportSettings.summary)
    .argument('<integration>', 'The ID of the client, from the settings file or from the database')
    .option('--everything <folder>', 'write all that is held of it into a new folder')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, optionsSchema, async (action, id: string) => {
    const { options } = action;
    if (options.everything === undefined) {
      // JSON is YAML: `apply` accepts either.
      const say = (document: object) => toYaml(document).trimEnd();
      return carryOutHere(deps, action, { ...exportSettings, say }, { integration: id });
    }
    return writeEverything(deps, action, id, resolve(deps.cwd, options.everything));
  });
}

async function writeEverything(
  deps: ProductDeps,
  { application, output }: Pick<ProductAction<unknown>, 'application' | 'output'>,
  id: string,
  folder: string,
): Promise<ExitCode> {
  const integration = findClient({ clients: application.integrations }, id);
  const { settings, variables } = hideSecrets(integration);
  await requireEmptyFolder(folder);
  const { clock } = deps;
  const files = await exportEverything({ application, clock }, integration.id, folder);
  await writeFile(join(folder, 'settings.yaml'), toYaml({ integrations: [settings] }));
  output.finish({ exported: integration.id, folder, files }, () => {
    for (const { name, rows } of files) output.print(`${name}: ${describeCount(rows, 'row')}`);
    output.print(`Everything of "${integration.id}" is in ${folder}.`);
  });
  if (variables.length > 0) {
    output.note(`Set these variables before you apply it: ${variables.join(', ')}`);
  }
  return EXIT_CODES.done;
}
