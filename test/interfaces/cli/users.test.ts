import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Application, openApplication } from '../../../src/application.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { passkeySealContext } from '../../../src/database/encryption/seal-contexts.ts';
import { addressCommand, usersCommand } from '../../../src/interfaces/cli/commands/users.ts';
import { hashToken } from '../../../src/people/access-token.ts';
import { confirmAddress, listAddresses } from '../../../src/people/statements/addresses.ts';
import { addPasskey } from '../../../src/people/statements/passkeys.ts';
import { acceptInvitation, findInvitedPerson } from '../../../src/people/statements/people.ts';
import { listAuditEntries } from '../../../src/privacy/audit/read-audit.ts';
import { settingsSchema } from '../../../src/settings/settings-schema.ts';
import { startWebhook } from '../../clients/alerts/receivers.ts';
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

function address(...argv: string[]) {
  return runCommand(addressCommand, ['address', ...argv], {
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

async function withApplication<Value>(work: (application: Application) => Promise<Value>) {
  const application = await openApplication({
    settings: {
      path: join(folder, 'donor-sync.yaml'),
      ...settingsSchema.parse({ database: `sqlite:${join(folder, 'data.db')}`, integrations: [] }),
    },
    ...{ secretKey: undefined, clock: systemClock, log: silentLog, pace: { ratePerSecond: null } },
    owner: { host: 'test', processId: process.pid, start: randomUUID() },
  });
  try {
    return await work(application);
  } finally {
    await application.close();
  }
}

/** Adds passkeys to a user, as the pages do. */
function addPasskeys(personId: string, ...ids: string[]) {
  return withApplication(async ({ store, sealer }) => {
    for (const id of ids) {
      const sealed = sealer.seal(`name of ${id}`, passkeySealContext(id));
      const known = { credential: id, publicKey: 'key', host: 'localhost' };
      const passkey = { id, ...known, counter: 0, transports: [], sealed };
      expect(await store.act((trx) => addPasskey(trx, personId, passkey))).toBe('done');
    }
  });
}

/** Returns true if an invitation's link still works. */
function isOpen(link: string): Promise<boolean> {
  const hash = hashToken(link.slice(-43));
  return withApplication(
    async ({ store }) => (await findInvitedPerson(store.reader, hash)) !== null,
  );
}

const madeSchema = z.looseObject({ until: z.iso.datetime(), linkFile: z.string() });

async function made(user: string) {
  const { stdout } = await run('link', user, '--out', 'link.txt', '--json');
  return madeSchema.parse(JSON.parse(stdout));
}

async function linkFor(user: string): Promise<string> {
  return (await readFile((await made(user)).linkFile, 'utf8')).trim();
}

async function list() {
  const { stdout } = await run('list', '--json');
  return z.object({ users: z.array(z.record(z.string(), z.unknown())) }).parse(JSON.parse(stdout))
    .users;
}

describe('users', () => {
  it('are invited with a link, and neither the link nor the name is stored in plain text', async () => {
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

  it('are told with the link that it works on this computer only, until there is an address', async () => {
    const here = await run('invite', ...ANNA, '--role', 'owner');
    expect(here.stdout + here.stderr).toContain('works only on this computer');
    const asked = await address('set', 'https://donors.example.org');
    expect(asked.exitCode).toBe(0);
    expect(asked.stdout).toMatch(/^https:\/\/donors\.example\.org\/confirm-address\/[\w-]{43}$/m);
    const shown = await address('show');
    expect(shown.stdout + shown.stderr).toContain('has to be confirmed in another browser');
    await withApplication(async ({ store }) => {
      const [waiting] = await listAddresses(store.reader);
      expect(await store.act((trx) => confirmAddress(trx, waiting?.id ?? ''))).toBe(true);
    });
    const name = ['--name', 'Ben', '--email', 'ben@example.org', '--role', 'viewer'];
    const there = await run('invite', ...name);
    expect(there.stdout).toContain('https://donors.example.org/join/');
    expect(there.stdout + there.stderr).not.toContain('this computer only');
    expect((await address('set', 'https://localhost')).exitCode).toBe(2);
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
    [[...ANNA, '--role', 'owner', '--integrations', 'riverside'], 'has access to all clients'],
  ])('are not invited without what it takes: %j', async (options, hint) => {
    const { exitCode, stderr } = await run('invite', ...options);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(hint);
    expect(await list()).toEqual([]);
  });

  it('can get another role or a new link, and can be disabled and enabled', async () => {
    const { id, link } = await invite(...ANNA, '--role', 'viewer', '--integrations', 'riverside');
    expect((await run('list')).stdout).toMatch(
      /Anna Kowalski +anna@example.org +viewer +riverside/,
    );
    await run('role', 'ANNA@example.org', '--role', 'admin');
    expect(await list()).toMatchObject([{ role: 'admin', integrations: ['riverside'] }]);
    const all = await run('role', id, '--role', 'decider', '--all-clients');
    expect(all.stdout).toBe('Anna Kowalski is now decider for all clients.\n');
    expect(await list()).toMatchObject([{ role: 'decider', integrations: null }]);
    expect(await linkFor(id)).not.toBe(link);
    expect(await run('disable', id.slice(-8))).toMatchObject({ exitCode: 2 });
    await run('disable', id);
    expect(await list()).toMatchObject([{ status: 'disabled' }]);
    await run('enable', id);
    expect(await list()).toMatchObject([{ status: 'expired' }]);
  });

  it('get a new link on a terminal or in a file alone, and nothing changes without either', async () => {
    const { id, link } = await invite(...ANNA, '--role', 'owner');
    for (const options of [[], ['--json']]) {
      const refused = await run('link', id, ...options);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr).toContain('--out FILE');
    }
    await writeFile(join(folder, 'ours.txt'), 'ours');
    expect(await run('link', id, '--out', 'ours.txt')).toMatchObject({ exitCode: 2 });
    expect(await run('link', 'nobody', '--out', 'new.txt')).toMatchObject({ exitCode: 2 });
    expect((await readdir(folder)).filter((name) => name.endsWith('.txt'))).toEqual(['ours.txt']);
    expect(await isOpen(link)).toBe(true);
    const shown = await run('link', id, '--out', 'new.txt', '--json');
    expect(shown.exitCode).toBe(0);
    expect(JSON.parse(shown.stdout)).toEqual({
      user: expect.objectContaining({ id }),
      until: expect.any(String),
      linkFile: join(folder, 'new.txt'),
    });
    expect(shown.stdout + shown.stderr).not.toContain('/join/');
    expect((await stat(join(folder, 'new.txt'))).mode & 0o777).toBe(0o600);
    expect(await isOpen(link)).toBe(false);
    const terminal = await runCommand(usersCommand, ['users', 'link', id], {
      ...{ cwd: folder, env: { PARTNER_API_KEY: 'key' }, onTerminal: true },
    });
    expect(terminal.stdout).toMatch(/^http:\S+\/join\/[\w-]{43}\n$/);
  });

  it('who have joined get a link for 15 minutes, which is told and in the audit', async () => {
    const webhook = await startWebhook();
    const text = aSettingsFile({});
    await writeFile(
      join(folder, 'donor-sync.yaml'),
      `${text}alerts: { webhook: { url: "${webhook.url}" }, on: [] }\n`,
    );
    const { id } = await invite(...ANNA, '--role', 'owner');
    await linkFor(id);
    expect(webhook.bodies).toEqual([]);
    const hash = hashToken((await linkFor(id)).slice(-43));
    await withApplication(({ store }) => store.act((trx) => acceptInvitation(trx, hash, 'scrypt')));
    const before = Date.now();
    const { until } = await made(id);
    expect(Date.parse(until) - before).toBeLessThanOrEqual(15 * 60_000 + 5_000);
    expect(JSON.stringify(webhook.bodies)).toContain('a link to recover access was created');
    expect(webhook.bodies).toHaveLength(1);
    await withApplication(async ({ store }) => {
      const entries = await listAuditEntries(store, { limit: 1 });
      expect(entries).toMatchObject([{ action: 'recovery.asked', details: { person: id } }]);
    });
    await webhook.close();
  });

  it('need a new link to sign in after their last passkey is removed', async () => {
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
    expect((await remove('nonsense', '--yes')).stderr).toContain(
      'does not have a passkey "nonsense"',
    );
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
