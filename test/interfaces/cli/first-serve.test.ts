import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { auditCommand } from '../../../src/interfaces/cli/commands/audit.ts';
import { serveCommand } from '../../../src/interfaces/cli/commands/serve.ts';
import { usersCommand } from '../../../src/interfaces/cli/commands/users.ts';
import { runCommand, type Started, startCommand } from './run-command.ts';
import { followLink } from './serving.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-first-'));
});
afterEach(() => rm(folder, { recursive: true }));

const path = (name: string) => join(folder, name);

/** Starts `serve`. `ready` resolves when the process has printed its address or has exited. */
function startServe(
  argv: readonly string[],
  options: { env?: Record<string, string>; onTerminal: boolean },
) {
  const words = ['serve', '--port', '0', ...argv];
  const started = startCommand(serveCommand, words, { cwd: folder, ...options });
  return { ...started, ready: untilReady(started) };
}

async function untilReady({ ended, stdout }: Started): Promise<void> {
  const isOver = ended.then(() => true);
  const said = () => /Press Ctrl-C to stop|"ready":true/.test(stdout());
  while (
    !said() &&
    !(await Promise.race([isOver, new Promise((end) => setTimeout(end, 20, false))]))
  );
}

/** Runs `serve` until it prints the address, or until the command ends. */
async function serve(
  argv: readonly string[] = [],
  env: Record<string, string> = {},
  {
    onTerminal = true,
    follow = followLink,
  }: { onTerminal?: boolean; follow?: typeof followLink } = {},
) {
  const started = startServe(argv, { env, onTerminal });
  await started.ready;
  const link = /http:\S+\/first-visit\/\S+/.exec(started.stdout())?.[0] ?? null;
  const led = link === null ? null : (await follow(link)).leadsTo;
  started.stop();
  return { led, ...(await started.ended) };
}

