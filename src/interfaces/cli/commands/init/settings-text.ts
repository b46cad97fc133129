import { dirname, relative, resolve } from 'node:path';
import type { AboutRemoteCrm, SignIn } from '../../../../../connectors/about.ts';
import {
  type MarkSettings,
  withContactMarks,
} from '../../../../clients/setup/interview/contact-marks.ts';
import type { Amount } from '../../../../core/credit-price.ts';
import type {
  Answers,
  CsvAnswers,
  MarkColumns,
  NameColumns,
  RemoteAnswers,
  VariableFor,
} from './answers.ts';
import { listTerminalWays } from './flags.ts';

/** The settings file to write. Relative paths in the settings start at the folder of the settings file. */
export interface Target {
  path: string;
  cwd: string;
}

/** Returns the text of the settings file, with comments for its readers. Variables replace keys and tokens. */
export function settingsText(answers: Answers, target: Target): string {
  return `${SETTINGS_HEAD}
integrations:
${integrationText(answers, target)}`;
}

export const MAIL_VARIABLES = ['SMTP_URL', 'ALERTS_FROM', 'ALERTS_TO'] as const;

export const PRICE_VARIABLE = 'CREDIT_PRICE';

/** Reads a price, which is an amount with a currency, for example `0.50 USD`. Returns null for any other text. */
export function readPrice(text: string): Amount | null {
  const [, amount, currency] = /^(\d{1,6}(?:\.\d{1,4})?) ([A-Z]{3})$/.exec(text.trim()) ?? [];
  return amount === undefined || currency === undefined
    ? null
    : { amount: Number(amount), currency };
}

/**
 * Returns the first settings for a machine on which users set up clients in the browser. `hasMail` is true if all
 * `MAIL_VARIABLES` are set. `price` comes from the environment, or is null.
 */
export const firstSettingsText = ({
  hasMail,
  price,
}: {
  hasMail: boolean;
  price: Amount | null;
}): string => `${SETTINGS_HEAD}
${hasMail ? MAIL_FROM_ENVIRONMENT : ''}${price === null ? '' : priceText(price)}# Clients are set up in the browser, and stored encrypted in the database. A client that is written here cannot be changed there.
integrations: []
`;

const MAIL_FROM_ENVIRONMENT = `alerts:
  email: { to: ["\${ALERTS_TO}"], from: "\${ALERTS_FROM}", smtp: "\${SMTP_URL}" }

`;

function priceText({ amount, currency }: Amount): string {
  const price = `{ amount: ${amount}, currency: ${currency} }`;
  return `credits: # the price of a credit, from which Results works out the cost
  price: { enhancements: ${price}, networks: ${price}, queries: ${price} }

`;
}

/** The first lines of every settings file. */
const SETTINGS_HEAD = `# Settings of donor-sync. A dollar sign with a name in braces is read from the environment.

server:
  host: 127.0.0.1
  port: 8787
  publicUrl: "http://127.0.0.1:8787"        # where webhooks reach "donor-sync serve"

database: "sqlite:data/donor-sync.db"       # relative to this file's folder; or postgres://…
`;

export function integrationText(answers: Answers, target: Target): string {
  return `  - id: ${quoted(answers.id)}
    name: ${quoted(answers.name)}
    schedule: ${scheduleText(answers.schedule)}
    partner:
      baseUrl: ${asTyped(answers.partner.url)}
      apiKey: ${reference(answers.partner.keyVariable)}
${crmText(answers, target)}
    refresh:
      afterDays: 365                        # a profile older than this is bought again
      whenIdentityChanges: true             # spends a credit on a new name, address or employer
    budget:                                 # credits; null for no limit
      perRun: ${answers.budget.perRun}
      perMonth: ${answers.budget.perMonth}
      keep: 0                               # never spends below this balance
    # CRM groups to mirror, so that warm paths from their members are found:
    # networks:
    #   - { name: Board, group: ${groupExample(answers.crm)} }
    networks: []
`;
}

function crmText({ crm, variableFor }: Answers, target: Target): string {
  return crm.kind === 'csv' ? csvText(crm, target) : remoteText(crm, variableFor);
}

function csvText(
  { path, output, encoding, sheet, badRows, columns, marks, fields }: CsvAnswers,
  target: Target,
): string {
  const lines = [
    '    crm:',
    '      kind: csv',
    `      path: ${quoted(fromFile(path, target))}`,
    output === null ? null : `      output: ${quoted(fromFile(output, target))}`,
    sheet === null ? null : `      sheet: ${quoted(sheet)}`,
    encoding === 'utf-8' ? null : `      encoding: ${encoding}`,
    badRows === 'stop' ? null : `      badRows: ${badRows}   # skips rows that cannot be read`,
    '      columns:',
    `        id: ${quoted(columns.id)}`,
    ...nameLines(columns.names),
    `        addresses: ${quotedList(columns.addresses)}`,
    `        employers: ${quotedList(columns.employers)}`,
    '    contacts:                               # columns that mark contacts who are never sent',
    ...markLines(marks),
    ...fieldLines(fields),
  ];
  return lines.filter((line) => line !== null).join('\n');
}

