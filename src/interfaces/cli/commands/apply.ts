import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { type Applied, applyIntegrations } from '../../../clients/apply-settings.ts';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { withEnvironmentFile } from '../../../settings/environment-file.ts';
import { valueAt } from '../../../settings/expectation.ts';
import { parseSettings, type Settings } from '../../../settings/settings.ts';
import { readSettingsTree } from '../../../settings/settings-tree.ts';
import { readOptions, runAction } from '../action/command.ts';
import {
  baseOptions,
  loadProductSettings,
  type ProductDeps,
  productCommand,
  withProduct,
} from '../action/product.ts';
import type { Output } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync apply riverside.yaml
  donor-sync apply riverside.yaml --dry-run

The file has "integrations:" as a settings file has. They are kept encrypted in the database that
the settings file names; an integration that the settings file has too is taken from there.`;

const optionsSchema = baseOptions.extend({ dryRun: z.boolean().default(false) });

/** The command `apply`: puts the integrations of a file into the database. */
export function applyCommand(deps: ProductDeps): Command {
  const command = productCommand('apply', deps)
    .description('store the integrations of a YAML file, encrypted, in the database')
    .argument('<file>', 'a YAML file with integrations, for example one that export printed')
    .option('--dry-run', 'check the file and tell what would change')
    .addHelpText('after', EXAMPLES);
  return command.action((file: string) =>
    runAction(deps, command, async (output) => {
      const { config, dryRun } = readOptions(command, optionsSchema);
      const settings = await loadProductSettings(deps, config);
      const integrations = await readIntegrations(deps, file, settings, output);
      const applied = await withProduct(deps, settings, (application) =>
        applyIntegrations(application, settings, integrations, { dryRun }),
      );
      output.finish({ dryRun, integrations: applied }, () => render(output, applied, dryRun));
    }),
  );
}

/** The integrations of the file, checked as those of a settings file are. */
async function readIntegrations(
  deps: ProductDeps,
  path: string,
  settings: Settings,
  output: Output,
): Promise<Integration[]> {
  const { allowInsecureHttp } = settings;
  const env = await withEnvironmentFile({ ...deps, path: settings.path });
  const text = await readText(path, deps.cwd);
  const { integrations } = await parseSettings(text, { ...deps, env, path, allowInsecureHttp });
  const tree = readSettingsTree(text, env);
  for (const part of ['server', 'database', 'allowInsecureHttp']) {
    if (valueAt(tree.value, [part]) === undefined) continue;
    output.note(`"${part}" of ${path} is not applied: it belongs into the settings file.`);
  }
  return integrations;
}

async function readText(path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new ConfigurationError(`The file ${path} cannot be read: ${messageOf(error)}`, {
      code: 'file_unreadable',
      cause: error,
      details: { path },
    });
  }
}

function render(output: Output, applied: readonly Applied[], dryRun: boolean): void {
  const prefix = dryRun ? 'would be ' : '';
  for (const { id, change, overridden } of applied) {
    output.print(`${id}: ${change === 'unchanged' ? change : prefix + change}`);
    if (overridden) {
      output.note(`"${id}" is in the settings file too, which wins: take it out there.`);
    }
  }
}
