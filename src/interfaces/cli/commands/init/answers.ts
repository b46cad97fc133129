import { basename, dirname, extname, join, resolve } from 'node:path';
import { cronProblem, timezoneProblem } from '../../../../clients/schedules/cron.ts';
import { type ColumnLine, listFileColumns } from '../../../../clients/setup/column-list.ts';
import { type ColumnGuess, guessColumns } from '../../../../clients/setup/csv-columns.ts';
import {
  type CsvHeader,
  type CsvProblem,
  readCsvHeader,
} from '../../../../clients/setup/csv-header.ts';
import { noStreetNote } from '../../../../clients/setup/guess-address.ts';
import { idNotes } from '../../../../clients/setup/guess-id.ts';
import { onlyWholeNameNote } from '../../../../clients/setup/guess-names.ts';
import { markHints, missingMarksNote, remarkNotes } from '../../../../clients/setup/mark-fields.ts';
import {
  findOwnColumns,
  readJournalColumns,
  renamedTexts,
  renameOurs,
  twiceText,
} from '../../../../clients/setup/own-columns.ts';
import { unreadableCsv } from '../../../../clients/setup/uploads.ts';
import type { FieldMapping } from '../../../../core/field-map.ts';
import { usageError } from '../../terminal/output.ts';
import { askChoice, askMany, askText, type Choice, type Prompter } from '../../terminal/prompts.ts';
import type { InitFlags } from './flags.ts';

/** All that a settings file is written from. */
export interface Answers {
  id: string;
  name: string;
  /** Null: only by hand. */
  schedule: { cron: string; timezone: string } | null;
  partner: PartnerAnswers;
  /** Credits; null: no limit. */
  budget: { perRun: number | null; perMonth: number | null };
  crm: CsvAnswers | SalesforceAnswers | HubspotAnswers;
  variableFor: VariableFor;
}

export interface PartnerAnswers {
  /** A URL or a `${NAME}`. */
  url: string;
  /** The variable that the settings take the service key from. */
  keyVariable: string;
  /** The key itself, for a file next to the settings; null: the variable is set by other means. */
  key: string | null;
}

/** The variable for a secret, of which another integration may have one already. */
export type VariableFor = (name: string) => string;

export interface CsvAnswers {
  kind: 'csv';
  /** From the folder of the command. */
  path: string;
  /** Null: `path` itself is replaced. */
  output: string | null;
  encoding: CsvHeader['encoding'];
  /** The sheet of a workbook; null for the first that has a table, and for text. */
  sheet: string | null;
  badRows: 'stop' | 'skip';
  columns: {
    id: string;
    names: NameColumns;
    addresses: readonly string[];
    employers: readonly string[];
  };
  marks: MarkColumns;
  /** What a person should know of this kind of export; null for nothing. */
  advice: string | null;
  /** The field map, if the file already has other columns with our names; null for the connector's. */
  fields: readonly FieldMapping[] | null;
  /** Every column of the file with its use. */
  fileColumns: readonly ColumnLine[];
  /** Which of our fields have another name because of that, and values that mark contacts and are not used. */
  notes: readonly string[];
}

/** The columns of names: never one column for both parts. */
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
  /** The field that marks who must not be researched; null for none. */
  optOut: string | null;
}

export interface HubspotAnswers {
  kind: 'hubspot';
  url: string;
  optOut: string | null;
}

/** What the questions depend on in addition to the flags. */
export interface Surroundings {
  cwd: string;
  timezone: string;
  /** True if the variable has a value already, in the environment or in the file next to the settings. */
  isSet(variable: string): boolean;
  /** Reads the file that `--partner-key-file` names; "-" is stdin. */
  readKey(path: string): Promise<string>;
  /** What the settings file has already; null for a new one. */
  present: PresentSettings | null;
  /** Finds the field map of a kind of CRM. */
  defaultFields(kind: string): Promise<readonly FieldMapping[]>;
  /** Finds the columns that the settings file of before writes into this file; none without one. */
  writtenBefore(csvPath: string): Promise<ReadonlySet<string>>;
}

