import { basename, dirname, extname, join, resolve } from 'node:path';
import { cronProblem, timezoneProblem } from '../../config/cron.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { type Asker, askChoice, askMany, askText } from './asker.ts';
import { type CsvHeader, type CsvProblem, readCsvHeader } from './csv-header.ts';
import type { InitFlags } from './flags.ts';
import { guessColumns } from './guess-columns.ts';

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
    firstName: string;
    lastName: string;
    addresses: readonly string[];
    employers: readonly string[];
  };
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
      { value: 'refreshToken', label: 'Refresh token', hint: 'somebody signed in once' },
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
  const columns = await askColumns(asker, flags, header.columns);
  const output = await askText(asker, {
    flag: '--csv-output',
    message: 'Which CSV file shall get the results? (the same one is replaced as a whole)',
    given: flags.csvOutput,
    initial: enhancedPath(path),
  });
  const isSame = resolve(cwd, output) === resolve(cwd, path);
  return { kind: 'csv', path, output: isSame ? null : output, encoding: header.encoding, columns };
}

async function askColumns(
  asker: Asker,
  flags: InitFlags,
  names: readonly string[],
): Promise<CsvAnswers['columns']> {
  const guess = guessColumns(names);
  const choices = names.map((name) => ({ value: name, label: name }));
  const one = (flag: string, what: string, given: string | undefined, initial: string | null) =>
    askChoice(asker, { flag, message: `Which column has ${what}?`, given, initial, choices });
  const many = (
    flag: string,
    message: string,
    given: readonly string[] | undefined,
    initial: readonly string[],
  ) => askMany(asker, { flag, message, given, initial, choices });
  return {
    id: await one('--csv-id', "a contact's id", flags.csvId, guess.id),
    firstName: await one('--csv-first-name', 'the first name', flags.csvFirstName, guess.firstName),
    lastName: await one('--csv-last-name', 'the last name', flags.csvLastName, guess.lastName),
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
