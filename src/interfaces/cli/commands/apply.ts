import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { applyClients } from '../../../operations/clients.ts';
import { withEnvironmentFile } from '../../../settings/environment-file.ts';
import { valueAt } from '../../../settings/expectation.ts';
import { parseSettings, type Settings } from '../../../settings/settings.ts';
import { readSettingsTree } from '../../../settings/settings-tree.ts';
import { operationCommand } from '../action/operation-command.ts';
import type { ProductDeps } from '../action/product.ts';
import type { Output } from '../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync apply riverside.yaml
  donor-sync apply riverside.yaml --dry-run

The file is YAML with "integrations:" as in a settings file, for example the output of donor-sync export. Either all
clients in the file are stored, or none. A client that is in the settings file is refused. Remove it there first.`;

export function applyCommand(deps: ProductDeps): Command {
  return operationCommand(deps, applyClients, undefined, {
    readDocument: (path, { settings, output }) => readIntegrations(deps, path, settings, output),
  }).addHelpText('after', EXAMPLES);
}

/** Reads the integrations in a file. Reports each problem with its line, as in a settings file. */
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
  const { value } = readSettingsTree(text, env);
  const others = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  for (const part of others) {
    if (part === 'integrations' || valueAt(value, [part]) === undefined) continue;
    output.note(`"${part}" of ${path} is not applied, because it belongs in the settings file.`);
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
