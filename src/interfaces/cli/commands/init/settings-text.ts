import { dirname, relative, resolve } from 'node:path';
import type {
  Answers,
  CsvAnswers,
  HubspotAnswers,
  MarkColumns,
  NameColumns,
  SalesforceAnswers,
  VariableFor,
} from './answers.ts';

/** The file to write, absolute, and the folder that the answers' own paths are meant from. */
export interface Target {
  path: string;
  cwd: string;
}

/**
 * The settings file from the answers, with comments for its next reader. Keys and tokens stay outside: their variables
 * are named instead.
 */
export function settingsText(answers: Answers, target: Target): string {
  return `${SETTINGS_HEAD}
integrations:
${integrationText(answers, target)}`;
}

/** The settings of a machine where all integrations are set up in the browser. */
export const firstSettingsText = (): string => `${SETTINGS_HEAD}
# Set up in the browser, and kept encrypted in the database. One that is written here cannot be changed there.
integrations: []
`;

/** The start of every settings file. */
const SETTINGS_HEAD = `# Settings of donor-sync. A dollar sign with a name in braces is taken from the environment.

server:
  host: 127.0.0.1
  port: 8787
  publicUrl: "http://127.0.0.1:8787"        # where webhooks reach "donor-sync serve"

database: "sqlite:data/donor-sync.db"       # from this file's folder; or postgres://…
`;

/** The integration that was answered, as one entry of the list of integrations. */
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
      whenIdentityChanges: true             # a new name, address or employer is worth a credit
    budget:                                 # credits; null: no limit
      perRun: ${answers.budget.perRun}
      perMonth: ${answers.budget.perMonth}
      keep: 0                               # never goes below this balance
    # Groups of people to mirror, so that warm paths to them are found:
    # networks:
    #   - { name: Board, group: ${groupExample(answers.crm)} }
    networks: []
`;
}

function crmText({ crm, variableFor }: Answers, target: Target): string {
  switch (crm.kind) {
    case 'csv':
      return csvText(crm, target);
    case 'salesforce':
      return salesforceText(crm, variableFor);
    case 'hubspot':
      return hubspotText(crm, variableFor);
  }
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
    badRows === 'stop' ? null : `      badRows: ${badRows}   # what cannot be read is left out`,
    '      columns:',
    `        id: ${quoted(columns.id)}`,
    ...nameLines(columns.names),
    `        addresses: ${quotedList(columns.addresses)}`,
    `        employers: ${quotedList(columns.employers)}`,
    '    contacts:                               # columns that mark who is never asked about',
    ...markLines(marks),
    ...fieldLines(fields),
  ];
  return lines.filter((line) => line !== null).join('\n');
}

function fieldLines(fields: CsvAnswers['fields']): string[] {
  if (fields === null) return [];
  const lines = fields.map(({ from, to }) => `      - { from: ${from}, to: ${quoted(to)} }`);
  return [
    '    fields:                                 # the file has its own columns with our names',
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

function hubspotText({ url, optOut }: HubspotAnswers, variableFor: VariableFor): string {
  return `    crm:
      kind: hubspot
      url: ${asTyped(url)}
      auth: { type: token, token: ${reference(variableFor('HUBSPOT_TOKEN'))} }
${optOutText(optOut)}`;
}

function optOutText(field: string | null): string {
  return `    contacts:
      optOutField: ${field === null ? 'null ' : quoted(field)}   # true, or not blank: never sent to the service`;
}

/** The settings of each way to sign in, with the variable of each (design, section 4.2). */
const SALESFORCE_AUTH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jwt: {
    clientId: 'SALESFORCE_CLIENT_ID',
    username: 'SALESFORCE_USERNAME',
    privateKey: 'SALESFORCE_PRIVATE_KEY',
  },
  clientCredentials: {
    clientId: 'SALESFORCE_CLIENT_ID',
    clientSecret: 'SALESFORCE_CLIENT_SECRET',
  },
  refreshToken: {
    clientId: 'SALESFORCE_CLIENT_ID',
    clientSecret: 'SALESFORCE_CLIENT_SECRET',
    refreshToken: 'SALESFORCE_REFRESH_TOKEN',
  },
  token: { token: 'SALESFORCE_TOKEN' },
};

function salesforceText(
  { url, auth, optOut }: SalesforceAnswers,
  variableFor: VariableFor,
): string {
  const secrets = Object.entries(SALESFORCE_AUTH[auth] ?? {});
  const lines = secrets.map(
    ([name, variable]) => `        ${name}: ${reference(variableFor(variable))}`,
  );
  return `    crm:
      kind: salesforce
      url: ${asTyped(url)}
      auth:
        type: ${auth}
${lines.join('\n')}
${optOutText(optOut)}`;
}

function scheduleText(schedule: Answers['schedule']): string {
  if (schedule === null) return 'null                          # only by hand: donor-sync sync';
  return `{ cron: ${quoted(schedule.cron)}, timezone: ${quoted(schedule.timezone)} }`;
}

function groupExample(crm: Answers['crm']): string {
  switch (crm.kind) {
    case 'csv':
      return '{ column: Role, equals: Board }';
    case 'salesforce':
      return '{ campaign: "Board of Directors" }';
    case 'hubspot':
      return '{ list: "Board of Directors" }';
  }
}

/** Paths in the file are meant from its folder. */
function fromFile(path: string, target: Target): string {
  return relative(dirname(target.path), resolve(target.cwd, path));
}

/** Double quotes of JSON are those of YAML; a `${` in a name must not become a variable. */
function quoted(text: string): string {
  return asTyped(text.replace(/\$\{/g, '$$$&'));
}

/** The same where the person may have meant a variable. */
function asTyped(text: string): string {
  return JSON.stringify(text);
}

function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(', ')}]`;
}

function reference(variable: string): string {
  return `"\${${variable}}"`;
}
