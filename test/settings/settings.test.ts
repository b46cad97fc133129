import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../src/core/errors.ts';
import {
  loadSettings,
  parseSettings,
  type Settings,
  settingsPath,
} from '../../src/settings/settings.ts';
import { findAConnector } from './a-connector.ts';

const ENV = {
  PARTNER_API_KEY: 'key-of-the-partner',
  HUBSPOT_TOKEN: 'token-of-hubspot',
  LIMIT: '250',
  LONG: 'ninety',
};

const SMALL = `
integrations:
  - id: riverside
    partner: { baseUrl: "https://partner.example", apiKey: "\${PARTNER_API_KEY}" }
    crm:
      kind: hubspot
      url: https://api.hubapi.com
      auth: { type: token, token: "\${HUBSPOT_TOKEN}" }
`;

function parse(text: string, env: Record<string, string> = ENV): Promise<Settings> {
  return parseSettings(text, {
    path: 'donor-sync.yaml',
    env,
    cwd: '/srv/riverside',
    findConnectorDefinition: findAConnector,
  });
}

/** Returns the lines of the error, without the file name. */
async function problemsOf(text: string, env: Record<string, string> = ENV): Promise<string[]> {
  const error = await parse(text, env).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigurationError))
    throw new Error('nothing was wrong', { cause: error });
  const lines = error.message.split('\n').slice(1);
  expect(error.details['problems']).toHaveLength(lines.length);
  return lines.map((line) => line.replace('  donor-sync.yaml:', ''));
}

