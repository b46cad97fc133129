import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import type { ConnectorDefinition } from '../../connectors/contract.ts';
import type { AlertSettings } from '../core/alert-settings.ts';
import type { CreditPrices } from '../core/credit-price.ts';
import { ConfigurationError, isConfigurationError, messageOf } from '../core/errors.ts';
import { type Integration, integrationSchema } from '../core/integration-settings.ts';
import type { Retention } from '../core/retention.ts';
import type { SecondPersonRules } from '../core/second-person.ts';
import { checkPart } from './check.ts';
import { duplicateProblems } from './duplicates.ts';
import type { Environment } from './environment.ts';
import { withEnvironmentFile } from './environment-file.ts';
import { valueAt } from './expectation.ts';
import { insecureProblem, isInsecure } from './insecure-http.ts';
import { formatPath, formatProblem, type Problem, sortProblems } from './problem.ts';
import {
  type DoorAppSettings,
  type SetupSettings,
  type serverSchema,
  settingsSchema,
} from './settings-schema.ts';
import { readSettingsTree, type SettingsTree, type TreeProblem } from './settings-tree.ts';

export { hasOwnUrl, ownUrl } from './settings-schema.ts';

/** The checked settings, in the form that the rest of donor-sync reads. */
export interface Settings {
  /** The absolute path of the settings file. */
  path: string;
  server: z.infer<typeof serverSchema>;
  /** Default values for the set-up in a browser. The set-up does not ask users for these values. */
  setup: SetupSettings;
  alerts: AlertSettings;
  /** `sqlite:` with an absolute path, or a `postgres://` URL. */
  database: string;
  /** The file outside the database that records erasures, or null for a database in memory. */
  erasureLog: string | null;
  moreErasureLogs?: readonly string[];
  /** The file outside the database that records spending, or null if there is no file. */
  spendingJournal?: string | null;
  /** The number of days for which donor-sync keeps past records. */
  retention: Retention;
  /** The price of a credit, by bucket. By default, donor-sync does not know the price. */
  credits?: { price: CreditPrices };
  /** The actions that a second user must confirm. Defaults to none. */
  twoPeople?: SecondPersonRules;
  /** This installation's app in HubSpot. Defaults to none. */
  hubspot?: DoorAppSettings;
  /** Hosts for which plain http is allowed. */
  allowInsecureHttp: string[];
  integrations: Integration[];
}

export interface LoadOptions {
  /** The path of the settings file. The path can be relative to `cwd`. Messages contain this path unchanged. */
  path: string;
  env: Environment;
  /** The folder in which the command was started. */
  cwd: string;
  /** Returns the connector for a kind of CRM. Throws an error if there is no connector of this kind. */
  findConnectorDefinition(kind: string): Promise<ConnectorDefinition>;
  /** Hosts for which plain http is allowed, in addition to the hosts in the settings. */
  allowInsecureHttp?: readonly string[];
  /**
   * The database to use instead of the database in the settings. The result is the settings after a move to this
   * database.
   */
  database?: string;
}

/** The settings file that donor-sync reads by default. */
export const DEFAULT_SETTINGS_PATH = 'donor-sync.yaml';

/** Returns the settings file to use: `--config`, then DONOR_SYNC_CONFIG, then `./donor-sync.yaml`. */
export function settingsPath(option: string | undefined, env: Environment): string {
  return option || env['DONOR_SYNC_CONFIG'] || DEFAULT_SETTINGS_PATH;
}

/**
 * Reads and checks a settings file (design, section 4.2). Reads variables that the environment does not set from the
 * `.env` file next to the settings file. Throws one ConfigurationError that lists all problems. `details.problems`
 * contains the problems for programs.
 */
export async function loadSettings(options: LoadOptions): Promise<Settings> {
  const text = await readSettingsFile(options);
  return parseSettings(text, { ...options, env: await withEnvironmentFile(options) });
}

/** Reads and checks the text of a settings file. */
export async function parseSettings(text: string, options: LoadOptions): Promise<Settings> {
  const tree = readSettingsTree(text, options.env);
  const { settings, problems } = await checkSettings(tree, options);
  const all = [...tree.problems, ...problems];
  if (settings === null || all.length > 0) throw settingsError(all, options.path);
  const path = resolve(options.cwd, options.path);
  const { database = settings.database } = options;
  return { path, ...resolveFiles({ ...settings, database }, dirname(path)) };
}

async function readSettingsFile({ path, cwd }: LoadOptions): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (cause) {
    throw unreadableSettings(path, cause);
  }
}

/** Creates the error for a settings file that does not exist or cannot be read. */
export function unreadableSettings(path: string, cause: unknown): ConfigurationError {
  const fix = 'Run `donor-sync init` to create one, or give the path of yours with --config FILE.';
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
  const problem = isMissing ? 'does not exist' : `cannot be read: ${messageOf(cause)}`;
  return new ConfigurationError(`The settings file ${path} ${problem}. ${fix}`, {
    code: isMissing ? 'settings_not_found' : 'settings_unreadable',
    cause,
    details: { path },
  });
}

