import { chmod, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type InitWorld, openInitWorld } from './init-world.ts';

const ENV = {
  PARTNER_BASE_URL: 'https://p.example',
  PARTNER_API_KEY: 'key',
  HUBSPOT_TOKEN: 'token',
  HUBSPOT_TOKEN_LAKESIDE: 'other token',
};

const SETTINGS = `# Ours, do not touch.
database: "sqlite:data/own.db"   # kept by Ann

server: { host: 127.0.0.1, port: 8787 }

# The list of everybody.
integrations:
  - id: riverside          # the first
    name: 'Riverside "Food" Bank'
    partner: { baseUrl: "\${PARTNER_BASE_URL}", apiKey: "\${PARTNER_API_KEY}" }
    crm:
      kind: hubspot
      url: https://api.hubapi.com
      auth: { type: token, token: "\${HUBSPOT_TOKEN}" }
    # nothing is mirrored yet
    networks: []

alerts:
  creditsBelow: { enhancements: 10 } # few
`;

async function aWorld(settings = SETTINGS): Promise<InitWorld> {
  const world = await openInitWorld();
  await world.write('donor-sync.yaml', settings);
  return world;
}

describe('add', () => {
  it('adds an integration and keeps comments and order', async () => {
    const world = await aWorld();
    await chmod(world.path('donor-sync.yaml'), 0o640);
    const { exitCode, stdout } = await world.start([
      ...['add', '--yes', '--crm', 'hubspot', '--name', 'Lakeside', '--budget-per-month', '100'],
    ]).ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Added "lakeside" to donor-sync.yaml');
    expect(stdout).toContain('export HUBSPOT_TOKEN_LAKESIDE=');
    expect(stdout).toContain('donor-sync sync lakeside');
    const text = await world.read('donor-sync.yaml');
    const comments = [...text.matchAll(/# .*/g)].map(([comment]) => comment);
    const wanted = [...SETTINGS.matchAll(/# .*/g)].map(([comment]) => comment);
    expect(comments.filter((comment) => wanted.includes(comment))).toEqual(wanted);
    const keys = [...text.matchAll(/^\w+/gm)].map(([key]) => key);
    expect(keys).toEqual(['database', 'server', 'integrations', 'alerts']);
    expect(text).toMatch(/\S\n\n {2}- id: "lakeside"\n/);
    expect(text).toContain(`name: 'Riverside "Food" Bank'`);
    expect((await stat(world.path('donor-sync.yaml'))).mode & 0o777).toBe(0o640);
    const { integrations, alerts } = await world.load(ENV);
    expect(alerts.creditsBelow.enhancements).toBe(10);
    expect(integrations).toMatchObject([
      { id: 'riverside', name: 'Riverside "Food" Bank' },
      {
        ...{ id: 'lakeside', partner: { baseUrl: 'https://p.example', apiKey: 'key' } },
        crm: { kind: 'hubspot', auth: { token: 'other token' } },
        budget: { perMonth: 100 },
      },
    ]);
  });

  it('gives a key of its own a variable of its own', async () => {
    const world = await aWorld();
    await world.write('key.txt', 'second-key');
    const { exitCode } = await world.start([
      ...['add', '--yes', '--crm', 'hubspot', '--id', 'lakeside', '--partner-key-file', 'key.txt'],
    ]).ended;
    expect(exitCode).toBe(0);
    expect(await world.read('.env')).toBe("PARTNER_API_KEY_LAKESIDE='second-key'\n");
    const { integrations } = await world.load(ENV);
    expect(integrations.map(({ partner }) => partner.apiKey)).toEqual(['key', 'second-key']);
  });

  it('finds another id where that of the name is taken', async () => {
    const world = await aWorld();
    await world.start(['add', '--yes', '--crm', 'hubspot', '--name', 'Riverside']).ended;
    const env = { ...ENV, HUBSPOT_TOKEN_RIVERSIDE_2: 'token' };
    const { integrations } = await world.load(env);
    expect(integrations.map(({ id }) => id)).toEqual(['riverside', 'riverside-2']);
  });

  it('writes nothing for an id that is taken, and begins an empty list', async () => {
    const world = await aWorld();
    const args = ['add', '--yes', '--crm', 'hubspot', '--id', 'riverside'];
    const { exitCode, stderr } = await world.start(args).ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('riverside');
    expect(await world.read('donor-sync.yaml')).toBe(SETTINGS);
    await world.write('donor-sync.yaml', 'integrations: [] # none yet\n');
    expect((await world.start(args).ended).exitCode).toBe(0);
    expect((await world.load(ENV)).integrations).toHaveLength(1);
  });

  it.each([
    ['integrations: 5\n', 'no list'],
    ['integrations: [\n', 'no list'],
    [null, 'donor-sync init'],
  ])('refuses a file to which nothing can be added (%j)', async (settings, words) => {
    const world = settings === null ? await openInitWorld() : await aWorld(settings);
    const { exitCode, stderr } = await world.start(['add', '--yes', '--crm', 'hubspot']).ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });
});
