import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Finding } from '../../../../../connectors/contract.ts';
import { missingParts } from '../../../../../connectors/findings/missing-parts.ts';
import { isPackageName } from '../../../../../connectors/index.ts';
import type { ColumnLine } from '../../../../clients/setup/column-list.ts';
import { ConfigurationError, isConfigurationError, messageOf } from '../../../../core/errors.ts';
import type { Integration } from '../../../../core/integration-settings.ts';
import type { Environment } from '../../../../settings/environment.ts';
import { getEnvironmentFile, withEnvironmentFile } from '../../../../settings/environment-file.ts';
import { insecureAddress, insecureAddresses } from '../../../../settings/insecure-http.ts';
import { interpolate } from '../../../../settings/interpolation.ts';
import {
  type LoadOptions,
  parseSettings,
  type Settings,
  settingsPath,
} from '../../../../settings/settings.ts';
import type { PersonShape } from '../../../../sync/sample-persons.ts';
import { type CommandDeps, createCommand, runAction } from '../../action/command.ts';
import { type Output, usageError } from '../../terminal/output.ts';
import { askText, createDefaults, createPrompts, type Prompter } from '../../terminal/prompts.ts';
import type { Answers, PresentSettings, Surroundings } from './answers.ts';
import { collectAnswers } from './collect-answers.ts';
import { FLAGS, type InitFlags, initFlagsSchema, withAnswerOptions } from './flags.ts';
import { saveVariable } from './key-file.ts';
import { settingsText } from './settings-text.ts';
import { fileDeps, showPersons } from './show-persons.ts';
import { writtenBefore } from './written-before.ts';

/** The dependencies of `init` that other commands do not have. */
export interface InitDeps
  extends CommandDeps,
    Pick<LoadOptions, 'cwd' | 'findConnectorDefinition'> {
  stdin: Readable & { isTTY?: boolean };
  /** The stream for questions, because stdout is for the result. */
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** Returns this machine's time zone as an IANA name. The schedule question suggests this time zone. */
  timezone(): string;
}

const EXAMPLES = `
Examples:
  donor-sync init
  donor-sync init --yes --crm csv --csv-path donors.csv
  donor-sync init --yes --crm hubspot --name "Riverside Food Bank" --schedule "0 2 * * *"
  donor-sync init --yes --crm salesforce --crm-url https://riverside.my.salesforce.com --auth jwt

Keys and tokens are never written into the file. It names variables for them. You are asked for the service
key, which is stored in .env next to the file. Only you can read .env, and git ignores it. Environment
variables override variables in .env.`;

export function initCommand(deps: InitDeps): Command {
  const command = createCommand('init', deps)
    .description('ask a few questions and write a settings file that sync and serve accept')
    .option('--config <file>', 'the file to write (default: DONOR_SYNC_CONFIG or donor-sync.yaml)')
    .option('--force', 'replace an existing file');
  withAnswerOptions(command).addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      await init(deps, initFlagsSchema.parse(command.optsWithGlobals()), output);
    }),
  );
}

async function init(deps: InitDeps, flags: InitFlags, output: Output): Promise<void> {
  const asker = chooseAsker(deps, flags);
  const env = await withEnvironmentFile({ ...deps, path: settingsPath(flags.config, deps.env) });
  const answers = await collectAnswers(
    asker,
    flags,
    createSurroundings(deps, env, null, settingsPath(flags.config, deps.env)),
  );
  const path = await askText(asker, {
    flag: '--config',
    message: 'Where should the settings file be written?',
    given: flags.config,
    initial: settingsPath(undefined, deps.env),
  });
  const target = { path: resolve(deps.cwd, path), cwd: deps.cwd };
  const draft = { deps, flags, output, asker, env, path };
  const checked = await checkDraft(draft, answers, (complete) => settingsText(complete, target));
  const mayReplaceIt = await mayReplace(asker, flags, deps, path);
  // Shows the people before anything is written, so that a wrong column has no consequences.
  const showing = { deps, output, asker: flags.yes ? null : asker };
  const persons = await showPersons(showing, checked.integration);
  await writeSettings(target.path, checked.text, mayReplaceIt);
  await report(draft, { ...checked, persons, verb: 'Wrote' });
}

