import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openApplication } from '../../../src/application.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { passkeySealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { usersCommand } from '../../../src/interfaces/cli/commands/users.ts';
import { addPasskey } from '../../../src/people/statements/passkeys.ts';
import { settingsSchema } from '../../../src/settings/settings-schema.ts';
import { aSettingsFile } from './a-settings-file.ts';
import { runCommand } from './run-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-users-'));
  await writeFile(join(folder, 'donor-sync.yaml'), aSettingsFile({}));
});
afterEach(() => rm(folder, { recursive: true }));

function run(...argv: string[]) {
  return runCommand(usersCommand, ['users', ...argv], {
    cwd: folder,
    env: { PARTNER_API_KEY: 'key' },
  });
}

const ANNA = ['--name', 'Anna Kowalski', '--email', ' Anna@Example.org'];

const invitedSchema = z.strictObject({
  user: z.looseObject({ id: z.string() }),
  link: z.url(),
  days: z.literal(7),
});

async function invite(...options: string[]) {
  const { stdout } = await run('invite', ...options, '--json');
  const { user, ...invited } = invitedSchema.parse(JSON.parse(stdout));
  return { id: user.id, ...invited };
}

/** As the pages add them. */
async function addPasskeys(personId: string, ...ids: string[]) {
  const application = await openApplication({
    settings: {
      path: join(folder, 'donor-sync.yaml'),
      ...settingsSchema.parse({ database: `sqlite:${join(folder, 'data.db')}`, integrations: [] }),
    },
    ...{ secretKey: undefined, clock: systemClock, log: silentLog, pace: { ratePerSecond: null } },
    owner: { host: 'test', processId: process.pid, start: randomUUID() },
  });
  for (const id of ids) {
    const sealed = application.sealer.seal(`name of ${id}`, passkeySealContext(id));
    const passkey = { id, credential: id, publicKey: 'key', counter: 0, transports: [], sealed };
    expect(await application.store.act((trx) => addPasskey(trx, personId, passkey))).toBe('done');
  }
  await application.close();
}

async function list() {
  const { stdout } = await run('list', '--json');
  return z.object({ users: z.array(z.record(z.string(), z.unknown())) }).parse(JSON.parse(stdout))
    .users;
}

describe('users', () => {
  it('are invited by a link that is shown once, and who they are is sealed', async () => {
    const { id, link } = await invite(...ANNA, '--role', 'owner');
    expect(link).toMatch(/\/join\/[\w-]{43}$/);
    expect(await list()).toMatchObject([
      { id, name: 'Anna Kowalski', email: 'anna@example.org', role: 'owner', status: 'invited' },
    ]);
    const files = await Promise.all(
      ['data.db', 'data.db-wal'].map((name) =>
        readFile(join(folder, name), 'latin1').catch(() => ''),
      ),
    );
    const kept = files.join('').toLowerCase();
    expect(kept).toContain(id);
    for (const secret of [link.slice(-43).toLowerCase(), 'kowalski', 'anna@example.org']) {
      expect(kept).not.toContain(secret);
    }
  });

  it('are invited once by an address, whose capitals do not matter', async () => {
    await invite(...ANNA, '--role', 'viewer');
    const again = await run(
      'invite',
      '--name',
      'A',
      '--email',
      'ANNA@example.org',
      '--role',
      'admin',
    );
    expect(again).toMatchObject({ exitCode: 2 });
    expect(again.stderr).toContain('e-mail address already exists');
  });

  it.each([
    [['--email', 'anna@example.org', '--role', 'viewer'], '--name'],
    [['--name', 'Anna', '--role', 'viewer'], '--email'],
    [['--name', 'Anna', '--email', 'anna', '--role', 'viewer'], 'not an email address'],
    [ANNA, '--role'],
    [[...ANNA, '--role', 'viewer', '--integrations', 'harbor'], 'harbor'],
    [[...ANNA, '--role', 'owner', '--integrations', 'riverside'], 'reaches all integrations'],
  ])('are not invited without what it takes: %j', async (options, hint) => {
    const { exitCode, stderr } = await run('invite', ...options);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
    expect(await list()).toEqual([]);
  });

  it('get other rights, a new link, and are kept out and let in again, by address or whole id', async () => {
    const { id, link } = await invite(...ANNA, '--role', 'viewer', '--integrations', 'riverside');
    expect((await run('list')).stdout).toMatch(
      /Anna Kowalski +anna@example.org +viewer +riverside/,
    );
    await run('role', 'ANNA@example.org', '--role', 'admin');
    expect(await list()).toMatchObject([{ role: 'admin', integrations: ['riverside'] }]);
    const all = await run('role', id, '--role', 'decider', '--all-clients');
    expect(all.stdout).toBe('Anna Kowalski is now decider for all clients.\n');
    expect(await list()).toMatchObject([{ role: 'decider', integrations: null }]);
    const { stdout } = await run('link', id, '--json');
    expect(invitedSchema.parse(JSON.parse(stdout)).link).not.toBe(link);
    expect(await run('disable', id.slice(-8))).toMatchObject({ exitCode: 2 });
    await run('disable', id);
    expect(await list()).toMatchObject([{ status: 'disabled' }]);
    await run('enable', id);
    expect(await list()).toMatchObject([{ status: 'expired' }]);
  });

  it('lose a passkey with the device, and get a link if it was the only way in', async () => {
    const { id } = await invite(...ANNA, '--role', 'viewer');
    expect((await run('list')).stdout).toContain('nothing yet');
    expect((await run('passkeys', 'list', 'anna@example.org')).stdout).toContain('no passkey');
    await addPasskeys(id, 'phone-0001', 'tablet-0002');
    expect((await run('list')).stdout).toContain('2 passkeys');
    const { stdout } = await run('passkeys', 'list', 'anna@example.org', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ...{
        user: id,
        passkeys: [{ id: 'phone-0001', name: 'name of phone-0001' }, { id: 'tablet-0002' }],
      },
    });
    const remove = (...words: string[]) => run('passkeys', 'remove', 'anna@example.org', ...words);
    expect(await remove('phone-0001')).toMatchObject({ exitCode: 2 });
    expect((await remove('nonsense', '--yes')).stderr).toContain('no passkey "nonsense"');
    const first = await remove('phone-0001', '--yes');
    expect(first.stdout).toContain('The passkey "name of phone-0001" was removed.');
    expect(first.stdout).not.toContain('only way');
    const last = await remove('tablet-0002', '--yes');
    expect(last.stdout).toContain('donor-sync users link anna@example.org');
    expect(await list()).toMatchObject([
      { signsInBy: { password: false, provider: false, passkeys: [] } },
    ]);
  });

  it('are signed out everywhere, which counts the sessions', async () => {
    await invite(...ANNA, '--role', 'viewer');
    const { stdout } = await run('sign-out', 'anna@example.org');
    expect(stdout).toBe('Anna Kowalski was signed out everywhere: 0 sessions ended.\n');
  });

  it('are removed after a question', async () => {
    await invite(...ANNA, '--role', 'owner');
    expect(await run('remove', 'anna@example.org')).toMatchObject({ exitCode: 2 });
    expect(await list()).toHaveLength(1);
    expect(await run('remove', 'anna@example.org', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await list()).toEqual([]);
    const gone = await run('remove', 'anna@example.org', '--yes');
    expect(gone).toMatchObject({ exitCode: 2 });
    expect(gone.stderr).toContain('users list');
  });
});