type CheckedSettings = z.infer<typeof settingsSchema>;

async function checkSettings(
  tree: SettingsTree,
  options: LoadOptions,
): Promise<{ settings: CheckedSettings | null; problems: TreeProblem[] }> {
  // If the YAML could be read only partly, the check would wrongly report settings as missing.
  if (!tree.readable) return { settings: null, problems: [] };
  const whole = checkPart(tree, [], settingsSchema);
  const problems = [...whole.problems, ...duplicateProblems(tree)];
  const list = valueAt(whole.written, ['integrations']);
  const count = Array.isArray(list) ? list.length : 0;
  const allowed = hostsSchema.parse(valueAt(whole.written, ['allowInsecureHttp']));
  const allowInsecureHttp = [...(options.allowInsecureHttp ?? []), ...allowed];
  const secure = { allowInsecureHttp };
  problems.push(...checkUrl(tree, ['alerts', 'webhook', 'url'], secure));
  problems.push(
    ...(await checkPackages(tree, valueAt(whole.written, ['setup', 'packages']), options)),
  );
  const integrations = [];
  for (let index = 0; index < count; index += 1) {
    const crm = await checkCrm(tree, index, { ...options, allowInsecureHttp });
    problems.push(...crm.problems);
    const own = ['integrations', index];
    problems.push(...checkUrl(tree, [...own, 'partner', 'baseUrl'], secure));
    problems.push(...checkUrl(tree, [...own, 'alerts', 'webhook', 'url'], secure));
    const integration = whole.parsed?.value.integrations[index];
    if (integration !== undefined) integrations.push({ ...integration, crm: crm.settings });
  }
  const settings = whole.parsed === null ? null : { ...whole.parsed.value, integrations };
  return { settings, problems };
}

/**
 * Loads the connector packages that users can choose in the set-up. Reports packages that do not support the set-up.
 */
async function checkPackages(
  tree: SettingsTree,
  names: unknown,
  options: LoadOptions,
): Promise<TreeProblem[]> {
  const problems: TreeProblem[] = [];
  for (const [index, name] of (Array.isArray(names) ? names : []).entries()) {
    // The check of the whole file has already reported this problem.
    if (typeof name !== 'string' || name === '') continue;
    const definition = await findDefinition(name, options);
    const path = ['setup', 'packages', index];
    const message =
      typeof definition === 'string'
        ? definition
        : definition.about?.setup === undefined
          ? `the connector "${name}" declares no set-up, so users cannot choose it: remove it here, and describe its clients in the file`
          : null;
    if (message !== null) problems.push({ path, position: tree.getMark(path).position, message });
  }
  return problems;
}

/** The schema of the allowed hosts. If the list has errors, no hosts are allowed. The errors are reported elsewhere. */
const hostsSchema = settingsSchema.shape.allowInsecureHttp.catch([]);

interface CheckedCrm {
  /** The CRM settings as the user wrote them. The connector reads them and adds its own defaults. */
  settings: Integration['crm'];
  problems: TreeProblem[];
}

/** Checks the parts that only the connector can check: its own settings, and the groups that it reads. */
async function checkCrm(
  tree: SettingsTree,
  index: number,
  options: LoadOptions & { allowInsecureHttp: readonly string[] },
): Promise<CheckedCrm> {
  const path = ['integrations', index, 'crm'];
  const kind = valueAt(tree.value, [...path, 'kind']);
  const kindMark = tree.getMark([...path, 'kind']);
  // The check of the whole file has already reported this problem.
  if (typeof kind !== 'string' || kind === '' || kindMark.incomplete) {
    return { settings: { kind: '' }, problems: [] };
  }
  const definition = await findDefinition(kind, options);
  if (typeof definition === 'string') {
    const [variable] = kindMark.variables;
    // A message never shows a value from the environment, because the user may have put a secret into the wrong
    // setting.
    const message = variable === undefined ? definition : `no CRM is called what ${variable} says`;
    const problem = { path: [...path, 'kind'], position: kindMark.position, message };
    return { settings: { kind }, problems: [problem] };
  }
  const { written, problems } = checkPart(tree, path, definition.settingsSchema);
  const settings = integrationSchema.shape.crm.parse(written);
  const insecure = definition.refusesPlainHttp ? checkUrl(tree, [...path, 'url'], options) : [];
  return {
    settings,
    problems: [...problems, ...insecure, ...checkGroups(tree, index, definition)],
  };
}

function checkUrl(
  tree: SettingsTree,
  path: readonly PropertyKey[],
  { allowInsecureHttp }: { allowInsecureHttp: readonly string[] },
): TreeProblem[] {
  const url = valueAt(tree.value, path);
  if (typeof url !== 'string' || !isInsecure(url, allowInsecureHttp)) return [];
  const { position, variables } = tree.getMark(path);
  // A message never shows a value from the environment.
  const host = variables.length === 0 ? new URL(url).hostname : 'this host';
  return [{ path, position, message: insecureProblem(host) }];
}

