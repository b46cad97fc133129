import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { getFieldSource } from '../../../operations/fields.ts';
import { perform } from '../../../operations/kit/perform.ts';
import { requireEmptyFolder } from '../action/empty-folder.ts';
import { chooseOne } from '../action/integrations.ts';
import { toCaller, toOperationDeps } from '../action/operation-asking.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync fields source riverside-fields
  donor-sync fields source riverside-fields --integration riverside
  donor-sync fields source riverside-app --enhance-now     with the button "Enhance now", for this server's address

It sends no request to the CRM, because the files are created from the client's field map.`;

const sourceOptions = baseOptions.extend({
  integration: z.string().optional(),
  enhanceNow: z.boolean().default(false),
});

type Source = z.output<typeof getFieldSource.result>;

/**
 * Creates the command for users who deploy the fields themselves. The command writes the source files of the fields
 * that `fields create` would create.
 */
export function fieldSourceCommand(deps: ProductDeps): Command {
  const command = productCommand('source', deps)
    .description(getFieldSource.summary)
    .argument('<dir>', 'an empty or new folder')
    .option('--integration <id>', 'the ID of the client, if there are several')
    .option('--enhance-now', getFieldSource.input.shape.enhanceNow.description)
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, sourceOptions, async (action, dir: string) => {
    const { application, options, output, settings } = action;
    const { id } = chooseOne(application, options.integration, 'with --integration');
    const world = toOperationDeps(deps, application, settings);
    const { enhanceNow } = options;
    const input = { integration: id, enhanceNow };
    const source = await perform(world, toCaller(deps), getFieldSource, input);
    const folder = resolve(deps.cwd, dir);
    await writeFiles(folder, source);
    finish(output, folder, source);
    return EXIT_CODES.done;
  });
}

async function writeFiles(folder: string, { files }: Source): Promise<void> {
  await requireEmptyFolder(folder);
  for (const { path, text } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function finish(output: Output, folder: string, source: Source): void {
  const { integration, leftOut, next } = source;
  const files = source.files.map(({ path }) => path);
  output.finish({ source: { integration, folder, files, leftOut, next } }, () => {
    output.print(`${describeCount(files.length, 'file')} for ${integration} in ${folder}.`);
    for (const { name, problem } of leftOut) {
      output.print(`  ${output.style.warn(`${name} is not included.`)} ${problem}`);
    }
    output.print('In that folder:');
    for (const [at, step] of next.entries()) output.print(`  ${at + 1}. ${step}`);
  });
}
