import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { toYaml } from '../../../clients/shown-settings.ts';
import type { WriteFile } from '../../../core/write-file.ts';
import { findClient } from '../../../operations/kit/clients.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { exportAll, exportSettings } from '../../../operations/settings.ts';
import { requireEmptyFolder } from '../action/empty-folder.ts';
import { getWorstCode } from '../action/integrations.ts';
import { toCaller, toOperationDeps } from '../action/operation-asking.ts';
import { carryOutHere } from '../action/operation-command.ts';
import { endWith } from '../action/operation-output.ts';
import {
  baseOptions,
  type ProductAction,
  type ProductDeps,
  productAction,
  productCommand,
} from '../action/product.ts';
import type { ExitCode } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync export riverside > riverside.yaml
  donor-sync export riverside --json
  donor-sync export everything riverside --out riverside-data    all data, for a nonprofit that leaves

Keys, tokens and passwords are replaced by variables. Their names consist of the client's ID and the
setting, for example \${RIVERSIDE_PARTNER_API_KEY}. stderr lists them.`;

const EVERYTHING = `
It writes files for spreadsheets and the settings into a new folder. Only you can read them. To erase a client
that leaves, run donor-sync erase afterwards.`;

const optionsSchema = baseOptions.extend({ everything: z.string().min(1).optional() });
const everythingSchema = baseOptions.extend({ out: z.string().min(1) });

export function exportCommand(deps: ProductDeps): Command {
  const command = productCommand('export', deps)
    .description(exportSettings.summary)
    .argument('<integration>', 'The ID of the client, from the settings file or from the database')
    // The name of this option in earlier versions.
    .addOption(new Option('--everything <folder>').hideHelp())
    .addHelpText('after', EXAMPLES);
  command.addCommand(everythingCommand(deps));
  return productAction(deps, command, optionsSchema, async (action, id: string) => {
    const { everything: out } = action.options;
    if (out !== undefined) return writeEverything(deps, action, { id, out });
    // `apply` also accepts JSON, because JSON is valid YAML.
    const say = (document: object) => toYaml(document).trimEnd();
    return carryOutHere(deps, action, { ...exportSettings, say }, { integration: id });
  });
}

function everythingCommand(deps: ProductDeps): Command {
  const command = productCommand('everything', deps)
    .description(exportAll.summary)
    .argument('<integration>', 'The ID of the client')
    .requiredOption('--out <folder>', 'the new folder for the files')
    .addHelpText('after', EVERYTHING);
  return productAction(deps, command, everythingSchema, (action, id: string) =>
    writeEverything(deps, action, { id, out: action.options.out }),
  );
}

async function writeEverything(
  deps: ProductDeps,
  { application, settings, output }: Omit<ProductAction<unknown>, 'options'>,
  { id, out }: { id: string; out: string },
): Promise<ExitCode> {
  findClient({ clients: application.integrations }, id);
  const folder = resolve(deps.cwd, out);
  await requireEmptyFolder(folder);
  const files = createFolderWriter(folder);
  const world = { ...toOperationDeps(deps, application, settings), writeFile: files.write };
  const result = await perform(world, toCaller(deps), exportAll, { integration: id }).then(
    async (done) => {
      await files.finish();
      return done;
    },
    async (error: unknown) => {
      await files.drop();
      throw error;
    },
  );
  output.finish({ ...result, folder }, () => {
    for (const line of [exportAll.say(result)].flat()) output.print(line);
    output.print(`The files are in ${folder}.`);
  });
  return getWorstCode(endWith(output, exportAll, result));
}

/**
 * Creates the function that writes the files. Only the user who runs the command can read the files. Files have
 * temporary names until all of them are complete, so that an interrupted export does not look complete.
 */
function createFolderWriter(folder: string) {
  const names: string[] = [];
  const draftOf = (name: string) => join(folder, `${name}.incomplete`);
  const write: WriteFile = (name, parts) => {
    names.push(name);
    return pipeline(parts, createWriteStream(draftOf(name), { flags: 'wx', mode: 0o600 }));
  };
  return {
    write,
    async finish(): Promise<void> {
      for (const name of names) await rename(draftOf(name), join(folder, name));
    },
    async drop(): Promise<void> {
      for (const name of names) await rm(draftOf(name), { force: true });
    },
  };
}