describe('parseSettings', () => {
  it('fills in the defaults of everything that is left out', async () => {
    const settings = await parse(SMALL);
    expect(settings).toMatchObject({
      path: '/srv/riverside/donor-sync.yaml',
      server: { host: '127.0.0.1', port: 8787, publicUrl: 'http://127.0.0.1:8787' },
      database: 'sqlite:/srv/riverside/data/donor-sync.db',
    });
    expect(settings.integrations[0]).toMatchObject({
      id: 'riverside',
      schedule: null,
      partner: { apiKey: 'key-of-the-partner' },
      crm: { kind: 'hubspot', auth: { type: 'token', token: 'token-of-hubspot' } },
      refresh: { afterDays: 365, whenIdentityChanges: true },
      budget: { perRun: null, perMonth: null, keep: 0 },
      networks: [],
      insights: { enabled: true, minStrength: 0.45 },
      onLostAnswer: 'hold',
      settleAfterMs: 90_000,
    });
  });

  it('expects people and webhooks at the port that it listens at, unless an address is named', async () => {
    const urlOf = async (server: string) => (await parse(`${server}\n${SMALL}`)).server.publicUrl;
    expect(await urlOf('server: { port: 9000 }')).toBe('http://127.0.0.1:9000');
    expect(await urlOf('server: { port: 0 }')).toBe('http://127.0.0.1:8787');
    expect(await urlOf('server: { port: 9000, publicUrl: "https://sync.example.org" }')).toBe(
      'https://sync.example.org',
    );
  });

  it('lists all mistakes in a file together, each with its line and path', async () => {
    const text = `server: { host: 127.0.0.1, prot: 8787 }
database: mysql://root:hunter2@db/donors
integrations:
  - id: River Side
    shedule: null
    schedule: { cron: "0 25 * * *", timezone: America/Chigaco }
    partner:
      baseUrl: ftp://partner.example
      apikey: sk-very-secret
    crm:
      kind: hubspot
      url: https://api.hubapi.com
      auth: { type: tokn, token: "\${NOT_THERE}" }
    budget:
      keep: ten
      perRun: -1
    refresh: soon
    fields:
      - { from: netWorth.lo, to: Net_Worth }
      - { from: age, to: Age, when: ifempty }
      - { from: bio, to: Age }
    networks:
      - name: Board
        group: { campain: Board }
    insights: { minStrength: 2, enabled: yes }
  - id: two
    partner: { baseUrl: "https://partner.example", apiKey: 42 }
    crm: { kind: hubspt }
  - id: two
    partner: { baseUrl: "https://partner.example", apiKey: "\${PARTNER_API_KEY}" }
    crm: { url: https://x.example }
`;
    expect(await problemsOf(text)).toEqual([
      '1:28 server.prot: unknown key, did you mean "port"?',
      '2:11 database: expected "sqlite:" and a file, or a URL that starts with "postgres://"',
      '4:9 integrations[0].id: use lower-case letters, digits and hyphens, at most 63 characters',
      '5:5 integrations[0].shedule: unknown key, did you mean "schedule"?',
      '6:23 integrations[0].schedule.cron: the hour (field 2) must be *, 0 to 23, a range, a step or a list of those',
      '6:47 integrations[0].schedule.timezone: not a time zone (an example is America/Chicago), did you mean "America/Chicago"?',
      '8:7 integrations[0].partner.apiKey: missing: expected a text that is not empty',
      '8:16 integrations[0].partner.baseUrl: expected a URL that starts with http:// or https://, got some other text',
      '9:7 integrations[0].partner.apikey: unknown key, did you mean "apiKey"?',
      '13:21 integrations[0].crm.auth.type: expected "token" or "jwt" or "clientCredentials" or "refreshToken", got "tokn", did you mean "token"?',
      '13:34 integrations[0].crm.auth.token: the environment variable NOT_THERE is not set',
      '15:13 integrations[0].budget.keep: expected a whole number >= 0, got "ten"',
      '16:15 integrations[0].budget.perRun: expected a whole number >= 0 or null, got -1',
      '17:14 integrations[0].refresh: expected a group of settings, got some other text',
      '19:17 integrations[0].fields[0].from: unknown word "netWorth.lo", did you mean "netWorth.low"?',
      '20:37 integrations[0].fields[1].when: expected "always", "ifEmpty", "unlessEdited", got "ifempty", did you mean "ifEmpty"?',
      '21:26 integrations[0].fields[2].to: "Age" is the target of another field (integrations[0].fields[1].to, line 20)',
      '24:18 integrations[0].networks[0].group.campain: unknown key, did you mean "campaign"?',
      '25:30 integrations[0].insights.minStrength: expected a number >= 0 and <= 1, got 2',
      '25:42 integrations[0].insights.enabled: expected true or false, got "yes"',
      '27:60 integrations[1].partner.apiKey: expected a text that is not empty, got a number',
      '28:18 integrations[1].crm.kind: there is no connector of the kind "hubspt"',
      '29:9 integrations[2].id: "two" is the id of another integration (integrations[1].id, line 26)',
      '31:10 integrations[2].crm.kind: missing: expected a text that is not empty',
    ]);
  });

  it('lets no two integrations write the same CSV file', async () => {
    const columns = 'columns: { id: Id, firstName: F, lastName: L }';
    const text = ['one', 'two', 'three'].map(
      (id) => `
  - id: ${id}
    partner: { baseUrl: "https://partner.example", apiKey: "k" }
    crm: { kind: csv, path: ${id}.csv, ${id === 'one' ? '' : 'output: one.csv, '}${columns} }`,
    );
    expect(await problemsOf(`integrations:${text.join('')}`)).toEqual([
      '7:46 integrations[1].crm.output: "one.csv" is written by another integration, too (integrations[0].crm.path, line 4)',
      '10:48 integrations[2].crm.output: "one.csv" is written by another integration, too (integrations[0].crm.path, line 4)',
    ]);
  });

  it('shows no secret from the file or the environment in its error messages', async () => {
    const text = SMALL.replace('type: token, token', 'type: token, tokn')
      .replace('https://partner.example', 'hunter2')
      .concat(`    budget: { keep: "\${LONG}" }\n    networks: "hunter2"\n`)
      .concat('database: "mysql://root:hunter2@db"\n');
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(6);
    expect(problems).toContainEqual(expect.stringContaining('got the value of LONG'));
    for (const secret of ['hunter2', 'ninety', ENV.PARTNER_API_KEY, ENV.HUBSPOT_TOKEN]) {
      expect(problems.join('\n')).not.toContain(secret);
    }
  });

  it('takes a number from the environment where a number is due, and a text where a text is', async () => {
    const text = SMALL.concat(`    budget: { perRun: "\${LIMIT}" }\n    name: "\${LIMIT}"\n`);
    const settings = await parse(text);
    expect(settings.integrations[0]?.budget.perRun).toBe(250);
    expect(settings.integrations[0]?.name).toBe('250');
  });

  it('takes numbers and truth values of the CRM from the environment too', async () => {
    const text = SMALL.replace('kind: hubspot', 'kind: salesforce').concat(
      `      apiCalls: \${LIMIT}\n      sandbox: \${YES}\n`,
    );
    const settings = await parse(text, { ...ENV, YES: 'true' });
    expect(settings.integrations[0]?.crm).toMatchObject({ apiCalls: 250, sandbox: true });
  });

  it(`keeps $\${ as a plain \${`, async () => {
    const settings = await parse(SMALL.concat(`    name: "$\${PARTNER_API_KEY}"\n`));
    expect(settings.integrations[0]?.name).toBe(`\${PARTNER_API_KEY}`);
  });

  it('names an unset variable once, without complaints that follow from it', async () => {
    const text = SMALL.replace('https://partner.example', `\${NOWHERE}`);
    expect(await problemsOf(text)).toEqual([
      '4:25 integrations[0].partner.baseUrl: the environment variable NOWHERE is not set',
    ]);
  });

  it('points into the right line for broken YAML and does not quote it', async () => {
    const [problem, ...others] = await problemsOf('database: "sqlite:x\nintegrations: [hunter2\n');
    expect(problem).toMatch(/^\d+:\d+ a closing quote, bracket, comma or colon is missing$/);
    expect(others.join()).not.toContain('hunter2');
    expect(await problemsOf('\tdatabase: hunter2\n')).toContainEqual(
      expect.stringMatching(/^1:1 YAML is indented with spaces/),
    );
  });

  it('advises a user who forgot the quotes of a variable inside braces', async () => {
    expect(await problemsOf(`server: { port: \${PORT} }\n`)).toEqual([
      `1:18 this is not valid YAML; inside { } and [ ] a "\${NAME}" needs its quotes`,
    ]);
  });

  it('takes an error that is no fault of the settings for what it is', async () => {
    const parsing = parseSettings(SMALL, {
      path: 'donor-sync.yaml',
      env: ENV,
      cwd: '/',
      findConnectorDefinition: () => Promise.reject(new TypeError('a bug')),
    });
    await expect(parsing).rejects.toThrow(TypeError);
  });

  it('refuses a key that stands there twice and goes on checking', async () => {
    expect(await problemsOf(`${SMALL}    id: again\n    nme: x\n`)).toEqual([
      '9:5 this key is here twice',
      '10:5 integrations[0].nme: unknown key, did you mean "name"?',
    ]);
  });

  it.each(['', '# nothing yet\n', '[]', 'hello'])('refuses a file that holds %j', async (text) => {
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('expected a group of settings with "integrations"');
  });

  it('lets several integrations share settings by anchors and merge keys', async () => {
    const settings = await parse(`
integrations:
  - &first
    id: one
    partner: &partner { baseUrl: "https://partner.example", apiKey: "\${PARTNER_API_KEY}" }
    crm: { kind: csv, path: one.csv, columns: { id: Id, firstName: F, lastName: L } }
  - id: two
    partner: *partner
    crm: { kind: csv, path: /data/two.csv, columns: { id: Id, firstName: F, lastName: L } }
  - <<: *first
    id: three
    crm: { kind: csv, path: three.csv, columns: { id: Id, firstName: F, lastName: L } }
`);
    expect(settings.integrations.map(({ id, crm }) => [id, crm['path']])).toEqual([
      ['one', '/srv/riverside/one.csv'],
      ['two', '/data/two.csv'],
      ['three', '/srv/riverside/three.csv'],
    ]);
    expect(settings.integrations[1]?.partner.apiKey).toBe('key-of-the-partner');
  });

  it('ends with a problem when an alias contains itself or is unknown', async () => {
    expect((await problemsOf('integrations: &a [*a, *a, *a]')).join('\n')).toContain('too large');
    for (const merge of ['<<: *a', '<<: [*a, *a]', '<<: { <<: *a }', 'x: { <<: [*a, *a] }']) {
      const problems = await problemsOf(`integrations: &a { ${merge} }`);
      expect(problems.join('\n')).toContain('too large');
    }
    expect((await problemsOf('integrations: *nowhere')).join('\n')).toContain('no anchor');
  });

  it('takes addresses and ranges for trusted proxies, and no names', async () => {
    const server = 'server: { trustedProxies: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"] }';
    const settings = await parse(`${server}${SMALL}`);
    expect(settings.server.trustedProxies).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
    for (const wrong of ['localhost', '10.0.0.0/33', '*', '']) {
      const text = `server: { trustedProxies: ["${wrong}"] }${SMALL}`;
      expect((await problemsOf(text)).join(), wrong).toContain('expected an IP address or a range');
    }
  });

  it('accepts the databases of the design and no others', async () => {
    async function databaseOf(database: string): Promise<string> {
      return (await parse(`database: "${database}"${SMALL}`)).database;
    }
    expect(await databaseOf('postgres://u:p@db/donors')).toBe('postgres://u:p@db/donors');
    expect(await databaseOf('sqlite::memory:')).toBe('sqlite::memory:');
    expect(await databaseOf('sqlite:///var/lib/d.db')).toBe('sqlite:/var/lib/d.db');
    for (const wrong of ['sqlite:', 'sqlite://data/d.db', 'data/d.db']) {
      expect(await problemsOf(`database: "${wrong}"${SMALL}`)).toHaveLength(1);
    }
  });
});

describe('loadSettings', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-config-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('means relative paths from the folder of the file, wherever the command was started', async () => {
    await writeFile(join(folder, 'settings.yaml'), SMALL);
    const settings = await loadSettings({
      path: join(folder, 'settings.yaml'),
      env: ENV,
      cwd: '/',
      findConnectorDefinition: findAConnector,
    });
    expect(settings.database).toBe(`sqlite:${join(folder, 'data/donor-sync.db')}`);
  });

  it('says what to do when there is no file', async () => {
    const loading = loadSettings({
      path: 'donor-sync.yaml',
      env: ENV,
      cwd: folder,
      findConnectorDefinition: findAConnector,
    });
    await expect(loading).rejects.toMatchObject({
      code: 'settings_not_found',
      message: expect.stringContaining('Run `donor-sync init`'),
    });
  });
});

describe('settingsPath', () => {
  it('prefers the option, then the environment, then the usual name', () => {
    const env = { DONOR_SYNC_CONFIG: 'from-env.yaml' };
    expect(settingsPath('given.yaml', env)).toBe('given.yaml');
    expect(settingsPath(undefined, env)).toBe('from-env.yaml');
    expect(settingsPath(undefined, {})).toBe('donor-sync.yaml');
  });
});
