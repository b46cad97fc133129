import { basename, dirname, extname, join, resolve } from 'node:path';
import { cronProblem, timezoneProblem } from '../../../config/cron.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { type Asker, askChoice, askMany, askText, type Choice } from '../../terminal/asker.ts';
import { usageError } from '../../terminal/output.ts';
import {
  type ColumnGuess,
  type CsvHeader,
  type CsvProblem,
  guessColumns,
  readCsvHeader,
} from './csv-columns.ts';
import type { InitFlags } from './flags.ts';

/** All that a settings file is written from. */
export interface Answers {
  id: string;
  name: string;
  /** Null: only by hand. */
  schedule: { cron: string; timezone: string } | null;
  /** A URL or a `${NAME}`. */
  partnerUrl: string;
  crm: CsvAnswers | SalesforceAnswers | HubspotAnswers;
}

export interface CsvAnswers {
  kind: 'csv';
  /** From the folder of the command. */
  path: string;
  /** Null: `path` itself is replaced. */
  output: string | null;
  encoding: CsvHeader['encoding'];
  columns: {
    id: string;
    names: NameColumns;
    addresses: readonly string[];
    employers: readonly string[];
  };
  marks: MarkColumns;
}

/** Where names stand: never one column for both parts. */
export type NameColumns = { firstName: string; lastName: string } | { fullName: string };

/** The columns that mark who is never asked about; null for none. */
export interface MarkColumns {
  optOut: string | null;
  deceased: string | null;
  doNotContact: string | null;
}

export interface SalesforceAnswers {
  kind: 'salesforce';
  url: string;
  auth: string;
}

export interface HubspotAnswers {
  kind: 'hubspot';
  url: string;
}

/** What the questions look at besides the flags. */
interface Surroundings {
  cwd: string;
  timezone: string;
}

