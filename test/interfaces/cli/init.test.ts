import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findConnectorDefinition, REMOTE_CRMS } from '../../../connectors/index.ts';
import { createCommand, runProgram } from '../../../src/interfaces/cli/action/command.ts';
import { initCommand } from '../../../src/interfaces/cli/commands/init/init.ts';
import { loadSettings, type Settings } from '../../../src/settings/settings.ts';
import { findAConnector } from '../../settings/a-connector.ts';
import { aStream, KEYS } from './a-terminal.ts';

const HEADER = `Donor ID,First Name,Last Name,Street,City,State,Zip,Employer,Odd \${COLUMN}\n`;

const ENV = {
  PARTNER_BASE_URL: 'https://partner.example',
  PARTNER_API_KEY: 'key',
  HUBSPOT_TOKEN: 'token',
  SALESFORCE_CLIENT_ID: 'id',
  SALESFORCE_CLIENT_SECRET: 'secret',
  SALESFORCE_USERNAME: 'user',
  SALESFORCE_PRIVATE_KEY: 'private',
  SALESFORCE_REFRESH_TOKEN: 'refresh',
  SALESFORCE_TOKEN: 'token',
};

/** The options for the file that each test starts with. */
const CSV = ['--crm', 'csv', '--csv-path', 'donors.csv'];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-init-'));
  await writeFile(join(folder, 'donors.csv'), HEADER);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Starts `donor-sync init …`. Type into `stdin` while it runs. */
function startInit(args: string[], { isTTY = false, env = {}, find = findAConnector } = {}) {
  const stdin = aStream({ isTTY });
  const stdout = aStream({ isTTY: false });
  const stderr = aStream({ isTTY });
  let exitCode: number | null = null;
  const deps = {
    stdin,
    stdout,
    stderr,
    env,
    cwd: folder,
    timezone: () => 'America/Chicago',
    findConnectorDefinition: find,
    setExitCode(code: number) {
      exitCode = code;
    },
  };
  const program = createCommand('donor-sync', deps).addCommand(initCommand(deps));
  const ended = runProgram(program, deps, ['init', ...args]).then(() => ({
    exitCode,
    stdout: stdout.written(),
    stderr: stderr.written(),
  }));
  return { stdin, stderr, ended };
}

function runInit(args: string[], env = {}) {
  return startInit(args, { env }).ended;
}

function load(name = 'donor-sync.yaml'): Promise<Settings> {
  return loadSettings({
    path: join(folder, name),
    env: ENV,
    cwd: '/',
    findConnectorDefinition: findAConnector,
  });
}