function fieldLines(fields: CsvAnswers['fields']): string[] {
  if (fields === null) return [];
  const lines = fields.map(({ from, to }) => `      - { from: ${from}, to: ${quoted(to)} }`);
  return [
    '    fields:                                 # the file already has columns with our names',
    ...lines,
  ];
}

function nameLines(names: NameColumns): string[] {
  if ('fullName' in names) {
    return [`        fullName: ${quoted(names.fullName)}   # "Last, First" or "First Last"`];
  }
  return [
    `        firstName: ${quoted(names.firstName)}`,
    `        lastName: ${quoted(names.lastName)}`,
  ];
}

function markLines({ optOut, deceased, doNotContact }: MarkColumns): string[] {
  const value = (column: string | null) => (column === null ? 'null' : quoted(column));
  return [
    `      optOutField: ${value(optOut)}`,
    `      deceasedField: ${value(deceased)}`,
    `      doNotContactField: ${value(doNotContact)}`,
  ];
}

function remoteText(
  { about, url, signIn, optOut, contactMarks }: RemoteAnswers,
  variableFor: VariableFor,
): string {
  return `    crm:
      kind: ${about.kind}
      url: ${asTyped(url)}
${authText(about, signIn, variableFor)}
${optOutText(optOut)}${contactMarksText(about, contactMarks)}`;
}

/**
 * Returns the setting for the CRM's marks. The setting lists the CRM's marks even if none of them excludes contacts.
 */
function contactMarksText(about: AboutRemoteCrm, answer: string | null): string {
  if (answer === null) return '';
  const { doNotContactField, doNotContactValues, unmarkedValues } = withContactMarks<MarkSettings>(
    about,
    { doNotContactField: null },
    answer,
  );
  const marks = (about.setup.contactMarks ?? []).map(({ field, value }) => value ?? field);
  const field = doNotContactField === null ? 'null' : quoted(doNotContactField);
  const lines = [
    `      # Marks about mail and calls, which exclude contacts only if a line below names them: ${marks.join(', ')}`,
    `      doNotContactField: ${field}`,
    ...(doNotContactValues == null
      ? []
      : [`      doNotContactValues: ${quotedList(doNotContactValues)}`]),
    ...(unmarkedValues?.doNotContact === undefined
      ? []
      : [`      unmarkedValues: { doNotContact: ${quotedList(unmarkedValues.doNotContact)} }`]),
  ];
  return ['', ...lines].join('\n');
}

/**
 * Returns the sign-in settings. If there are several methods, it lists the values of all methods, so that users can
 * change the method.
 */
function authText(about: AboutRemoteCrm, { type, fields }: SignIn, variableFor: VariableFor) {
  const values = fields.map(({ name, variable }) => `${name}: ${reference(variableFor(variable))}`);
  if (listTerminalWays(about).length === 1) {
    return `      auth: { ${[`type: ${type}`, ...values].join(', ')} }`;
  }
  return ['      auth:', ...[`type: ${type}`, ...values].map((line) => `        ${line}`)].join(
    '\n',
  );
}

function optOutText(field: string | null): string {
  return `    contacts:
      optOutField: ${field === null ? 'null ' : quoted(field)}   # true, or not blank: never sent to the service`;
}

function scheduleText(schedule: Answers['schedule']): string {
  if (schedule === null) return 'null                          # only on request: donor-sync sync';
  return `{ cron: ${quoted(schedule.cron)}, timezone: ${quoted(schedule.timezone)} }`;
}

function groupExample(crm: Answers['crm']): string {
  return crm.kind === 'csv' ? '{ column: Role, equals: Board }' : crm.about.setup.groupExample;
}

function fromFile(path: string, target: Target): string {
  return relative(dirname(target.path), resolve(target.cwd, path));
}

/** Puts a text in double quotes as in JSON, which is also valid YAML. A `${` in a name must not become a variable. */
function quoted(text: string): string {
  return asTyped(text.replace(/\$\{/g, '$$$&'));
}

/** Returns the text unchanged if the user typed a variable. */
function asTyped(text: string): string {
  return JSON.stringify(text);
}

function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(', ')}]`;
}

function reference(variable: string): string {
  return `"\${${variable}}"`;
}