/** Returns the connector for a kind of CRM, or the reason why there is no connector. */
async function findDefinition(
  kind: string,
  options: LoadOptions,
): Promise<ConnectorDefinition | string> {
  try {
    return await options.findConnectorDefinition(kind);
  } catch (error) {
    if (isConfigurationError(error)) return error.message;
    throw error;
  }
}

function checkGroups(
  tree: SettingsTree,
  index: number,
  definition: ConnectorDefinition,
): TreeProblem[] {
  const networks = valueAt(tree.value, ['integrations', index, 'networks']);
  if (!Array.isArray(networks)) return [];
  return networks.flatMap((network, position) => {
    const group = valueAt(network, ['group']);
    // The check of the whole file reports a group that is not a map.
    if (typeof group !== 'object' || group === null || Array.isArray(group)) return [];
    const path = ['integrations', index, 'networks', position, 'group'];
    return checkPart(tree, path, definition.groupSchema).problems;
  });
}

function settingsError(found: readonly TreeProblem[], file: string): ConfigurationError {
  const problems = sortProblems(found.map((problem) => problemIn(file, problem)));
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const lines = problems.map((problem) => `  ${formatProblem(problem)}`);
  return new ConfigurationError([`The settings file has ${count}:`, ...lines].join('\n'), {
    code: 'settings_invalid',
    details: { problems },
  });
}

function problemIn(file: string, { path, position, message }: TreeProblem): Problem {
  return { file, ...position, path: formatPath(path), message };
}

/** Makes relative paths relative to the settings file, because cron starts commands in any folder. */
function resolveFiles(settings: CheckedSettings, folder: string): Omit<Settings, 'path'> {
  const database = resolveDatabase(settings.database, folder);
  return {
    ...settings,
    database,
    ...resolveErasureLogs(settings.erasureLog, database, folder),
    spendingJournal: resolveSpendingJournal(settings.spendingJournal, database, folder),
    integrations: settings.integrations.map((integration) => ({
      ...integration,
      crm: resolveCrmFiles(integration.crm, folder),
    })),
  };
}

/** The settings that contain file paths, for each kind of CRM. */
const FILE_SETTINGS: Readonly<Record<string, readonly string[]>> = { csv: ['path', 'output'] };

const SQLITE = 'sqlite:';
const IN_MEMORY = ':memory:';

/**
 * Resolves the database. An SQLite file is relative to the settings file's folder. A Postgres URL remains unchanged.
 */
function resolveDatabase(database: string, folder: string): string {
  if (!database.startsWith(SQLITE)) return database;
  const file = database.slice(SQLITE.length);
  return file === IN_MEMORY ? database : `${SQLITE}${resolve(folder, file)}`;
}

/** The name of the erasure log next to the settings file. Used for a Postgres database. */
const LOG_BY_SETTINGS = 'donor-sync.erasures';

/**
 * Returns the files for the erasure log. With SQLite, one file is next to the database, and the settings can name a
 * second file. With Postgres, the settings can name the file. If the settings name no file, the erasure log is next to
 * the settings file.
 */
function resolveErasureLogs(
  named: string | null,
  database: string,
  folder: string,
): Pick<Settings, 'erasureLog' | 'moreErasureLogs'> {
  const places = named === null ? [] : [resolve(folder, named)];
  const file = database.startsWith(SQLITE) ? database.slice(SQLITE.length) : null;
  if (file !== null && file !== IN_MEMORY) {
    return { erasureLog: `${file}.erasures`, moreErasureLogs: places };
  }
  const fallback = file === IN_MEMORY ? null : resolve(folder, LOG_BY_SETTINGS);
  return { erasureLog: places[0] ?? fallback, moreErasureLogs: [] };
}

/**
 * Returns the file of the spending journal. The settings can name the file. If the settings name no file, the spending
 * journal is next to an SQLite database. Several hosts may spend credits with one Postgres database, and each host has
 * its own file system. With Postgres, there is therefore no file unless the settings name it.
 */
function resolveSpendingJournal(
  named: string | null,
  database: string,
  folder: string,
): string | null {
  if (named !== null) return resolve(folder, named);
  if (!database.startsWith(SQLITE)) return null;
  const file = database.slice(SQLITE.length);
  return file === IN_MEMORY ? null : `${file}.spending`;
}

/** Resolves the file paths in a CRM's settings, relative to the folder of the settings file. */
function resolveCrmFiles<Crm extends { kind: string }>(crm: Crm, folder: string): Crm {
  const names = FILE_SETTINGS[crm.kind] ?? [];
  const entries = Object.entries(crm).map(([name, value]) =>
    names.includes(name) && typeof value === 'string'
      ? [name, resolve(folder, value)]
      : [name, value],
  );
  return { ...crm, ...Object.fromEntries(entries) };
}