describe('init --yes', () => {
  it('writes settings for a CSV file from its header alone', async () => {
    const { exitCode, stdout } = await runInit([
      '--yes',
      '--crm',
      'csv',
      '--csv-path',
      'donors.csv',
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('donor-sync plan my-nonprofit');
    expect(stdout).toContain('export PARTNER_API_KEY=');
    const { integrations } = await load();
    expect(integrations[0]).toMatchObject({
      id: 'my-nonprofit',
      schedule: { cron: '0 2 * * *', timezone: 'America/Chicago' },
      partner: { baseUrl: 'https://partner.example', apiKey: 'key' },
      crm: {
        kind: 'csv',
        path: join(folder, 'donors.csv'),
        output: join(folder, 'donors-enhanced.csv'),
        columns: {
          id: 'Donor ID',
          firstName: 'First Name',
          lastName: 'Last Name',
          addresses: ['Street', 'City', 'State', 'Zip'],
          employers: ['Employer'],
        },
      },
    });
  });

  it.each([
    [['--partner-url', 'http://partner.example'], {}, 'partner\\.example'],
    // Values from the environment are never shown.
    [[], { PARTNER_BASE_URL: 'http://partner.example' }, 'this host'],
  ])(
    'writes no address at which keys could be read on the way (%j %j)',
    async (options, env, host) => {
      const { exitCode, stderr } = await runInit(
        ['--yes', '--crm', 'csv', '--csv-path', 'donors.csv', ...options],
        env,
      );
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(new RegExp(`partner\\.baseUrl.*${host}.*allowInsecureHttp`));
      await expect(access(join(folder, 'donor-sync.yaml'))).rejects.toThrow();
    },
  );

  it('takes every answer from the options and writes paths from the folder of the file', async () => {
    await runInit([
      ...['--yes', '--config', 'deep/er/settings.yaml', '--crm', 'csv'],
      ...['--csv-path', 'donors.csv', '--csv-output', './donors.csv'],
      ...['--name', 'Église "Saint-Jean" #1', '--schedule', 'none'],
      ...['--csv-addresses', 'City', `Odd \${COLUMN}`, '--partner-url', 'https://p.example'],
    ]);
    const settings = await load('deep/er/settings.yaml');
    expect(settings.integrations[0]).toMatchObject({
      id: 'eglise-saint-jean-1',
      name: 'Église "Saint-Jean" #1',
      schedule: null,
      partner: { baseUrl: 'https://p.example' },
    });
    const crm = settings.integrations[0]?.crm;
    expect(crm).toMatchObject({
      path: join(folder, 'donors.csv'),
      columns: { addresses: ['City', `Odd \${COLUMN}`] },
    });
    expect(crm).not.toHaveProperty('output');
  });

  it.each(['jwt', 'clientCredentials', 'refreshToken', 'token'])(
    'writes the %s sign-in of Salesforce without a secret in the file',
    async (auth) => {
      const url = 'https://riverside.my.salesforce.com';
      const { exitCode } = await runInit(
        ['--yes', '--crm', 'salesforce', '--auth', auth, '--crm-url', url],
        ENV,
      );
      expect(exitCode).toBe(0);
      expect((await load()).integrations[0]?.crm).toMatchObject({ url, auth: { type: auth } });
      expect(await readFile(join(folder, 'donor-sync.yaml'), 'utf8')).not.toContain(
        ENV.PARTNER_BASE_URL,
      );
    },
  );

  it.each([
    [['civicrm', '--crm-url', 'https://crm.example.org'], [], { doNotContactField: null }],
    [
      ['civicrm', '--crm-url', 'https://crm.example.org'],
      ['--contact-marks', 'do_not_mail'],
      { doNotContactField: 'do_not_mail' },
    ],
    [
      ['bloomerang'],
      ['--contact-marks', 'CommunicationRestrictions=DoNotMail'],
      {
        doNotContactField: 'CommunicationRestrictions',
        doNotContactValues: ['DoNotMail'],
        unmarkedValues: { doNotContact: ['DoNotCall', 'DoNotSolicit'] },
      },
    ],
  ])(
    'names the marks about mail and calls of %j in the file, and excludes by %j',
    async (crm, marks, contacts) => {
      const keys = { CIVICRM_API_KEY: 'x', BLOOMERANG_API_KEY: 'x' };
      const { exitCode } = await startInit(['--yes', '--crm', ...crm, ...marks], {
        env: { ...ENV, ...keys },
        find: findConnectorDefinition,
      }).ended;
      expect(exitCode).toBe(0);
      const text = await readFile(join(folder, 'donor-sync.yaml'), 'utf8');
      expect(text).toMatch(/Marks about mail and calls.*(do_not_mail|DoNotMail)/);
      const { integrations } = await loadSettings({
        path: join(folder, 'donor-sync.yaml'),
        env: { ...ENV, ...keys },
        cwd: '/',
        findConnectorDefinition,
      });
      expect(integrations[0]?.contacts).toMatchObject(contacts);
    },
  );

  it('answers with one document with --json', async () => {
    const { stdout } = await runInit(['--yes', '--crm', 'hubspot', '--json'], {
      HUBSPOT_TOKEN: 'x',
    });
    expect(JSON.parse(stdout)).toEqual({
      settings: 'donor-sync.yaml',
      integration: 'my-nonprofit',
      unset: ['PARTNER_BASE_URL', 'PARTNER_API_KEY'],
      next: [
        'donor-sync doctor',
        'donor-sync fields create my-nonprofit',
        'donor-sync plan my-nonprofit',
        'donor-sync sync my-nonprofit',
      ],
    });
    expect((await load()).integrations[0]?.crm.kind).toBe('hubspot');
  });

  it('leaves a file that is there alone unless forced', async () => {
    await writeFile(join(folder, 'donor-sync.yaml'), 'precious');
    const { exitCode, stderr } = await runInit(['--yes', '--crm', 'hubspot']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--force');
    expect(await readFile(join(folder, 'donor-sync.yaml'), 'utf8')).toBe('precious');
    expect((await runInit(['--yes', '--crm', 'hubspot', '--force'])).exitCode).toBe(0);
    expect((await load()).integrations).toHaveLength(1);
  });

  it.each([
    [['--crm', 'salesforc'], 'did you mean "salesforce"?'],
    [['--crm', 'csv'], '--csv-path is needed'],
    [['--crm', 'csv', '--csv-path', 'nope.csv'], 'nope.csv does not exist'],
    [
      ['--crm', 'csv', '--csv-path', 'donors.csv', '--csv-id', 'DonorId'],
      'did you mean "Donor ID"?',
    ],
    [
      [...CSV, '--csv-first-name', 'First Name', '--csv-last-name', 'First Name'],
      '--csv-last-name: "First Name" is the column of the first name; for whole names use --csv-full-name',
    ],
    [
      [...CSV, '--csv-first-name', 'First Name', '--csv-full-name', 'Last Name'],
      '--csv-full-name replaces --csv-first-name and --csv-last-name, so use it without them',
    ],
    [[...CSV, '--csv-full-name', 'First Nam'], 'did you mean "First Name"?'],
    [[...CSV, '--csv-deceased', 'Died'], '--csv-deceased: "Died" is not one of the choices'],
    [['--crm', 'hubspot', '--schedule', '0 25 * * *'], 'the hour (field 2)'],
    [['--crm', 'hubspot', '--timezone', 'Mars/North'], 'not a time zone'],
    [['--crm', 'hubspot', '--id', 'Not An Id'], 'integrations[0].id'],
    [['--crm', 'hubspot', '--partner-url', 'partner'], '--partner-url: expected a URL'],
    [['--crm', 'salesforce', '--auth', 'token'], '--crm-url is needed'],
    [['--crn', 'hubspot'], '--crm'],
  ])('refuses %j with words and writes nothing', async (args, words) => {
    const { exitCode, stderr, stdout } = await runInit(['--yes', '--json', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
    expect(JSON.parse(stdout)).toHaveProperty('error.message', expect.stringContaining(words));
    await expect(access(join(folder, 'donor-sync.yaml'))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['a', 'must name at least 2 columns'],
    ['PK\u0003\u0004\u0000\u0000', 'cannot be read as a workbook'],
  ])('refuses a file that begins with %j', async (content, words) => {
    await writeFile(join(folder, 'donors.csv'), content);
    const { stderr } = await runInit(['--yes', '--crm', 'csv', '--csv-path', 'donors.csv']);
    expect(stderr).toContain(words);
  });

  it('understands semicolons, quotes and a byte order mark', async () => {
    await writeFile(join(folder, 'donors.csv'), '\ufeffId;"First, given";First;Last\n');
    await runInit(['--yes', '--crm', 'csv', '--csv-path', 'donors.csv']);
    expect((await load()).integrations[0]?.crm).toMatchObject({
      columns: { id: 'Id', firstName: 'First', lastName: 'Last' },
    });
  });

  it.each([
    ['Full Name', 'Id,Full Name,City\n'],
    ['Full Name (F)', 'Account ID,Full Name (F),Deceased\n'],
    ['Name', 'Id,Name\n'],
    ['Sort Name', 'Contact ID,Display Name,Sort Name,First Name\n'],
    ['Display Name', 'Contact ID,Display Name\n'],
    ['Full Name', 'Id,Full Name,Spouse First Name,Spouse Last Name\n'],
  ])(
    'finds the column with whole names where there is no better one (%s)',
    async (name, header) => {
      await writeFile(join(folder, 'donors.csv'), header);
      expect((await runInit(['--yes', ...CSV])).exitCode).toBe(0);
      const [integration] = (await load()).integrations;
      expect(integration?.crm).toMatchObject({ columns: { fullName: name } });
      expect(integration?.crm).not.toHaveProperty('columns.firstName');
    },
  );

  it.each([['Id,Full Name,First Name,Last Name\n'], ['Id,Last Name,Name,First Name\n']])(
    'prefers columns of their own for first and last name (%j)',
    async (header) => {
      await writeFile(join(folder, 'donors.csv'), header);
      await runInit(['--yes', ...CSV]);
      expect((await load()).integrations[0]?.crm).toMatchObject({
        columns: { firstName: 'First Name', lastName: 'Last Name' },
      });
    },
  );

  it('guesses no column for both names, and none at all where nothing says name', async () => {
    await writeFile(join(folder, 'donors.csv'), 'Id,Who,City\n');
    const { exitCode, stderr } = await runInit(['--yes', ...CSV]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--csv-first-name and --csv-last-name, or --csv-full-name');
    expect((await runInit(['--yes', ...CSV, '--csv-full-name', 'Who'])).exitCode).toBe(0);
    expect((await load()).integrations[0]?.crm).toMatchObject({ columns: { fullName: 'Who' } });
  });

  it.each([
    // CiviCRM
    [
      'Contact ID,Do Not Email,Do Not Mail,Do Not Trade,No Bulk Emails (User Opt Out),First Name,Last Name,Deceased,Deceased Date',
      { optOutField: 'Do Not Trade', deceasedField: 'Deceased', doNotContactField: null },
    ],
    // Neon CRM
    [
      'Account ID,Full Name (F),First Name,Last Name,Deceased,Do Not Contact',
      { optOutField: null, deceasedField: 'Deceased', doNotContactField: 'Do Not Contact' },
    ],
    // Bloomerang, whose status is not a mark
    [
      'Account Number,Account Status,Communication Restrictions,First Name,Last Name',
      { optOutField: null, deceasedField: null, doNotContactField: null },
    ],
    // DonorPerfect, which uses letters, and has a mark for email only
    [
      'donor_id,first_name,last_name,nomail,nomail_reason,no_email',
      { optOutField: null, deceasedField: null, doNotContactField: null },
    ],
    [
      'Id,First,Last,Opt-Out,Do Not Research,Date of Death,do_not_contact',
      {
        optOutField: 'Do Not Research',
        deceasedField: 'Date of Death',
        doNotContactField: 'do_not_contact',
      },
    ],
  ])('finds the columns that mark who is left out (%s)', async (header, contacts) => {
    await writeFile(join(folder, 'donors.csv'), `${header}\n`);
    const { stdout } = await runInit(['--yes', ...CSV]);
    expect((await load()).integrations[0]?.contacts).toMatchObject(contacts);
    for (const column of Object.values(contacts)) {
      if (column !== null) expect(stdout).toContain(`"${column}"`);
    }
    expect(stdout.includes('Never sent to the service')).toBe(
      Object.values(contacts).some(Boolean),
    );
  });

  it('takes other columns, or none, from the options', async () => {
    await writeFile(join(folder, 'donors.csv'), 'Id,First,Last,Deceased,Flag,Do Not Contact\n');
    await runInit([
      ...['--yes', ...CSV, '--csv-opt-out', 'Flag'],
      ...['--csv-deceased', 'none', '--csv-do-not-contact', 'Flag'],
    ]);
    expect((await load()).integrations[0]?.contacts).toMatchObject({
      optOutField: 'Flag',
      deceasedField: null,
      doNotContactField: 'Flag',
    });
  });

  it('names the encoding of a file with the letters of an old spreadsheet', async () => {
    const header = Buffer.from('Id,First,Last,Société\n', 'latin1');
    await writeFile(join(folder, 'donors.csv'), header);
    await runInit([
      ...['--yes', '--crm', 'csv', '--csv-path', 'donors.csv', '--csv-employers', 'Société'],
    ]);
    expect((await load()).integrations[0]?.crm).toMatchObject({
      encoding: 'latin1',
      columns: { employers: ['Société'] },
    });
  });
});

describe('init', () => {
  it('needs a terminal for its questions', async () => {
    const { exitCode, stderr } = await runInit([]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('init --yes');
  });

  it('asks a person and writes what was answered', async () => {
    const { stdin, stderr, ended } = startInit([], { isTTY: true });
    async function answer(question: string, keys: string): Promise<void> {
      await expect.poll(() => stderr.written()).toContain(question);
      stdin.write(keys);
    }
    // The file comes after all CRMs in the list.
    await answer('Where are the contacts?', KEYS.down.repeat(REMOTE_CRMS.length) + KEYS.enter);
    await answer('Which CSV file contains the contacts?', `donors.csv${KEYS.enter}`);
    await answer("Which column has a contact's ID?", KEYS.enter);
    await answer('Which columns contain the names?', KEYS.enter);
    await answer('Which column has the first name?', KEYS.enter);
    await answer('Which column has the last name?', KEYS.enter);
    await answer('Which columns form the address?', KEYS.space + KEYS.enter);
    await answer('Which columns have employers?', KEYS.enter);
    await answer('contacts that must not be researched?', KEYS.enter);
    await answer('deceased contacts?', KEYS.enter);
    await answer('contacts that must not be contacted?', KEYS.enter);
    await answer('should get the results?', KEYS.enter);
    await answer('name of the nonprofit?', ` West${KEYS.enter}`);
    await answer('base URL of the Partner Data Service?', KEYS.enter);
    await answer('What is the service key?', KEYS.enter);
    await answer('one run can spend', KEYS.enter);
    await answer('can be spent in a month', KEYS.enter);
    await answer('"0 2 * * *" is every night at 2:00', KEYS.enter);
    await answer('In which time zone does the schedule run?', KEYS.enter);
    await answer('Where should the settings file be written?', KEYS.enter);
    expect((await ended).exitCode).toBe(0);
    expect((await load()).integrations[0]).toMatchObject({
      id: 'my-nonprofit-west',
      crm: { kind: 'csv', columns: { id: 'Donor ID', employers: ['Employer'] } },
    });
  });

  it('asks for one column where names stand whole in it', async () => {
    await writeFile(join(folder, 'donors.csv'), 'Id,Name,First Name,Died,No Calls\n');
    const { stdin, stderr, ended } = startInit(['--crm', 'csv', '--csv-path', 'donors.csv'], {
      isTTY: true,
    });
    async function answer(question: string, keys: string): Promise<void> {
      await expect.poll(() => stderr.written()).toContain(question);
      stdin.write(keys);
    }
    await answer("Which column has a contact's ID?", KEYS.enter);
    await answer('Which columns contain the names?', KEYS.enter);
    await answer('Which column has the full name?', KEYS.enter);
    await answer('Which columns form the address?', KEYS.enter);
    await answer('Which columns have employers?', KEYS.enter);
    await answer('contacts that must not be researched?', KEYS.enter);
    await answer('deceased contacts?', KEYS.down.repeat(4) + KEYS.enter);
    await answer('contacts that must not be contacted?', KEYS.enter);
    await answer('should get the results?', KEYS.enter);
    await answer('name of the nonprofit?', KEYS.enter);
    await answer('base URL of the Partner Data Service?', KEYS.enter);
    await answer('What is the service key?', KEYS.enter);
    await answer('one run can spend', KEYS.enter);
    await answer('can be spent in a month', KEYS.enter);
    await answer('"0 2 * * *" is every night at 2:00', KEYS.enter);
    await answer('In which time zone does the schedule run?', KEYS.enter);
    await answer('Where should the settings file be written?', KEYS.enter);
    expect((await ended).exitCode).toBe(0);
    expect((await load()).integrations[0]).toMatchObject({
      crm: { columns: { id: 'Id', fullName: 'Name' } },
      contacts: { optOutField: null, deceasedField: 'Died', doNotContactField: null },
    });
  });

  it('writes nothing when it is cancelled', async () => {
    const { stdin, stderr, ended } = startInit([], { isTTY: true });
    await expect.poll(() => stderr.written()).toContain('Where are the contacts?');
    stdin.write(KEYS.cancel);
    expect(await ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Nothing') });
    await expect(access(join(folder, 'donor-sync.yaml'))).rejects.toThrow('ENOENT');
  });
});

describe('the persons of a CSV file', () => {
  const CSV_FLAGS = ['--crm', 'csv', '--csv-path', 'donors.csv', '--schedule', 'none'];
  const ALL_FLAGS = [
    ...[...CSV_FLAGS, '--name', 'West', '--partner-url', 'https://p.example'],
    ...['--csv-output', 'out.csv', '--config', 'donor-sync.yaml', '--csv-id', 'Id'],
    ...['--csv-first-name', 'First', '--csv-last-name', 'Last', '--csv-addresses', 'Street'],
    ...['--csv-employers', 'Employer', '--csv-opt-out', 'none', '--csv-deceased', 'none'],
    ...['--csv-do-not-contact', 'none', '--budget-per-run', 'none', '--budget-per-month', 'none'],
  ];

  beforeEach(async () => {
    const rows = Array.from({ length: 40 }, (_, at) => `${at},Ada${at} Mae,Vale,${at} Elm St,Acme`);
    await writeFile(
      join(folder, 'donors.csv'),
      `Id,First,Last,Street,Employer\n${rows.join('\n')}\n`,
    );
  });

  it.each([
    { keys: KEYS.enter, exitCode: 0, isWritten: true },
    { keys: `n${KEYS.enter}`, exitCode: 2, isWritten: false },
  ])(
    'are shown before anything is written, and a person says whether they are right ($isWritten)',
    async ({ keys, exitCode, isWritten }) => {
      const { stdin, stderr, ended } = startInit(ALL_FLAGS, {
        isTTY: true,
        env: { PARTNER_API_KEY: 'key' },
      });
      await expect.poll(() => stderr.written()).toContain('Are these the right columns?');
      expect(stderr.written()).toContain('5 people as sent to the service');
      expect(stderr.written().match(/Ada\d+ Mae +Vale +\d+ Elm St +Acme/g)).toHaveLength(5);
      await expect(access(join(folder, 'donor-sync.yaml'))).rejects.toThrow('ENOENT');
      stdin.write(keys);
      expect((await ended).exitCode).toBe(exitCode);
      const written = access(join(folder, 'donor-sync.yaml')).then(
        () => true,
        () => false,
      );
      expect(await written).toBe(isWritten);
    },
  );

  it('are shown by their shapes alone where no person is asked and none reads', async () => {
    const text = await runInit([...ALL_FLAGS, '--yes']);
    expect(text).toMatchObject({ exitCode: 0 });
    expect(text.stdout).toContain('5 people as sent to the service');
    expect(text.stdout).not.toContain('Ada');
    const { stdout } = await runInit([...ALL_FLAGS, '--yes', '--force', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      persons: Array(5).fill({ firstWords: 2, lastWords: 1, addresses: 1, employers: 1 }),
    });
    expect(stdout).not.toContain('Ada');
  });

  it('do not keep the settings from being written if the file cannot be read through', async () => {
    await writeFile(join(folder, 'donors.csv'), 'Id,First,Last,Street,Employer\n1,"Ada\n');
    const { exitCode, stderr } = await runInit([...ALL_FLAGS, '--yes']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('No people from the file can be shown');
  });
});

describe('help', () => {
  it('shows the options and examples of a command and ends with 0', async () => {
    const { exitCode, stdout, stderr } = await runInit(['--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('--csv-path');
    expect(stdout).toContain('Examples:');
    expect(stderr).toBe('');
  });
});
