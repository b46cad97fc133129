/** The commands by name, with their arguments. Each case runs in a separate world, with and without `--json`. */
import type { Command } from 'commander';
import { findConnectorDefinition } from '../../connectors/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import { type AllDeps, COMMANDS } from '../../src/interfaces/cli/commands.ts';
import { createLogStream } from '../../src/interfaces/cli/terminal/log.ts';
import { THIS_MONTH } from '../helpers/this-month.ts';
import { aStream } from '../interfaces/cli/a-terminal.ts';
import { NOWHERE } from './requests.ts';

export interface CommandCase {
  /** The arguments after the command's name. `{run}` and similar placeholders are replaced by values of the world. */
  args: readonly string[];
  /** The user of the machine. Defaults to anna. */
  user?: string;
  /** The words that replace the command's name. */
  typed?: string;
}

export type CommandCases = Readonly<Record<string, CommandCase>>;

/** Commands that serve, or that need other databases and products. The recording contains only their help. */
export const HELP_ALONE = [
  ...['demo', 'sandbox', 'service', 'serve', 'worker', 'migrate', 'move', 'backup', 'restore'],
] as const;

export function hasHelpAlone(name: string): boolean {
  const [first] = name.split(' ');
  return HELP_ALONE.some((one) => one === first);
}

/** Returns every command and subcommand of the program, as a user types it. */
export async function listCommandNames(): Promise<string[]> {
  const stdout = aStream({ isTTY: false });
  const deps: AllDeps = {
    ...{ stdin: aStream({ isTTY: false }), stdout, stderr: stdout, env: {}, cwd: '.' },
    ...{ clock: systemClock, log: silentLog, user: null, findConnectorDefinition },
    logStream: createLogStream(stdout, false),
    timezone: () => 'UTC',
    owner: { host: 'replies', processId: 0, start: '' },
    stopSignal: () => new AbortController().signal,
    setExitCode() {},
  };
  const commands = await Promise.all(COMMANDS.map(({ load }) => load(deps)));
  return commands.flatMap((command) => namesOf(command, ''));
}

function namesOf(command: Command, before: string): string[] {
  const name = before + command.name();
  return [name, ...command.commands.flatMap((inner) => namesOf(inner, `${name} `))];
}

const one = (...args: string[]): CommandCase => ({ args });

const ofClients = (...more: string[]): CommandCases => ({
  good: one('riverside', ...more),
  'other client': one('harbor', ...more),
  unknown: one('nowhere', ...more),
  'invalid option': one('riverside', ...more, '--unheard-of'),
});

const CSV_ANSWERS = [
  ...['--yes', '--crm', 'csv', '--csv-path', 'meadow.csv', '--name', 'Orchard'],
  ...['--csv-id', 'Id', '--csv-first-name', 'First', '--csv-last-name', 'Last'],
  ...['--partner-url', '{service}', '--partner-key-file', 'key.txt'],
];