/** Collects the data on which the questions depend. The options are not part of this data. */
export function createSurroundings(
  { cwd, timezone, stdin, findConnectorDefinition }: InitDeps,
  env: Environment,
  present: PresentSettings | null,
  settings: string,
): Surroundings {
  const settingsFile = resolve(cwd, settings);
  return {
    cwd,
    timezone: timezone(),
    present,
    isSet: (variable) => Boolean(env[variable]),
    async findPackage(kind) {
      if (kind === undefined || !isPackageName(kind)) return null;
      const definition = await findConnectorDefinition(kind).catch((error: unknown) => {
        // The question itself lists the possible kinds.
        if (isConfigurationError(error) && error.code === 'connector_unknown') return null;
        throw error;
      });
      if (definition === null) return null;
      const { about } = definition;
      if (about?.setup !== undefined) return { ...about, kind, setup: about.setup };
      throw usageError(
        `${FLAGS.crmKind}: the connector package "${kind}" declares no set-up, so init cannot ask for its settings. Write crm: { kind: ${kind}, … } into the settings file by hand.`,
      );
    },
    defaultFields: async (kind) => (await findConnectorDefinition(kind)).defaultFields,
    writtenBefore: async (csvPath) =>
      writtenBefore(await readText(settingsFile), csvPath, {
        cwd,
        folder: dirname(settingsFile),
        defaults: (await findConnectorDefinition('csv')).defaultFields,
      }),
    readKey: (path) => (path === '-' ? readToEnd(stdin) : readKeyFile(resolve(cwd, path))),
  };
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError(`--partner-key-file: ${messageOf(error)}`);
  }
}

export interface Draft {
  deps: InitDeps;
  flags: InitFlags;
  output: Output;
  asker: Prompter;
  env: Environment;
  /** The settings file's path, for messages. */
  path: string;
}

export interface CheckedDraft {
  text: string;
  answers: Answers;
  integration: Integration | undefined;
}

/** Checks the settings, and asks about unreadable CSV rows. Throws a ConfigurationError for invalid settings. */
export async function checkDraft(
  draft: Draft,
  answers: Answers,
  buildText: (answers: Answers) => string,
): Promise<CheckedDraft> {
  const checked = await parseDraft(draft, answers, buildText);
  const { crm } = answers;
  if (crm.kind !== 'csv' || checked.integration === undefined) return checked;
  const findings = await checkFile(draft.deps, checked.integration);
  const { asker, flags, output } = draft;
  for (const { subject, message, fix } of findings) {
    if (subject === 'unknown marks') output.note(`${message}. ${fix ?? ''}`);
  }
  const finding = crm.badRows === 'skip' ? null : badRowsIn(findings);
  if (finding === null) return checked;
  output.note(`${finding.message}. ${finding.fix ?? ''}`);
  const isAsked = !flags.yes && flags.csvBadRows === undefined;
  if (
    isAsked &&
    (await asker.confirm('Skip these rows, and continue with the other rows?', true))
  ) {
    return parseDraft(draft, { ...answers, crm: { ...crm, badRows: 'skip' } }, buildText);
  }
  output.note('No sync starts until they are corrected. To skip them instead: --csv-bad-rows skip');
  return checked;
}

async function parseDraft(
  { deps, env, path }: Draft,
  answers: Answers,
  buildText: (answers: Answers) => string,
): Promise<CheckedDraft> {
  const text = buildText(answers);
  const settings = await parseSettings(text, { ...deps, path, env: withStandIns(text, env) });
  requireSecure(settings);
  const integration = settings.integrations.find(({ id }) => id === answers.id);
  return { text, answers, integration };
}

/** Checks the contact file. The connector skips unreadable rows. */
async function checkFile(
  { findConnectorDefinition }: InitDeps,
  { crm, contacts }: Integration,
): Promise<Finding[]> {
  const definition = await findConnectorDefinition(crm.kind);
  const settings = definition.settingsSchema.parse({ ...crm, badRows: 'skip' });
  return definition.check({ settings, contacts, deps: fileDeps() });
}

/** Returns the finding about unreadable rows, or null if the connector skips no row. */
function badRowsIn(findings: readonly Finding[]): Finding | null {
  const found = findings.find(({ subject }) => subject === 'bad rows');
  return found === undefined
    ? null
    : { ...found, message: found.message.replace(' and are skipped', '') };
}

export function chooseAsker({ stdin, stderr }: InitDeps, flags: InitFlags): Prompter {
  if (flags.yes) return createDefaults();
  if (stdin.isTTY && stderr.isTTY) return createPrompts({ input: stdin, output: stderr });
  throw new ConfigurationError(
    'init asks questions and needs a terminal. For scripts: donor-sync init --yes --crm csv --csv-path FILE',
    { code: 'terminal_missing' },
  );
}

/** Throws an error if donor-sync would send keys without encryption. */
function requireSecure(settings: Settings): void {
  const [first] = insecureAddresses(settings.integrations, settings);
  if (first === undefined) return;
  throw insecureAddress(
    first,
    null,
    'init does not write such settings. Use an https address, or leave the variable for the address unset and add allowInsecureHttp to the file by hand.',
  );
}

/** Sets placeholders for missing keys, so that the other settings can be checked. */
function withStandIns(text: string, env: Environment): Environment {
  const names = interpolate(text, {}).variables;
  const unset = names.filter((name) => !env[name]);
  return { ...env, ...Object.fromEntries(unset.map((name) => [name, STAND_IN])) };
}

/** The placeholder for a missing key. The placeholder is valid both as text and as a URL. */
const STAND_IN = 'https://not-set.invalid';