describe('serve in an empty folder', () => {
  it('writes settings without integrations, and a link that leads to the set-up', async () => {
    const first = await serve();
    expect(first).toMatchObject({ exitCode: 0, led: '/address?first' });
    expect(first.stderr).toContain('donor-sync created donor-sync.yaml');
    const text = await readFile(path('donor-sync.yaml'), 'utf8');
    expect(text).toContain('integrations: []');
    await writeFile(path('donor-sync.yaml'), `${text}# ours\n`);
    // The service has an owner now, so it prints no link.
    const second = await serve();
    expect(second).toMatchObject({ exitCode: 0, led: null });
    expect(second.stderr).not.toContain('Wrote');
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).toBe(`${text}# ours\n`);
  });

  it('names the mail server of the environment in these settings', async () => {
    const env = { SMTP_URL: 'smtp://127.0.0.1:9', ALERTS_FROM: 'sync@example.org' };
    const partly = await serve([], env);
    expect(partly.stderr).toContain('names no mail server, because ALERTS_TO is not set');
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).not.toContain('alerts');
    await rm(path('donor-sync.yaml'));
    const all = { ...env, ALERTS_TO: 'robin@example.org' };
    expect(await serve([], all)).toMatchObject({ exitCode: 0 });
    const text = await readFile(path('donor-sync.yaml'), 'utf8');
    expect(text).toContain(`smtp: "\${SMTP_URL}"`);
    expect(text).toContain(`to: ["\${ALERTS_TO}"], from: "\${ALERTS_FROM}"`);
  });

  it('writes the price of a credit from the environment into these settings', async () => {
    const wrong = await serve([], { CREDIT_PRICE: 'fifty cents' });
    expect(wrong.stderr).toContain('has no price, because CREDIT_PRICE is not an amount');
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).not.toContain('price');
    await rm(path('donor-sync.yaml'));
    expect(await serve([], { CREDIT_PRICE: '0.50 USD' })).toMatchObject({ exitCode: 0 });
    // `serve` has read the file, so it is valid.
    const price = '{ amount: 0.5, currency: USD }';
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).toContain(
      `price: { enhancements: ${price}, networks: ${price}, queries: ${price} }`,
    );
  });

  it('stops at a file that is broken, and leaves it as it is', async () => {
    await writeFile(path('donor-sync.yaml'), 'integrations: nonsense\n');
    const ended = await serve();
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('integrations');
    expect(await readFile(path('donor-sync.yaml'), 'utf8')).toBe('integrations: nonsense\n');
  });

  it('stops where a file was named that is missing, and writes none', async () => {
    const byOption = await serve(['--config', 'ours.yaml']);
    const byEnvironment = await serve([], { DONOR_SYNC_CONFIG: 'ours.yaml' });
    for (const { exitCode, stderr } of [byOption, byEnvironment]) {
      expect(exitCode).toBe(2);
      expect(stderr).toContain('ours.yaml does not exist');
    }
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the link of serve', () => {
  const out = ['--out', 'link.txt'];
  const piped = { onTerminal: false };

  it('is on no pipe, which a log may keep', async () => {
    for (const argv of [[], ['--json']]) {
      const { exitCode, stdout, stderr, led } = await serve(argv, {}, piped);
      expect({ exitCode, led }).toEqual({ exitCode: 0, led: null });
      expect(stdout + stderr).not.toContain('first-visit');
    }
    expect((await serve(['--json'])).stdout).not.toContain('first-visit');
  });

  it('is in a file that only its user can read, while it counts', async () => {
    const started = startServe(out, piped);
    await started.ready;
    expect((await stat(path('link.txt'))).mode & 0o777).toBe(0o600);
    const link = (await readFile(path('link.txt'), 'utf8')).trim();
    expect(started.stdout()).not.toContain(link);
    expect((await followLink(link)).leadsTo).toBe('/address?first');
    started.stop();
    await started.ended;
    expect(await readdir(folder)).not.toContain('link.txt');
  });

  it.each([
    ['a file of another kind', (file: string) => writeFile(file, 'ours\n')],
    ['a symbolic link', (file: string) => symlink(path('elsewhere'), file)],
    ['a folder', (file: string) => mkdir(file)],
  ])('replaces no file: %s', async (_, make) => {
    await make(path('link.txt'));
    const { exitCode, stderr } = await serve(out, {}, piped);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('The link cannot be written into a new file');
    expect(await readdir(folder)).not.toContain('elsewhere');
  });

  it('replaces an earlier link, which a killed service has left', async () => {
    await writeFile(path('link.txt'), `http://127.0.0.1:8787/first-visit/${'x'.repeat(43)}\n`);
    expect(await serve(out, {}, piped)).toMatchObject({ exitCode: 0 });
  });
});

describe('serve --recover', () => {
  it('needs a terminal or a file', async () => {
    for (const argv of [['--recover'], ['--recover', '--json']]) {
      const { exitCode, stderr } = await serve(argv, {}, { onTerminal: false });
      expect(exitCode).toBe(2);
      expect(stderr).toContain('--out FILE');
    }
    expect(await audited()).not.toContain('recovery.asked');
  });

  it('gives the owner another password, once, and the audit says so', async () => {
    await serve();
    let used = '';
    const recovered = await serve(
      ['--recover'],
      {},
      {
        async follow(link) {
          used = link;
          const { leadsTo } = await followLink(link, 'violet harbor mast quilt');
          expect((await followLink(link)).cookie).toBe('');
          return { leadsTo, cookie: '' };
        },
      },
    );
    expect(recovered).toMatchObject({ exitCode: 0, led: '/setup' });
    expect(recovered.stdout).toContain(
      'With this link, one browser sets a new password for an owner',
    );
    expect(used).not.toBe('');
    expect(await audited()).toEqual(
      expect.arrayContaining(['recovery.asked', 'person.invited', 'person.joined']),
    );
    const { stdout } = await runCommand(usersCommand, ['users', 'list', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ users: [{ role: 'owner', status: 'active' }] });
  });
});

/** Returns the actions recorded in the audit. */
async function audited(): Promise<string[]> {
  const argv = ['audit', '--json'];
  const { stdout } = await runCommand(auditCommand, argv, { cwd: folder });
  return listed.parse(JSON.parse(stdout)).entries.map(({ action }) => action);
}

const listed = z.object({ entries: z.array(z.object({ action: z.string() })) });