/** What a settings file has before an integration is added to it. */
export interface PresentSettings {
  ids: ReadonlySet<string>;
  /** The variables that it names. */
  variables: ReadonlySet<string>;
  /** The service as the first integration has it, in the words of the file. */
  partner: { url: string; keyVariable: string } | null;
}

/** Asks what the flags leave open. Throws a ConfigurationError for an answer that cannot be. */
export async function collectAnswers(
  asker: Prompter,
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
  const id = flags.id ?? newId(idFrom(name), surroundings.present?.ids ?? new Set());
  const variableFor: VariableFor = (variable) =>
    surroundings.present?.variables.has(variable) ? toVariable(variable, id) : variable;
  return {
    id,
    name,
    crm,
    variableFor,
    partner: await askPartner(asker, flags, surroundings, variableFor),
    budget: await askBudget(asker, flags),
    schedule: await askSchedule(asker, flags, surroundings),
  };
}

/** `riverside`, or `riverside-2` where that is taken. */
function newId(id: string, taken: ReadonlySet<string>): string {
  let candidate = id;
  for (let number = 2; taken.has(candidate); number += 1) candidate = `${id}-${number}`;
  return candidate;
}

/** `HUBSPOT_TOKEN` of the integration `river-side` → `HUBSPOT_TOKEN_RIVER_SIDE` */
function toVariable(name: string, id: string): string {
  return `${name}_${id.toUpperCase().replaceAll('-', '_')}`;
}

const DEFAULT_NAME = 'My nonprofit';

const PARTNER_KEY_VARIABLE = 'PARTNER_API_KEY';

const PARTNER_URL_VARIABLE = `\${PARTNER_BASE_URL}`;

const NIGHTLY = '0 2 * * *';

/** What options say for no schedule, no field and no limit. */
const NONE = 'none';

async function askCrm(
  asker: Prompter,
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
  return kind === 'hubspot' ? askHubspot(asker, flags) : askSalesforce(asker, flags);
}

async function askHubspot(asker: Prompter, flags: InitFlags): Promise<HubspotAnswers> {
  const url = flags.crmUrl ?? 'https://api.hubapi.com';
  return { kind: 'hubspot', url, optOut: await askOptOutField(asker, flags) };
}

async function askOptOutField(asker: Prompter, flags: InitFlags): Promise<string | null> {
  const field = await askText(asker, {
    flag: '--opt-out-field',
    message: `Which field of a contact marks who must not be researched? (its API name; "${NONE}": no field does)`,
    given: flags.optOutField,
    initial: NONE,
  });
  return field === NONE ? null : field;
}

async function askSalesforce(asker: Prompter, flags: InitFlags): Promise<SalesforceAnswers> {
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
  return { kind: 'salesforce', url, auth, optOut: await askOptOutField(asker, flags) };
}