async function mayReplace(
  asker: Prompter,
  flags: InitFlags,
  { cwd }: InitDeps,
  path: string,
): Promise<boolean> {
  if (flags.force) return true;
  const isThere = await stat(resolve(cwd, path)).then(
    () => true,
    () => false,
  );
  if (!isThere) return false;
  if (await asker.confirm(`${path} already exists. Replace it?`)) return true;
  throw new ConfigurationError(
    `${path} already exists, and was not changed. Choose another file with --config, or use --force.`,
    { code: 'settings_exist', details: { path } },
  );
}

async function writeSettings(path: string, text: string, mayReplaceIt: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // The flag `wx` also protects a file that was created after the check.
  await writeFile(path, text, { flag: mayReplaceIt ? 'w' : 'wx' });
}

/**
 * Writes the settings and then the key. If the key cannot be stored, the user can set the variable. Then prints the
 * next steps for the user.
 */
export async function report(
  draft: Draft,
  {
    text,
    answers,
    persons,
    verb,
  }: CheckedDraft & { persons: readonly PersonShape[]; verb: string },
): Promise<void> {
  const { deps, output, path } = draft;
  const { key, keyVariable } = answers.partner;
  const keyFile = getEnvironmentFile(resolve(deps.cwd, path));
  if (key !== null) await saveVariable(keyFile, keyVariable, key);
  const env = await withEnvironmentFile({ ...deps, path });
  const variables = [...new Set(interpolate(text, {}).variables)];
  const unset = variables.filter((name) => !env[name]);
  const next = nextCommands(answers, path, deps.env);
  const document = {
    settings: path,
    integration: answers.id,
    unset,
    next,
    ...(key === null ? {} : { keyFile: relative(deps.cwd, keyFile) }),
    ...(persons.length > 0 ? { persons } : {}),
  };
  output.finish(document, () => {
    if (answers.crm.kind === 'csv') printColumns(output, answers.crm.fileColumns);
    if (persons.length > 0) output.print();
    output.print(output.style.good(`${verb} ${path}.`));
    if (key !== null) {
      output.print(
        `The service key is in ${relative(deps.cwd, keyFile)}. Only you can read the file, and git ignores it.`,
      );
    }
    const marks = markedColumns(answers);
    if (marks.length > 0)
      output.print(`Never sent to the service: contacts marked in ${marks.join(', ')}.`);
    if (answers.crm.kind === 'csv') {
      for (const { part, price } of missingParts(answers.crm.columns)) {
        output.print(
          `${MISSING[part]} is used, so ${price}. To name one: ${MISSING_OPTIONS[part]}`,
        );
      }
    }
    if (answers.crm.kind === 'csv') for (const text of answers.crm.notes) output.print(text);
    if (answers.crm.kind === 'csv' && answers.crm.advice !== null) output.print(answers.crm.advice);
    output.print();
    if (unset.length > 0) {
      output.print(
        'First set these in the environment, or as NAME=… in .env next to the settings:',
      );
    }
    for (const name of unset) output.print(`  export ${name}=…`);
    output.print(unset.length > 0 ? '\nThen:' : 'Next:');
    for (const command of next) output.print(`  ${command}`);
  });
}

/** Prints the columns. The examples are contacts' values, so they are shown only on a terminal. */
function printColumns(output: Output, columns: readonly ColumnLine[]): void {
  output.print();
  output.print('The columns of the file:');
  output.table(
    [
      { header: 'Column', value: ({ name }) => name || '(no name)', shrinks: true },
      { header: 'Read as', value: ({ use }) => use ?? 'not used' },
      {
        header: 'Example',
        value: ({ example, shape }) => (output.isTerminal ? (example ?? shape) : shape),
        shrinks: true,
      },
    ],
    columns,
  );
  output.print();
}

const MISSING = {
  address: 'No address column',
  employer: 'No employer column',
} as const;
const MISSING_OPTIONS = { address: FLAGS.addresses, employer: FLAGS.employers } as const;

/** Returns the columns with marks, each once and in quotes. */
function markedColumns({ crm }: Answers): string[] {
  if (crm.kind !== 'csv') return [];
  const columns = Object.values(crm.marks).filter((column) => column !== null);
  return [...new Set(columns)].map((column) => `"${column}"`);
}

function nextCommands({ id, crm }: Answers, path: string, env: Environment): string[] {
  const suffix = path === settingsPath(undefined, env) ? '' : ` --config ${shellQuoted(path)}`;
  const commands = ['doctor', `plan ${id}`, `sync ${id}`];
  if (crm.kind !== 'csv') commands.splice(1, 0, `fields create ${id}`);
  return commands.map((command) => `donor-sync ${command}${suffix}`);
}

function shellQuoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function readToEnd(stream: Readable): Promise<string> {
  let text = '';
  for await (const piece of stream) text += String(piece);
  return text;
}
