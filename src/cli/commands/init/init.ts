import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Environment } from '../../../config/environment.ts';
import { insecureAddresses, insecureProblem } from '../../../config/insecure-http.ts';
import { interpolate } from '../../../config/interpolation.ts';
import { type LoadOptions, parseSettings, type Settings, settingsPath } from '../../../config.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import type { PersonShape } from '../../../sync/sample-persons.ts';
import { type CommandDeps, createCommand, runAction } from '../../action/command.ts';
import { type Asker, askText, createDefaults, createPrompts } from '../../terminal/asker.ts';
import type { Output } from '../../terminal/output.ts';
import { type Answers, collectAnswers } from './answers.ts';
import { type InitFlags, initFlagsSchema } from './flags.ts';
import { settingsText } from './settings-text.ts';
import { showPersons } from './show-persons.ts';

/** What `init` needs besides what every command has. */
export interface InitDeps
  extends CommandDeps,
    Pick<LoadOptions, 'cwd' | 'findConnectorDefinition'> {
  stdin: Readable & { isTTY?: boolean };
  /** The questions stand here: stdout belongs to the answer. */
  stderr: Writable & { isTTY?: boolean; columns?: number };
  /** The time zone of this machine, offered for the schedule: an IANA name. */
  timezone: string;
}

const EXAMPLES = `
Examples:
  donor-sync init
  donor-sync init --yes --crm csv --csv-path donors.csv
  donor-sync init --yes --crm hubspot --name "Riverside Food Bank" --schedule "0 2 * * *"
  donor-sync init --yes --crm salesforce --crm-url https://riverside.my.salesforce.com --auth jwt

Keys and tokens never go into the file: it names environment variables for them.`;

/** The command `init`: asks a few questions and writes a settings file. */
export function initCommand(deps: InitDeps): Command {
  const command = createCommand('init', deps)
    .description('ask a few questions and write a settings file that sync and serve accept')
    .option('--config <file>', 'the file to write (default: DONOR_SYNC_CONFIG or donor-sync.yaml)')
    .option('--yes', 'ask nothing: take the options below, and defaults for the others')
    .option('--force', 'replace a file that is there already')
    .option('--crm <kind>', 'salesforce, hubspot or csv')
    .option('--name <name>', 'the name of the nonprofit')
    .option('--id <id>', 'the short name that commands use (default: made from the name)')
    .option('--schedule <cron>', 'when to sync, five fields of cron, or "none"')
    .option('--timezone <zone>', 'the time zone of the schedule (default: that of this machine)')
    .option('--partner-url <url>', 'the base URL of the Partner Data Service')
    .option('--crm-url <url>', 'the login or My Domain URL of Salesforce, the API URL of HubSpot')
    .option('--auth <type>', 'Salesforce: jwt, clientCredentials, refreshToken or token')
    .option('--csv-path <file>', 'the CSV file with the contacts')
    .option('--csv-output <file>', 'the CSV file for the results (the same file: replace it)')
    .option('--csv-id <column>', 'the column with the id of a contact')
    .option('--csv-first-name <column>', 'the column with the first name')
    .option('--csv-last-name <column>', 'the column with the last name')
    .option('--csv-full-name <column>', 'instead of both: one column with whole names')
    .option('--csv-addresses <columns...>', 'the columns that together make the address')
    .option('--csv-employers <columns...>', 'the columns with employers')
    .option('--csv-opt-out <column>', 'the column that marks who must not be researched, or "none"')
    .option('--csv-deceased <column>', 'the column that marks who has died, or "none"')
    .option(
      '--csv-do-not-contact <column>',
      'the column that marks who wants no contact, or "none"',
    )
    .addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      await init(deps, initFlagsSchema.parse(command.optsWithGlobals()), output);
    }),
  );
}

