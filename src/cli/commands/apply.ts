import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Application } from '../../application.ts';
import { withEnvironmentFile } from '../../config/environment-file.ts';
import { valueAt } from '../../config/expectation.ts';
import { insecureAddresses, insecureProblem } from '../../config/insecure-http.ts';
import { readSettingsTree } from '../../config/settings-tree.ts';
import { parseSettings, type Settings } from '../../config.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { type Integration, integrationSchema } from '../../core/integration.ts';
import { settingsPlace } from '../../store/secrets/seal-places.ts';
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

/** What applying a file did to one integration. */
interface Applied {
  id: string;
  change: 'created' | 'changed' | 'unchanged';
  /** True if the settings file has it too, which wins. */
  overridden: boolean;
}

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
      const applied = await applyAll(deps, settings, integrations, dryRun);
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

function applyAll(
  deps: ProductDeps,
  settings: Settings,
  integrations: readonly Integration[],
  dryRun: boolean,
): Promise<Applied[]> {
  return withProduct(deps, settings, async (application) => {
    const present = await readPresent(application);
    for (const integration of integrations) requireSecure(settings, integration, present);
    const overriding = new Set(settings.integrations.map(({ id }) => id));
    const applied = integrations.map((integration) => ({
      id: integration.id,
      change: changeOf(present.get(integration.id), JSON.stringify(integration)),
      overridden: overriding.has(integration.id),
    }));
    if (!dryRun) await saveChanged(application, integrations, applied);
    return applied;
  });
}

/** Settings in the database as JSON, by id. */
async function readPresent({ store, sealer }: Application): Promise<Map<string, string>> {
  const rows = await store.integrations.listSealedSettings();
  return new Map(rows.map(({ id, settings }) => [id, sealer.open(settings, settingsPlace(id))]));
}

/**
 * An address at which keys could be read on the way is refused at once, unless it is in the database
 * already: what runs since an older version is only warned of.
 */
function requireSecure(
  { allowInsecureHttp }: Settings,
  integration: Integration,
  present: ReadonlyMap<string, string>,
): void {
  const known = present.get(integration.id);
  const before = known === undefined ? [] : [integrationSchema.parse(JSON.parse(known))];
  const rules = { alerts: { webhook: null }, allowInsecureHttp };
  const old = new Set(
    insecureAddresses(before, rules).map(({ setting, host }) => `${setting} ${host}`),
  );
  const [added] = insecureAddresses([integration], rules).filter(
    ({ setting, host }) => !old.has(`${setting} ${host}`),
  );
  if (added === undefined) return;
  throw new ConfigurationError(
    `${added.setting} of "${integration.id}": ${insecureProblem(added.host)}. Nothing was stored.`,
    { code: 'insecure_http', details: { integration: integration.id, setting: added.setting } },
  );
}

function changeOf(present: string | undefined, wanted: string): Applied['change'] {
  if (present === undefined) return 'created';
  return present === wanted ? 'unchanged' : 'changed';
}

/** One by one: whatever is cut off is done by applying the file again. */
async function saveChanged(
  { store, sealer }: Application,
  integrations: readonly Integration[],
  applied: readonly Applied[],
): Promise<void> {
  for (const [index, integration] of integrations.entries()) {
    if (applied[index]?.change === 'unchanged') continue;
    const sealed = sealer.seal(JSON.stringify(integration), settingsPlace(integration.id));
    await store.integrations.saveSealedSettings(integration.id, sealed);
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