async function askCsv(
  asker: Prompter,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<CsvAnswers> {
  const { cwd } = surroundings;
  const sheet = flags.csvSheet ?? null;
  const path = await askText(asker, {
    flag: '--csv-path',
    message: 'Which CSV file has the contacts?',
    given: flags.csvPath,
    initial: null,
    validate: async (answer) => getProblem(await readCsvHeader(answer, cwd, sheet)),
  });
  const header = await readCsvHeader(path, cwd, sheet);
  if ('problem' in header) throw unreadableCsv(header.problem);
  const guess = guessColumns(header.columns, header.sample);
  const columns = await askColumns(asker, flags, header, guess);
  const marks = await askMarks(asker, flags, header.columns, guess);
  const output = await askText(asker, {
    flag: '--csv-output',
    message: 'Which CSV file shall get the results? (the same one is replaced as a whole)',
    given: flags.csvOutput,
    initial: enhancedPath(path, header.foreign !== null),
  });
  const isSame = resolve(cwd, output) === resolve(cwd, path);
  if (header.foreign !== null && isSame) {
    throw usageError(
      `--csv-output: ${path} is a ${header.foreign}, which is never replaced; name another file that ends with .csv`,
    );
  }
  const badRows = await askChoice(asker, {
    flag: '--csv-bad-rows',
    message: 'What if a row cannot be read?',
    // Asked where there are such rows, once they are known.
    given: flags.csvBadRows ?? 'stop',
    initial: 'stop',
    choices: [
      { value: 'stop', label: 'stop' },
      { value: 'skip', label: 'skip' },
    ],
  });
  const fields = await surroundings.defaultFields('csv');
  const own = findOwnColumns(header, fields, {
    journal: await readJournalColumns(output, cwd),
    previous: await surroundings.writtenBefore(path),
    id: columns.id,
  });
  const renamed = renameOurs(fields, own, header.names);
  return {
    kind: 'csv',
    path,
    output: isSame ? null : output,
    encoding: header.encoding,
    sheet,
    badRows: badRows === 'skip' ? 'skip' : 'stop',
    columns,
    marks,
    advice: guess.advice,
    fileColumns: listFileColumns(header, { ...NO_NAMES, ...columns, ...columns.names, ...marks }),
    fields: own.size === 0 ? null : renamed,
    notes: [
      ...renamedTexts(fields, renamed),
      ...[twiceText(header.names)].filter((text) => text !== null),
      ...idNotes(header, columns.id),
      ...('fullName' in columns.names ? [] : onlyWholeNameNote(header, columns.names)),
      ...markHints(header, marks),
      ...remarkNotes(header, marks),
      ...missingMarksNote(header, marks),
      ...noStreetNote(columns.addresses, header.sample),
    ],
  };
}

const NO_NAMES = { firstName: null, lastName: null, fullName: null };

async function askColumns(
  asker: Prompter,
  flags: InitFlags,
  header: CsvHeader,
  guess: ColumnGuess,
): Promise<CsvAnswers['columns']> {
  const { columns: names } = header;
  const choices = columnChoices(names);
  const withoutId = guess.id === null ? idNotes(header, null) : [];
  const many = (
    flag: string,
    message: string,
    given: readonly string[] | undefined,
    initial: readonly string[],
  ) => askMany(asker, { flag, message, given, initial, choices });
  return {
    id: await askChoice(asker, {
      flag: '--csv-id',
      message: ["Which column has a contact's id?", ...withoutId].join(' '),
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
  asker: Prompter,
  flags: InitFlags,
  names: readonly string[],
  guess: ColumnGuess,
): Promise<NameColumns> {
  const form = await askChoice(asker, {
    flag: '--csv-first-name and --csv-last-name, or --csv-full-name',
    message: 'How does the file contain the names?',
    given: getNameForm(flags),
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
function getNameForm(flags: InitFlags): 'parts' | 'whole' | undefined {
  const hasParts = flags.csvFirstName !== undefined || flags.csvLastName !== undefined;
  if (flags.csvFullName === undefined) return hasParts ? 'parts' : undefined;
  if (!hasParts) return 'whole';
  throw usageError(
    '--csv-full-name replaces --csv-first-name and --csv-last-name: use it without them',
  );
}

function guessNameForm({ firstName, lastName, fullName }: ColumnGuess): 'parts' | 'whole' | null {
  if (fullName !== null) return 'whole';
  return firstName === null && lastName === null ? null : 'parts';
}

async function askMarks(
  asker: Prompter,
  flags: InitFlags,
  names: readonly string[],
  guess: ColumnGuess,
): Promise<MarkColumns> {
  const choices = [{ value: NONE, label: 'no column does' }, ...columnChoices(names)];
  const ask = async (
    flag: string,
    who: string,
    given: string | undefined,
    column: string | null,
  ) => {
    const initial = column ?? NONE;
    const message = `Which column marks ${who}? They are never asked about.`;
    const answer = await askChoice(asker, { flag, message, given, initial, choices });
    return answer === NONE ? null : answer;
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

async function askPartner(
  asker: Prompter,
  flags: InitFlags,
  { present, isSet, readKey }: Surroundings,
  variableFor: VariableFor,
): Promise<PartnerAnswers> {
  const url = await askText(asker, {
    flag: '--partner-url',
    message: 'What is the base URL of the Partner Data Service? (or a variable that has it)',
    given: flags.partnerUrl,
    initial: present?.partner?.url ?? PARTNER_URL_VARIABLE,
    validate: urlProblem,
  });
  const shared = present?.partner?.url === url ? present.partner.keyVariable : null;
  if (flags.partnerKeyFile !== undefined) {
    const keyVariable = variableFor(PARTNER_KEY_VARIABLE);
    return { url, keyVariable, key: requireKey(await readKey(flags.partnerKeyFile)) };
  }
  if (shared !== null && (await sharesKey(asker, flags))) {
    return { url, keyVariable: shared, key: null };
  }
  const keyVariable = variableFor(PARTNER_KEY_VARIABLE);
  if (isSet(keyVariable)) return { url, keyVariable, key: null };
  const message = `What is the key of the service? It goes into .env, which only you can read, and never into the settings. (Enter: set ${keyVariable} yourself)`;
  const key = await asker.secret(message);
  return { url, keyVariable, key: key === null ? null : requireKey(key) };
}

async function sharesKey(asker: Prompter, { yes }: InitFlags): Promise<boolean> {
  return yes || asker.confirm('Does it use the same key of the service?', true);
}

function requireKey(text: string): string {
  const key = text.trim();
  if (/^[!-~]+$/.test(key) && !key.includes("'")) return key;
  throw usageError('The key of the service must be one word, without spaces and quotes.');
}

async function askBudget(asker: Prompter, flags: InitFlags): Promise<Answers['budget']> {
  const ask = async (flag: string, span: string, given: string | undefined) => {
    const answer = await askText(asker, {
      flag,
      message: `How many credits may ${span} spend at most? ("${NONE}": no limit)`,
      given,
      initial: NONE,
      validate: (text) =>
        text === NONE || /^\d{1,9}$/.test(text) ? undefined : `a whole number, or "${NONE}"`,
    });
    return answer === NONE ? null : Number(answer);
  };
  return {
    perRun: await ask('--budget-per-run', 'one run', flags.budgetPerRun),
    perMonth: await ask('--budget-per-month', 'a month', flags.budgetPerMonth),
  };
}

async function askSchedule(
  asker: Prompter,
  flags: InitFlags,
  { timezone }: Surroundings,
): Promise<Answers['schedule']> {
  const cron = await askText(asker, {
    flag: '--schedule',
    message: `When shall it sync? "${NIGHTLY}" is every night at 2:00 (five fields of cron); "${NONE}": only by hand`,
    given: flags.schedule,
    initial: NIGHTLY,
    validate: (answer) => (answer === NONE ? undefined : (cronProblem(answer) ?? undefined)),
  });
  if (cron === NONE) return null;
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

function getProblem(header: CsvHeader | CsvProblem): string | undefined {
  return 'problem' in header ? header.problem : undefined;
}

/** `lists/donors.csv` → `lists/donors-enhanced.csv` */
/** The results of a workbook and of UTF-16 text are CSV. */
function enhancedPath(path: string, isForeign: boolean): string {
  const extension = extname(path);
  const own = isForeign || extension === '' ? '.csv' : extension;
  return join(dirname(path), `${basename(path, extension)}-enhanced${own}`);
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
    .replace(/^-|-$/g, '');
  return id || 'nonprofit';
}