/** Asks what the flags leave open. Throws a ConfigurationError for an answer that cannot be. */
export async function collectAnswers(
  asker: Asker,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<Answers> {
  const crm = await askCrm(asker, flags, surroundings);
  const name = await askText(asker, {
    flag: '--name',
    message: 'What is the name of the nonprofit?',
    given: flags.name,
    initial: DEFAULT_NAME,
  });
  return {
    id: flags.id ?? idFrom(name),
    name,
    crm,
    partnerUrl: await askPartnerUrl(asker, flags),
    schedule: await askSchedule(asker, flags, surroundings),
  };
}

const DEFAULT_NAME = 'My nonprofit';

const PARTNER_URL_VARIABLE = `\${PARTNER_BASE_URL}`;

const NIGHTLY = '0 2 * * *';

/** What `--schedule` says for no schedule. */
const NO_SCHEDULE = 'none';

async function askCrm(
  asker: Asker,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<Answers['crm']> {
  const kind = await askChoice(asker, {
    flag: '--crm',
    message: 'Where are the contacts?',
    given: flags.crm,
    initial: null,
    choices: [
      { value: 'salesforce', label: 'Salesforce' },
      { value: 'hubspot', label: 'HubSpot' },
      { value: 'csv', label: 'A CSV file', hint: 'an export of any other CRM' },
    ],
  });
  if (kind === 'csv') return askCsv(asker, flags, surroundings);
  return kind === 'hubspot' ? askHubspot(flags) : askSalesforce(asker, flags);
}

function askHubspot(flags: InitFlags): HubspotAnswers {
  return { kind: 'hubspot', url: flags.crmUrl ?? 'https://api.hubapi.com' };
}

async function askSalesforce(asker: Asker, flags: InitFlags): Promise<SalesforceAnswers> {
  const auth = await askChoice(asker, {
    flag: '--auth',
    message: 'How does donor-sync sign in to Salesforce?',
    given: flags.auth,
    initial: 'clientCredentials',
    choices: [
      { value: 'clientCredentials', label: 'Client credentials', hint: 'an id and a secret' },
      { value: 'jwt', label: 'JWT bearer', hint: 'a certificate and a user name' },
      { value: 'refreshToken', label: 'Refresh token', hint: 'a user signed in once' },
      { value: 'token', label: 'Access token', hint: 'expires soon; for trying things' },
    ],
  });
  const url = await askText(asker, {
    flag: '--crm-url',
    message: 'What is the login or My Domain URL of Salesforce?',
    given: flags.crmUrl,
    // Client credentials and access tokens are only taken at an organisation's own domain.
    initial: ['jwt', 'refreshToken'].includes(auth) ? 'https://login.salesforce.com' : null,
    validate: urlProblem,
  });
  return { kind: 'salesforce', url, auth };
}

async function askCsv(asker: Asker, flags: InitFlags, { cwd }: Surroundings): Promise<CsvAnswers> {
  const path = await askText(asker, {
    flag: '--csv-path',
    message: 'Which CSV file has the contacts?',
    given: flags.csvPath,
    initial: null,
    validate: async (answer) => problemOf(await readCsvHeader(answer, cwd)),
  });
  const header = await readCsvHeader(path, cwd);
  if ('problem' in header) throw new ConfigurationError(header.problem, { code: 'csv_unreadable' });
  const guess = guessColumns(header.columns);
  const columns = await askColumns(asker, flags, header.columns, guess);
  const marks = await askMarks(asker, flags, header.columns, guess);
  const output = await askText(asker, {
    flag: '--csv-output',
    message: 'Which CSV file shall get the results? (the same one is replaced as a whole)',
    given: flags.csvOutput,
    initial: enhancedPath(path),
  });
  const isSame = resolve(cwd, output) === resolve(cwd, path);
  const { encoding } = header;
  return { kind: 'csv', path, output: isSame ? null : output, encoding, columns, marks };
}

async function askColumns(
  asker: Asker,
  flags: InitFlags,
  names: readonly string[],
  guess: ColumnGuess,
): Promise<CsvAnswers['columns']> {
  const choices = columnChoices(names);
  const many = (
    flag: string,
    message: string,
    given: readonly string[] | undefined,
    initial: readonly string[],
  ) => askMany(asker, { flag, message, given, initial, choices });
  return {
    id: await askChoice(asker, {
      flag: '--csv-id',
      message: "Which column has a contact's id?",
      given: flags.csvId,
      initial: guess.id,
      choices,
    }),
    names: await askNames(asker, flags, names, guess),
    addresses: await many(
      '--csv-addresses',
      'Which columns make the address?',
      flags.csvAddresses,
      guess.addresses,
    ),
    employers: await many(
      '--csv-employers',
      'Which columns have employers?',
      flags.csvEmployers,
      guess.employers,
    ),
  };
}

function columnChoices(names: readonly string[]): Choice[] {
  return names.map((name) => ({ value: name, label: name }));
}

/** Nothing is taken for both parts of a name: people who do not exist would be paid for. */
async function askNames(
  asker: Asker,
  flags: InitFlags,
  names: readonly string[],
  guess: ColumnGuess,
): Promise<NameColumns> {
  const form = await askChoice(asker, {
    flag: '--csv-first-name and --csv-last-name, or --csv-full-name',
    message: 'How do the names stand in the file?',
    given: nameFormOf(flags),
    initial: guessNameForm(guess),
    choices: [
      { value: 'parts', label: 'First and last name in a column each' },
      { value: 'whole', label: 'Whole names in one column', hint: '"Last, First" or "First Last"' },
    ],
  });
  const choices = columnChoices(names);
  if (form === 'whole') {
    const fullName = await askChoice(asker, {
      flag: '--csv-full-name',
      message: 'Which column has the whole name?',
      given: flags.csvFullName,
      initial: guess.fullName,
      choices,
    });
    return { fullName };
  }
  const firstName = await askChoice(asker, {
    flag: '--csv-first-name',
    message: 'Which column has the first name?',
    given: flags.csvFirstName,
    initial: guess.firstName,
    choices,
  });
  if (flags.csvLastName === firstName) {
    const message = `--csv-last-name: "${firstName}" is the column of the first name; for whole names use --csv-full-name`;
    throw usageError(message);
  }
  const lastName = await askChoice(asker, {
    flag: '--csv-last-name',
    message: 'Which column has the last name?',
    given: flags.csvLastName,
    initial: guess.lastName === firstName ? null : guess.lastName,
    choices: choices.filter(({ value }) => value !== firstName),
  });
  return { firstName, lastName };
}

/** What the options say already; undefined if they say nothing. */
function nameFormOf(flags: InitFlags): 'parts' | 'whole' | undefined {
  const hasParts = flags.csvFirstName !== undefined || flags.csvLastName !== undefined;
  if (flags.csvFullName === undefined) return hasParts ? 'parts' : undefined;
  if (!hasParts) return 'whole';
  throw usageError(
    '--csv-full-name stands for --csv-first-name and --csv-last-name: use it without them',
  );
}

function guessNameForm({ firstName, lastName, fullName }: ColumnGuess): 'parts' | 'whole' | null {
  if (fullName !== null) return 'whole';
  return firstName === null && lastName === null ? null : 'parts';
}

/** What the options say where no column marks contacts. */
const NO_COLUMN = 'none';

async function askMarks(
  asker: Asker,
  flags: InitFlags,
  names: readonly string[],
  guess: ColumnGuess,
): Promise<MarkColumns> {
  const choices = [{ value: NO_COLUMN, label: 'no column does' }, ...columnChoices(names)];
  const ask = async (
    flag: string,
    who: string,
    given: string | undefined,
    column: string | null,
  ) => {
    const initial = column ?? NO_COLUMN;
    const message = `Which column marks ${who}? They are never asked about.`;
    const answer = await askChoice(asker, { flag, message, given, initial, choices });
    return answer === NO_COLUMN ? null : answer;
  };
  return {
    optOut: await ask('--csv-opt-out', 'who must not be researched', flags.csvOptOut, guess.optOut),
    deceased: await ask('--csv-deceased', 'who has died', flags.csvDeceased, guess.deceased),
    doNotContact: await ask(
      '--csv-do-not-contact',
      'who wants no contact',
      flags.csvDoNotContact,
      guess.doNotContact,
    ),
  };
}

function askPartnerUrl(asker: Asker, flags: InitFlags): Promise<string> {
  return askText(asker, {
    flag: '--partner-url',
    message: 'What is the base URL of the Partner Data Service? (or a variable that has it)',
    given: flags.partnerUrl,
    initial: PARTNER_URL_VARIABLE,
    validate: urlProblem,
  });
}

async function askSchedule(
  asker: Asker,
  flags: InitFlags,
  { timezone }: Surroundings,
): Promise<Answers['schedule']> {
  const cron = await askText(asker, {
    flag: '--schedule',
    message: `When shall it sync? "${NIGHTLY}" is every night at 2:00 (five fields of cron); "${NO_SCHEDULE}": only by hand`,
    given: flags.schedule,
    initial: NIGHTLY,
    validate: (answer) => (answer === NO_SCHEDULE ? undefined : (cronProblem(answer) ?? undefined)),
  });
  if (cron === NO_SCHEDULE) return null;
  const zone = await askText(asker, {
    flag: '--timezone',
    message: 'In which time zone?',
    given: flags.timezone,
    initial: timezone,
    validate: (answer) => timezoneProblem(answer) ?? undefined,
  });
  return { cron, timezone: zone };
}

function urlProblem(answer: string): string | undefined {
  if (/^\$\{[A-Za-z_]\w*\}$/.test(answer)) return undefined;
  const isUrl = URL.canParse(answer) && /^https?:\/\//.test(answer);
  return isUrl ? undefined : 'expected a URL that starts with https://';
}

function problemOf(header: CsvHeader | CsvProblem): string | undefined {
  return 'problem' in header ? header.problem : undefined;
}

/** `lists/donors.csv` → `lists/donors-enhanced.csv` */
function enhancedPath(path: string): string {
  const extension = extname(path);
  return join(dirname(path), `${basename(path, extension)}-enhanced${extension || '.csv'}`);
}

/** Ids have at most this many characters (the settings' own rule). */
const MAX_ID_LENGTH = 63;

/** `Église Saint-Jean` → `eglise-saint-jean` */
function idFrom(name: string): string {
  const id = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_ID_LENGTH)
    .replace(/^-+|-+$/g, '');
  return id || 'nonprofit';
}