export const COMMAND_CASES: Readonly<Record<string, CommandCases>> = {
  init: {
    good: one('--config', 'other.yaml', ...CSV_ANSWERS),
    'there already': one(...CSV_ANSWERS),
    unknown: one('--config', 'other.yaml', '--yes', '--crm', 'abacus'),
    invalid: one('--config', 'other.yaml', '--yes', '--budget-per-run', 'much'),
    'without answers': one('--config', 'other.yaml'),
  },
  add: {
    good: one(...CSV_ANSWERS),
    'there already': one(...CSV_ANSWERS, '--id', 'riverside'),
    unknown: one('--yes', '--crm', 'abacus'),
    invalid: one('--yes', '--budget-per-run', 'much'),
  },
  completion: { good: one('bash'), unknown: one('tcsh'), invalid: one() },
  doctor: { ...ofClients(), 'not connected': one('hillside'), show: one('riverside', '--show') },
  'doctor installation': { good: one(), invalid: one('--unheard-of') },
  clients: { good: one(), invalid: one('lst') },
  'clients list': { good: one(), page: one('--limit', '1'), invalid: one('--limit', '0') },
  'clients check': { good: one(), invalid: one('--unheard-of') },
  'clients show': { ...ofClients(), 'without an id': one() },
  setups: { good: one(), invalid: one('lst') },
  'setups list': { good: one(), invalid: one('--unheard-of') },
  'setups show': { unknown: one('nowhere'), invalid: one() },
  connect: {
    // `connect` waits for a browser, but the recording contains only commands that end by themselves.
    'not wanted': one('riverside'),
    unknown: one('nowhere'),
    invalid: one('hillside', '--port', 'high'),
    'without an id': one(),
  },
  plan: {
    ...ofClients(),
    all: one('--all'),
    contact: one('riverside', '--contact', 'c001'),
    'unknown contact': one('riverside', '--contact', 'nowhere'),
    invalid: one('riverside', '--list', '0'),
    contradictory: one('riverside', '--contact', 'c001', '--full'),
    'not connected': one('hillside'),
  },
  sync: {
    ...ofClients(),
    contact: one('riverside', '--contact', 'c001'),
    'unknown contact': one('riverside', '--contact', 'nowhere'),
    invalid: one('riverside', '--limit', '0'),
    contradictory: one('riverside', '--contact', 'c001', '--full'),
    'accept marks': one('riverside', '--accept-marks'),
    'accept match rate': one('riverside', '--accept-match-rate'),
    redeliver: one('riverside', '--redeliver', '--yes'),
    'redeliver an unknown field': one('riverside', '--redeliver', '--field', 'nowhere', '--yes'),
    'not connected': one('hillside'),
  },
  status: { ...ofClients(), all: one() },
  runs: {
    good: one(),
    run: one('{run}'),
    'other client': one('--integration', 'harbor'),
    contact: one('{run}', '--contact', 'c001'),
    'unknown contact': one('{run}', '--contact', 'nowhere'),
    held: one('{run mismatched}', '--outcome', 'held', '--limit', '2'),
    csv: one('{run}', '--csv'),
    unknown: one(NOWHERE),
    'not an id': one('nowhere'),
    'unknown client': one('--integration', 'nowhere'),
    invalid: one('{run}', '--outcome', 'sleepy'),
    'invalid reason': one('{run}', '--reason', 'sleepy'),
    'invalid limit': one('--limit', '0'),
  },
  'runs show': { good: one('{run}'), queued: one('{run queued}'), unknown: one(NOWHERE) },
  'runs contacts': {
    good: one('{run}', '--limit', '2'),
    unknown: one(NOWHERE),
    invalid: one('{run}', '--outcome', 'sleepy'),
  },
  'runs start': { ...ofClients(), contradictory: one('riverside', '--contact', 'c001', '--full') },
  'runs redeliver': {
    unasked: one('riverside'),
    unknown: one('nowhere'),
    invalid: one('riverside', '--fields', 'Hat'),
  },
  'runs redelivery': { good: one('riverside'), unknown: one('nowhere') },
  'runs restorable': { good: one('{run}'), unknown: one(NOWHERE) },
  'runs retry': { good: one('{run}'), unknown: one(NOWHERE) },
  stop: {
    good: one('{run queued}'),
    finished: one('{run}'),
    unknown: one(NOWHERE),
    'not an id': one('nowhere'),
    'without an id': one(),
  },
  holds: {
    good: one(),
    'other client': one('--integration', 'harbor'),
    batch: one('--batch', '{batch}'),
    show: one('--show', '--integration', 'harbor'),
    unknown: one('--integration', 'nowhere'),
    'unknown batch': one('--batch', NOWHERE),
    invalid: one('aprove', '{hold mismatch}'),
  },
  'holds approve': {
    good: one('{hold mismatch}'),
    batch: one('--batch', '{batch}'),
    'without a profile': one('{hold lost}'),
    decided: one('{hold decided}'),
    unknown: one(NOWHERE),
    'unknown batch': one('--batch', NOWHERE),
    invalid: one(),
  },
  'holds reject': {
    good: one('{hold mismatch}'),
    batch: one('--batch', '{batch}'),
    decided: one('{hold decided}'),
    unknown: one(NOWHERE),
    'unknown batch': one('--batch', NOWHERE),
    invalid: one(),
  },
  'holds resubmit': {
    good: one('{hold lost}'),
    'in a batch': one('{hold in batch}'),
    decided: one('{hold decided}'),
    unknown: one(NOWHERE),
    invalid: one(),
  },
  'holds decide': {
    good: one('{hold mismatch}', 'reject'),
    withdrawable: one('{hold mismatch}', 'approve', '--withdrawable'),
    decided: one('{hold decided}', 'reject'),
    unknown: one(NOWHERE, 'reject'),
    invalid: one('{hold mismatch}', 'shrug'),
  },
  'holds batch': {
    good: one('{batch}', 'reject'),
    unknown: one(NOWHERE, 'reject'),
    invalid: one('{batch}', 'resubmit'),
  },
  'holds names': {
    good: one('--integration', 'harbor'),
    examples: one('--integration', 'harbor', '--examples'),
    unknown: one('--integration', 'nowhere'),
  },
  'holds queue': {
    good: one(),
    'other client': one('--client', 'harbor', '--order', 'newest'),
    'unknown reason': one('--reason', 'sleepy'),
    unknown: one('--client', 'nowhere'),
    invalid: one('--order', 'random'),
  },
  'holds answers': { good: one() },
  'holds withdraw': { unknown: one(NOWHERE), invalid: one() },
  'holds all': {
    good: one('harbor', 'name_mismatch', 'reject', '--yes'),
    approve: one('harbor', 'name_mismatch', 'approve', '--yes'),
    resubmit: one('harbor', 'lost_answer', 'resubmit', '--yes'),
    unconfirmed: one('harbor', 'name_mismatch', 'reject'),
    'not possible': one('harbor', 'lost_answer', 'approve', '--yes'),
    'nothing waits': one('riverside', 'name_mismatch', 'reject', '--yes'),
    'unknown reason': one('harbor', 'sleepy', 'reject', '--yes'),
    unknown: one('nowhere', 'name_mismatch', 'reject', '--yes'),
    invalid: one('harbor', 'name_mismatch', 'shrug', '--yes'),
    'without an id': one(),
  },
  approvals: { good: one(), invalid: one('confrm', '{approval}') },
  'approvals show': { good: one('{approval}'), unknown: one(NOWHERE), invalid: one() },
  'approvals confirm': {
    good: { args: ['{approval}', '--yes'], user: 'ben' },
    undo: { args: ['{approval undo}', '--yes'], user: 'ben' },
    'same person': one('{approval undo}', '--yes'),
    unconfirmed: { args: ['{approval}'], user: 'ben' },
    unknown: one(NOWHERE, '--yes'),
    invalid: one(),
  },
  'approvals refuse': {
    good: { args: ['{approval}', '--yes'], user: 'ben' },
    'same person': one('{approval undo}', '--yes'),
    unknown: one(NOWHERE, '--yes'),
    invalid: one(),
  },
  schedule: { good: one(), invalid: one('skip') },
  'schedule list': { good: one(), invalid: one('--unheard-of') },
  'schedule show': {
    ...ofClients(),
    'without an id': one(),
  },
  'schedule pause': {
    ...ofClients(),
    'without a schedule': one('harbor'),
    'without an id': one(),
  },
  'schedule resume': {
    ...ofClients(),
    'without a schedule': one('harbor'),
    'without an id': one(),
  },
  address: { good: one(), invalid: one('shw') },
  'address show': { good: one(), invalid: one('--unheard-of') },
  'address set': {
    good: one('https://donors.example.org'),
    invalid: one('https://localhost'),
    'without an address': one(),
  },
  users: { good: one(), invalid: one('invte') },
  'users invite': {
    good: one('--name', 'Nora', '--email', 'nora@example.org', '--role', 'viewer'),
    'known address': one('--name', 'Zoe', '--email', 'zoe@example.org', '--role', 'viewer'),
    'limited owner': one(
      ...['--name', 'Nora', '--email', 'nora@example.org', '--role', 'owner'],
      ...['--integrations', 'harbor'],
    ),
    unknown: one(
      ...['--name', 'Nora', '--email', 'nora@example.org', '--role', 'viewer'],
      ...['--integrations', 'nowhere'],
    ),
    invalid: one('--name', '', '--email', 'nora', '--role', 'queen'),
    'invalid name': one('--name', '', '--email', 'nora@example.org', '--role', 'viewer'),
    'invalid address': one('--name', 'Nora', '--email', 'nora', '--role', 'viewer'),
    'without options': one(),
  },
  'users list': {
    good: one(),
    'former name': { args: [], typed: 'people list' },
    invalid: one('--unheard-of'),
  },
  'users role': {
    good: one('{user viewer}', '--role', 'decider'),
    'by address': one('viewer@example.org', '--role', 'decider'),
    'by the end of the id': one('{end of user viewer}', '--role', 'decider'),
    'last owner': one('{user owner}', '--role', 'viewer'),
    unknown: one(NOWHERE, '--role', 'decider'),
    'unknown client': one('{user viewer}', '--role', 'viewer', '--integrations', 'nowhere'),
    invalid: one('{user viewer}', '--role', 'queen'),
  },
  'users link': {
    good: one('{invited}', '--out', 'link.txt'),
    'without a terminal': one('{invited}'),
    unknown: one(NOWHERE, '--out', 'link.txt'),
    invalid: one(),
  },
  'users disable': {
    good: one('{user viewer}'),
    'last owner': one('{user owner}'),
    unknown: one(NOWHERE),
    invalid: one(),
  },
  'users enable': { good: one('{user viewer}'), unknown: one(NOWHERE), invalid: one() },
  'users sign-out': { good: one('{user viewer}'), unknown: one(NOWHERE), invalid: one() },
  'users passkeys': { good: one(), invalid: one('lst') },
  'users passkeys list': { good: one('{user viewer}'), unknown: one(NOWHERE), invalid: one() },
  'users passkeys remove': {
    'unknown passkey': one('{user viewer}', 'nowhere', '--yes'),
    unknown: one(NOWHERE, 'nowhere', '--yes'),
    unconfirmed: one('{user viewer}', 'nowhere'),
    invalid: one('{user viewer}'),
  },
  'users crm-users': { good: one(), invalid: one('lst') },
  'users crm-users list': { good: one('{user viewer}'), unknown: one(NOWHERE), invalid: one() },
  'users crm-users unlink': {
    'unknown link': one('{user viewer}', 'nowhere'),
    unknown: one(NOWHERE, 'nowhere'),
    invalid: one('{user viewer}'),
  },
  'users remove': {
    good: one('{user viewer}', '--yes'),
    unconfirmed: one('{user viewer}'),
    'last owner': one('{user owner}', '--yes'),
    unknown: one(NOWHERE, '--yes'),
    invalid: one(),
  },
  tokens: { good: one(), invalid: one('creat') },
  'tokens create': {
    good: one('--name', 'Reports', '--role', 'viewer'),
    'limited owner': one('--name', 'Reports', '--role', 'owner', '--integrations', 'harbor'),
    unknown: one('--name', 'Reports', '--role', 'viewer', '--integrations', 'nowhere'),
    invalid: one('--name', '', '--role', 'queen'),
    'invalid name': one('--name', '', '--role', 'viewer'),
    'without options': one(),
  },
  'tokens create-door': {
    good: one('riverside', '--name', 'Salesforce'),
    unknown: one('nowhere', '--name', 'Salesforce'),
    invalid: one('riverside', '--name', 'Salesforce', '--per-day', '0'),
    'without options': one(),
  },
  'tokens list': { good: one(), invalid: one('--unheard-of') },
  'tokens revoke': {
    good: one('token-viewer', '--yes'),
    unconfirmed: one('token-viewer'),
    unknown: one(NOWHERE, '--yes'),
    invalid: one(),
  },
  fields: { good: one(), invalid: one('chck') },
  'fields check': { ...ofClients(), 'not connected': one('hillside') },
  'fields create': {
    ...ofClients(),
    invalid: one('riverside', '--capacity-above', 'much'),
    'not connected': one('hillside'),
  },
  'fields source': {
    good: one('source', '--integration', 'hillside'),
    'without https': one('source', '--integration', 'hillside', '--enhance-now'),
    'another kind': one('source', '--integration', 'riverside'),
    unknown: one('source', '--integration', 'nowhere'),
    invalid: one(),
  },
  networks: { ...ofClients(), all: one(), invalid: one('chck') },
  'networks introductions': { ...ofClients(), 'invalid strength': one('--weakest', '10') },
  'networks check': ofClients(),
  'networks repair': { ...ofClients('--yes'), unconfirmed: one('riverside') },
  paths: {
    good: one('c020', '--integration', 'riverside'),
    'other client': one('c041', '--integration', 'harbor'),
    'without a client': one('c020'),
    'unknown contact': one('nowhere', '--integration', 'riverside'),
    unknown: one('c020', '--integration', 'nowhere'),
    invalid: one(),
  },
  prospects: {
    ...ofClients(),
    'without a client': one(),
    csv: one('riverside', '--csv'),
    invalid: one('riverside', '--limit', '0'),
    'invalid strength': one('riverside', '--min-strength', 'strong'),
  },
  credits: { ...ofClients(), all: one() },
  'credits spent': {
    good: one(),
    month: one('--month', THIS_MONTH),
    'other client': one('--integration', 'harbor'),
    unknown: one('--integration', 'nowhere'),
    invalid: one('--days', '5'),
    'not a number': one('--days', 'some'),
    'invalid month': one('--month', '2026-13'),
  },
  'credits bill': {
    good: one('--month', THIS_MONTH),
    csv: one('--month', THIS_MONTH, '--csv'),
    'empty month': one('--month', '2020-01'),
    invalid: one('--month', 'soon'),
    'without a month': one(),
  },
  results: {
    good: one('--month', THIS_MONTH),
    'one client': one('--integration', 'riverside'),
    unknown: one('--integration', 'nowhere'),
    invalid: one('--month', 'soon'),
  },
  'credits reconcile': {
    good: one(THIS_MONTH),
    'empty month': one('2020-01'),
    invalid: one('soon'),
    'without a month': one(),
  },
  undo: {
    good: one('{run}', '--yes'),
    'nothing written': one('{run stopped}', '--yes'),
    unknown: one(NOWHERE, '--yes'),
    'not an id': one('nowhere', '--yes'),
    unconfirmed: one('{run}'),
    invalid: one(),
  },
  contacts: { good: one(), invalid: one('shw') },
  'contacts search': {
    good: one('mar', '--integration', 'riverside'),
    'by ID': one('c001', '--integration', 'riverside'),
    'without a client': one('mar'),
    unknown: one('mar', '--integration', 'nowhere'),
    invalid: one(),
  },
  'contacts erasable': {
    good: one('c001', '--integration', 'riverside'),
    'in the CRM too': one('c001', '--integration', 'riverside', '--also-in-crm'),
    'without a client': one('c001'),
    unknown: one('c001', '--integration', 'nowhere'),
    invalid: one(),
  },
  'contacts names': {
    good: one('riverside/c001'),
    unknown: one('riverside/nobody', 'nowhere/c001'),
    invalid: one('c001'),
  },
  mails: { good: one(), invalid: one('shw') },
  'mails show': { unknown: one('--user', 'nobody@example.org'), 'without a user': one() },
  'mails set': {
    unknown: one('results', 'off', '--user', 'nobody@example.org'),
    'without a user': one('results', 'off'),
    invalid: one('results'),
  },
  'mails confirm': { wrong: one('abc'), invalid: one() },
  introductions: {
    good: one('--integration', 'riverside'),
    csv: one('--integration', 'riverside', '--csv'),
    filtered: one('--integration', 'riverside', '--capacity', '100k', '--mine'),
    unknown: one('--integration', 'nowhere'),
    invalid: one('--integration', 'riverside', '--limit', '0'),
  },
  'introductions add': {
    good: one('c001', '--integration', 'riverside'),
    'unknown contact': one('nowhere', '--integration', 'riverside'),
    unknown: one('c001', '--integration', 'nowhere'),
    invalid: one(),
  },
  'introductions remove': {
    good: one('c001', '--integration', 'riverside'),
    'unknown contact': one('nowhere', '--integration', 'riverside'),
    unknown: one('c001', '--integration', 'nowhere'),
    invalid: one(),
  },
  'contacts show': {
    good: one('c001', '--integration', 'riverside'),
    'without a client': one('c001'),
    'unknown contact': one('nowhere', '--integration', 'riverside'),
    unknown: one('c001', '--integration', 'nowhere'),
    invalid: one(),
  },
  about: {
    good: one('c001', '--integration', 'riverside'),
    'without a client': one('c001'),
    'unknown contact': one('nowhere', '--integration', 'riverside'),
    unknown: one('c001', '--integration', 'nowhere'),
    invalid: one(),
  },
  forget: {
    good: one('c001', '--integration', 'riverside', '--yes'),
    'in the CRM too': one('c001', '--integration', 'riverside', '--also-in-crm', '--yes'),
    everywhere: one('c001', '--integration', 'riverside', '--everywhere', '--yes'),
    unconfirmed: one('c001', '--integration', 'riverside'),
    'without a client': one('c001', '--yes'),
    'unknown contact': one('nowhere', '--integration', 'riverside', '--yes'),
    unknown: one('c001', '--integration', 'nowhere', '--yes'),
    'lift a block': one('c001', '--integration', 'riverside', '--lift-block'),
    invalid: one(),
  },
  'forget lift-block': {
    'not blocked': one('c001', '--integration', 'riverside', '--yes'),
    unknown: one('c001', '--integration', 'nowhere', '--yes'),
    'without a client': one('c001', '--yes'),
    invalid: one(),
  },
  erase: {
    good: one('meadow', '--yes'),
    'of the file': one('riverside', '--yes'),
    unconfirmed: one('meadow'),
    unknown: one('nowhere', '--yes'),
    'invalid option': one('meadow', '--yes', '--unheard-of'),
    invalid: one(),
  },
  audit: {
    good: one('--limit', '2'),
    'other client': one('--integration', 'harbor', '--limit', '2'),
    csv: one('--csv', '--limit', '2'),
    unknown: one('--integration', 'nowhere'),
    'unknown action': one('--action', 'sleepy'),
    invalid: one('--limit', '0'),
    'invalid day': one('--since', 'soon'),
    'until a day': one('--until', '2000-01-01'),
    'of a user': one('--person', 'nobody'),
  },
  'audit export': {
    good: one('--limit', '2', '--csv'),
    'for people': one('--limit', '2'),
    'unknown action': one('--action', 'sleepy'),
    invalid: one('--limit', '0'),
  },
  'audit verify': {
    good: one(),
    'other end': one('--known', '1:abc'),
    invalid: one('--known', 'x'),
  },
  hooks: { good: one(), invalid: one('creat') },
  'hooks create': {
    good: one('harbor'),
    'there already': one('riverside'),
    signed: one('harbor', '--signature', 'hmac'),
    'signed by HubSpot': one('harbor', '--signature', 'hubspot'),
    unknown: one('nowhere'),
    invalid: one('harbor', '--signature', 'wax'),
    'unset variable': one('harbor', '--signature', 'hmac', '--secret-env', 'NO_SUCH_SECRET'),
    'without an id': one(),
  },
  'hooks rotate': {
    good: one('riverside'),
    'there is none': one('harbor'),
    signed: one('riverside', '--signature', 'hmac'),
    unknown: one('nowhere'),
    invalid: one('riverside', '--signature', 'wax'),
    'without an id': one(),
  },
  'hooks revoke': {
    good: one('riverside', '--yes'),
    unconfirmed: one('riverside'),
    'there is none': one('harbor', '--yes'),
    unknown: one('nowhere', '--yes'),
    invalid: one(),
  },
  'hooks list': { good: one(), invalid: one('--unheard-of') },
  'hooks show': {
    client: one('riverside'),
    'there is none': one('harbor'),
    unknown: one('nowhere'),
    invalid: one('--unheard-of'),
    'without an id': one(),
  },
  hubspot: { good: one(), invalid: one('ap') },
  'hubspot app': { 'not https': one('--out', 'an-app'), 'without a folder': one() },
  apply: {
    good: one('meadow.yaml'),
    'dry run': one('meadow.yaml', '--dry-run'),
    unknown: one('nowhere.yaml'),
    invalid: one('broken.yaml'),
    'of the file': one('riverside.yaml'),
    'without a file': one(),
  },
  remove: {
    good: one('meadow', '--yes'),
    'of the file': one('riverside', '--yes'),
    unconfirmed: one('meadow'),
    unknown: one('nowhere', '--yes'),
    invalid: one(),
  },
  export: {
    good: one('harbor'),
    everything: one('harbor', '--everything', 'all-data'),
    unknown: one('nowhere'),
    invalid: one(),
  },
  'export everything': {
    good: one('harbor', '--out', 'all-data'),
    unknown: one('nowhere', '--out', 'all-data'),
    invalid: one('harbor'),
  },
  alerts: { good: one(), invalid: one('tst') },
  'alerts list': {
    good: one(),
    'other client': one('--integration', 'harbor'),
    unknown: one('--integration', 'nowhere'),
    invalid: one('--unheard-of'),
  },
  'alerts show': { ...ofClients(), 'without an id': one() },
  'alerts test-own': { ...ofClients(), 'without an id': one() },
  'alerts test': { good: one(), invalid: one('--unheard-of') },
  'alerts check': { good: one(), invalid: one('--unheard-of') },
  'clients connections': { good: one(), invalid: one('--unheard-of') },
  disconnect: {
    good: one('hillside', '--yes'),
    'not wanted': one('riverside', '--yes'),
    unconfirmed: one('hillside'),
    unknown: one('nowhere', '--yes'),
    invalid: one(),
  },
  help: {
    good: one('run_unknown'),
    outcome: one('held'),
    command: one('runs'),
    unknown: one('nowhere'),
    'without a code': one(),
  },
  connector: { good: one(), invalid: one('nw') },
  'connector new': { good: one('abacus-connector'), invalid: one() },
};
