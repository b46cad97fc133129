/** The options of `init`. Each option of `init` answers one question. */
import type { Command } from 'commander';
import { z } from 'zod';
import type { AboutRemoteCrm, SignIn } from '../../../../../connectors/about.ts';
import { REMOTE_CRMS } from '../../../../../connectors/index.ts';
import { askSignIn } from '../../../../clients/setup/interview/crm.ts';
import { NONE, type Question } from '../../../../clients/setup/interview/question.ts';
import { QUESTIONS, type QuestionName } from '../../../../clients/setup/interview/questions.ts';

/** The options. The options for columns decide whether names have one or two columns. */
export const FLAGS = {
  crmKind: '--crm',
  name: '--name',
  cron: '--schedule',
  timezone: '--timezone',
  serviceAddress: '--partner-url',
  serviceKey: '--partner-key-file',
  perRun: '--budget-per-run',
  perMonth: '--budget-per-month',
  address: '--crm-url',
  signIn: '--auth',
  optOutField: '--opt-out-field',
  contactMarks: '--contact-marks',
  badRows: '--csv-bad-rows',
  idColumn: '--csv-id',
  nameForm: '--csv-first-name and --csv-last-name, or --csv-full-name',
  firstName: '--csv-first-name',
  lastName: '--csv-last-name',
  fullName: '--csv-full-name',
  addresses: '--csv-addresses',
  employers: '--csv-employers',
  optOutColumn: '--csv-opt-out',
  deceasedColumn: '--csv-deceased',
  doNotContactColumn: '--csv-do-not-contact',
} as const satisfies Record<QuestionName | 'address' | 'signIn' | 'contactMarks', string>;

/** Returns the sign-in methods that need no browser. */
export function listTerminalWays({ setup }: AboutRemoteCrm): readonly SignIn[] {
  return setup.signIns.filter(({ isConsent = false }) => !isConsent);
}

export function withAnswerOptions(command: Command): Command {
  return command
    .option('--yes', 'do not ask: use the options below, and defaults for everything else')
    .option(
      '--crm <kind>',
      `${describe('crmKind')}: ${REMOTE_CRMS.map(({ kind }) => kind).join(', ')} or csv`,
    )
    .option('--name <name>', describe('name'))
    .option('--id <id>', 'the short name that commands use (default: derived from the name)')
    .option('--schedule <cron>', describe('cron'))
    .option('--timezone <zone>', `${describe('timezone')} (default: this machine's)`)
    .option('--partner-url <url>', describe('serviceAddress'))
    .option(
      '--partner-key-file <file>',
      `a file with ${describe('serviceKey')} ("-": stdin), to store in .env next to the settings`,
    )
    .option('--budget-per-run <credits>', `${describe('perRun')} for no limit`)
    .option('--budget-per-month <credits>', `${describe('perMonth')} for no limit`)
    .option('--crm-url <url>', REMOTE_CRMS.map(({ setup }) => setup.address.noun).join(', '))
    .option('--auth <type>', REMOTE_CRMS.flatMap(describeWays).join('; '))
    .option(
      '--opt-out-field <field>',
      `${REMOTE_CRMS.map(({ name }) => name).join(', ')}: ${describe('optOutField')}`,
    )
    .option(
      '--contact-marks <mark>',
      `${REMOTE_CRMS.flatMap((about) => (about.setup.contactMarks === undefined ? [] : about.name)).join(', ')}: the mark about mail or calls that also excludes contacts (default: none)`,
    )
    .option('--csv-path <file>', 'the CSV file (or .xlsx workbook) with the contacts')
    .option('--csv-sheet <name>', 'the sheet of a workbook (default: the first with a table)')
    .option('--csv-output <file>', 'the CSV file for the results (the same file: replace it)')
    .option('--csv-bad-rows <word>', `${describe('badRows')}: stop or skip`)
    .option('--csv-id <column>', describe('idColumn'))
    .option('--csv-first-name <column>', describe('firstName'))
    .option('--csv-last-name <column>', describe('lastName'))
    .option('--csv-full-name <column>', `instead of both: ${describe('fullName')}`)
    .option('--csv-addresses <columns...>', describe('addresses'))
    .option('--csv-employers <columns...>', describe('employers'))
    .option('--csv-opt-out <column>', describe('optOutColumn'))
    .option('--csv-deceased <column>', describe('deceasedColumn'))
    .option('--csv-do-not-contact <column>', describe('doNotContactColumn'));
}

function describe(name: QuestionName): string {
  const { noun, schema }: Question<unknown> = QUESTIONS[name];
  return schema.safeParse(NONE).data === null ? `${noun}, or "${NONE}"` : noun;
}

/** Describes the sign-in methods of a CRM. Leaves out a CRM with only one method, because users have no choice. */
function describeWays(about: AboutRemoteCrm): string[] {
  const ways = listTerminalWays(about);
  if (ways.length < 2) return [];
  return [`${askSignIn(about).noun}: ${ways.map(({ type }) => type).join(', ')}`];
}

const flag = z.string().trim().min(1).optional();

/** The schema of the options, with the names that commander uses. */
export const initFlagsSchema = z.object({
  yes: z.boolean().default(false),
  force: z.boolean().default(false),
  config: flag,
  crm: flag,
  name: flag,
  id: flag,
  schedule: flag,
  timezone: flag,
  partnerUrl: flag,
  partnerKeyFile: flag,
  budgetPerRun: flag,
  budgetPerMonth: flag,
  optOutField: flag,
  contactMarks: flag,
  crmUrl: flag,
  auth: flag,
  csvPath: flag,
  csvOutput: flag,
  csvId: flag,
  csvFirstName: flag,
  csvLastName: flag,
  csvFullName: flag,
  csvAddresses: z.array(z.string()).optional(),
  csvEmployers: z.array(z.string()).optional(),
  csvOptOut: flag,
  csvDeceased: flag,
  csvDoNotContact: flag,
  csvBadRows: flag,
  csvSheet: flag,
});

export type InitFlags = z.infer<typeof initFlagsSchema>;