async function init(deps: InitDeps, flags: InitFlags, output: Output): Promise<void> {
  const asker = chooseAsker(deps, flags);
  const answers = await collectAnswers(asker, flags, deps);
  const path = await askText(asker, {
    flag: '--config',
    message: 'Where shall the settings go?',
    given: flags.config,
    initial: settingsPath(undefined, deps.env),
  });
  const text = settingsText(answers, { path: resolve(deps.cwd, path), cwd: deps.cwd });
  const env = withStandIns(text, deps.env);
  const settings = await parseSettings(text, { ...deps, path, env });
  requireSecure(settings);
  const mayReplaceIt = await mayReplace(asker, flags, deps, path);
  // Before the file is written, so that a wrong column leaves nothing behind.
  const showing = { deps, output, asker: flags.yes ? null : asker };
  const persons = await showPersons(showing, settings.integrations[0]);
  await writeSettings(resolve(deps.cwd, path), text, mayReplaceIt);
  report(output, { path, answers, text, env: deps.env, persons });
}

function chooseAsker({ stdin, stderr }: InitDeps, flags: InitFlags): Asker {
  if (flags.yes) return createDefaults();
  if (stdin.isTTY && stderr.isTTY) return createPrompts({ input: stdin, output: stderr });
  throw new ConfigurationError(
    'init asks questions and needs a terminal. For scripts: donor-sync init --yes --crm csv --csv-path FILE',
    { code: 'terminal_missing' },
  );
}

/** New settings begin without addresses at which keys could be read on the way. */
function requireSecure(settings: Settings): void {
  const [first] = insecureAddresses(settings.integrations, settings);
  if (first === undefined) return;
  throw new ConfigurationError(
    `${first.setting}: ${insecureProblem(first.host)}. init does not write such settings: give it an https address, or leave the address to its variable, unset, and add allowInsecureHttp to the file by hand.`,
    { code: 'insecure_http', details: { setting: first.setting } },
  );
}

/** The keys need not be set yet for the rest of the file to be checked. */
function withStandIns(text: string, env: Environment): Environment {
  const names = interpolate(text, {}).variables;
  const unset = names.filter((name) => !env[name]);
  return { ...env, ...Object.fromEntries(unset.map((name) => [name, STAND_IN])) };
}

/** A value that is right for texts and for URLs. */
const STAND_IN = 'https://not-set.invalid';

async function mayReplace(
  asker: Asker,
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
  if (await asker.confirm(`${path} is there already. Replace it?`)) return true;
  throw new ConfigurationError(
    `${path} is there already and stays as it is. Choose another file with --config, or --force.`,
    { code: 'settings_exist', details: { path } },
  );
}

async function writeSettings(path: string, text: string, mayReplaceIt: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // `wx`: a file that appeared since it was looked for is not overwritten either.
  await writeFile(path, text, { flag: mayReplaceIt ? 'w' : 'wx' });
}

interface Written {
  path: string;
  answers: Answers;
  text: string;
  env: Environment;
  /** What a few persons of a CSV file are made of; empty for other CRMs. */
  persons: readonly PersonShape[];
}

function report(output: Output, { path, answers, text, env, persons }: Written): void {
  const variables = [...new Set(interpolate(text, {}).variables)];
  const unset = variables.filter((name) => !env[name]);
  const next = nextCommands(answers, path, env);
  const shown = persons.length > 0 ? { persons } : {};
  const document = { settings: path, integration: answers.id, unset, next, ...shown };
  output.finish(document, () => {
    if (persons.length > 0) output.print();
    output.print(output.style.good(`Wrote ${path}.`));
    const marks = markedColumns(answers);
    if (marks.length > 0)
      output.print(`Never asked about: contacts marked in ${marks.join(', ')}.`);
    output.print();
    if (unset.length > 0) output.print('First set these in the environment:');
    for (const name of unset) output.print(`  export ${name}=…`);
    output.print(unset.length > 0 ? '\nThen:' : 'Next:');
    for (const command of next) output.print(`  ${command}`);
  });
}

/** The columns that leave people out; each once, in quotes. */
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
