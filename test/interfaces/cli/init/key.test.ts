import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { KEYS } from '../a-terminal.ts';
import { openInitWorld } from './init-world.ts';

const HUBSPOT = ['--crm', 'hubspot', '--partner-url', 'https://p.example'];

const SET = { HUBSPOT_TOKEN: 'token', PARTNER_BASE_URL: 'https://p.example' };

describe('the key of the service', () => {
  it('is asked for, kept in a file that others cannot read and git ignores, and never in the settings', async () => {
    const world = await openInitWorld();
    const { stdin, stderr, ended } = world.start(
      [
        ...['init', ...HUBSPOT, '--opt-out-field', 'none', '--name', 'West', '--schedule', 'none'],
        ...['--budget-per-run', 'none', '--budget-per-month', 'none'],
        ...['--config', 'donor-sync.yaml'],
      ],
      { isTTY: true },
    );
    await expect.poll(() => stderr.written()).toContain('What is the service key?');
    stdin.write(`pk-4711-secret${KEYS.enter}`);
    const { exitCode, stdout, stderr: questions } = await ended;
    expect(exitCode).toBe(0);
    expect(`${stdout}${questions}`).not.toContain('pk-4711');
    expect(stdout).toContain('.env. Only you can read the file');
    expect(stdout).not.toContain('export PARTNER_API_KEY');
    expect(await world.read('donor-sync.yaml')).not.toContain('pk-4711');
    expect((await stat(world.path('.env'))).mode & 0o777).toBe(0o600);
    expect(await world.read('.gitignore')).toBe('.env\n');
    const [integration] = (await world.load(SET)).integrations;
    expect(integration?.partner.apiKey).toBe('pk-4711-secret');
  });

  it('comes from a file or from stdin without a terminal', async () => {
    const world = await openInitWorld();
    await world.write('key.txt', ' pk-1\n');
    const args = ['init', '--yes', ...HUBSPOT, '--partner-key-file'];
    expect((await world.start([...args, 'key.txt']).ended).exitCode).toBe(0);
    expect(await world.read('.env')).toBe("PARTNER_API_KEY='pk-1'\n");
    const piped = world.start([...args, '-', '--force'], { input: 'pk-2\n' });
    expect((await piped.ended).exitCode).toBe(0);
    expect(await world.read('.env')).toBe("PARTNER_API_KEY='pk-2'\n");
  });

  it.each(['two words', "it's", '', '\u0000'])(
    'is refused if it cannot be one (%j)',
    async (key) => {
      const world = await openInitWorld();
      await world.write('key.txt', key);
      const { exitCode } = await world.start([
        ...['init', '--yes', ...HUBSPOT, '--partner-key-file', 'key.txt'],
      ]).ended;
      expect(exitCode).toBe(2);
      await expect(world.read('.env')).rejects.toThrow('ENOENT');
      await expect(world.read('donor-sync.yaml')).rejects.toThrow('ENOENT');
    },
  );

  it('leaves alone what else is in .env and .gitignore, and what the environment says comes first', async () => {
    const world = await openInitWorld();
    await world.write('.env', '# mine\nOTHER=1\nexport PARTNER_API_KEY=old\n');
    await world.write('.gitignore', 'dist');
    await world.write('key.txt', 'pk-3');
    await world.start(['init', '--yes', ...HUBSPOT, '--partner-key-file', 'key.txt']).ended;
    expect(await world.read('.env')).toBe("# mine\nOTHER=1\nPARTNER_API_KEY='pk-3'\n");
    expect(await world.read('.gitignore')).toBe('dist\n.env\n');
    expect((await world.load(SET)).integrations[0]?.partner.apiKey).toBe('pk-3');
    const said = { ...SET, PARTNER_API_KEY: 'said' };
    expect((await world.load(said)).integrations[0]?.partner.apiKey).toBe('said');
    const empty = { ...SET, PARTNER_API_KEY: '' };
    expect((await world.load(empty)).integrations[0]?.partner.apiKey).toBe('pk-3');
  });
});

describe('budget and opt-out', () => {
  it('are asked for and written', async () => {
    const world = await openInitWorld();
    const { stdin, stderr, ended } = world.start(
      [
        ...['init', ...HUBSPOT, '--name', 'West', '--schedule', 'none'],
        ...['--config', 'donor-sync.yaml'],
      ],
      { isTTY: true, env: { ...SET, PARTNER_API_KEY: 'k' } },
    );
    async function answer(question: string, keys: string): Promise<void> {
      await expect.poll(() => stderr.written()).toContain(question);
      stdin.write(keys);
    }
    const erase = KEYS.backspace.repeat(4);
    await answer('Which field of a contact marks', `${erase}no_research${KEYS.enter}`);
    await answer('one run can spend', `${erase}50${KEYS.enter}`);
    await answer('can be spent in a month', `${erase}500${KEYS.enter}`);
    expect((await ended).exitCode).toBe(0);
    const [integration] = (await world.load({ ...SET, PARTNER_API_KEY: 'k' })).integrations;
    expect(integration).toMatchObject({
      contacts: { optOutField: 'no_research' },
      budget: { perRun: 50, perMonth: 500 },
    });
  });

  it.each(['-1', '1.5', 'many'])('refuses a budget of %s', async (budget) => {
    const world = await openInitWorld();
    const { exitCode, stderr } = await world.start([
      ...['init', '--yes', ...HUBSPOT, '--budget-per-run', budget],
    ]).ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--budget-per-run');
  });
});
