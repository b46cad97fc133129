import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { alertsCommand } from '../../../src/interfaces/cli/commands/alerts.ts';
import { serveCommand } from '../../../src/interfaces/cli/commands/serve.ts';
import { tokensCommand } from '../../../src/interfaces/cli/commands/users.ts';
import { startMailServer, startWebhook } from '../../clients/alerts/receivers.ts';
import { runCommand, startCommand } from './run-command.ts';

describe('donor-sync alerts', () => {
  let folder: string;
  let webhook: Awaited<ReturnType<typeof startWebhook>>;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-alerts-'));
    webhook = await startWebhook();
    mailServer = await startMailServer();
    await writeSettings(mailServer.url);
  });

  afterEach(async () => {
    await webhook.close();
    await mailServer.close();
    await rm(folder, { recursive: true });
  });

  it('sends a test through each channel, and says what happened', async () => {
    const { exitCode, stdout } = await run('test', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).channels).toEqual([
      { channel: 'email', ok: true, problem: null },
      { channel: 'webhook', ok: true, problem: null },
    ]);
    expect(webhook.bodies).toEqual([{ text: expect.stringContaining('There is no problem') }]);
    expect(mailServer.mails).toMatchObject([{ to: ['anna@example.org'] }]);
  });

  it('says which channel does not take it and why, without its secrets', async () => {
    await writeSettings(mailServer.url.replace('right', 'wrong-password'));
    webhook.answer(404);
    const { exitCode, stdout, stderr } = await run('test');
    expect(exitCode).toBe(2);
    expect(stdout).toMatch(/✗ email: .*(login|auth)/i);
    expect(stdout).toContain('✗ webhook: The webhook responded with status 404.');
    expect(stdout + stderr).not.toContain('wrong-password');
    expect(stdout + stderr).not.toContain('services/secret');
  });

  it('says that a channel cannot be reached, without its address', async () => {
    await webhook.close();
    const { stdout } = await run('test');
    expect(stdout).toContain('✗ webhook: The webhook cannot be reached: ECONNREFUSED');
    expect(stdout).not.toContain('services/secret');
  });

  it('checks when it is asked to, and sends once', async () => {
    const first = await run('check', '--json');
    expect(first.exitCode).toBe(0);
    expect(JSON.parse(first.stdout).alerts).toMatchObject([
      { integration: 'riverside', subject: 'key_expires', sent: true },
    ]);
    await run('check');
    expect(webhook.bodies).toHaveLength(1);
    expect(mailServer.mails).toHaveLength(1);
  });

  it('has no links from a command that does not listen, unless the address is set', async () => {
    await run('check');
    await run('test');
    expect(webhook.bodies).toHaveLength(2);
    for (const body of webhook.bodies) {
      expect(body).toEqual({ text: expect.stringContaining('server.publicUrl') });
      expect(body).not.toEqual({ text: expect.stringContaining('http') });
    }
  });

  it('are sent by the service by themselves, with links to where it listens', async () => {
    const argv = ['serve', '--port', '0', '--json'];
    const service = startCommand(serveCommand, argv, { cwd: folder });
    await expect.poll(() => webhook.bodies).toHaveLength(1);
    const { url } = z.object({ url: z.string() }).parse(JSON.parse(service.stdout()));
    const page = `In the browser: ${url}/clients/riverside`;
    expect(webhook.bodies).toEqual([{ text: expect.stringContaining(page) }]);
    service.stop();
    expect((await service.ended).exitCode).toBe(0);
  });

  it('lists what was reported, and shows the channels and rules of a client', async () => {
    expect((await run('list')).stdout).toContain('Nothing was reported.');
    await run('check');
    const listed = JSON.parse((await run('list', '--integration', 'riverside', '--json')).stdout);
    expect(listed).toMatchObject({
      alerts: [{ integration: 'riverside', subject: 'key_expires', overAt: null }],
      total: 1,
    });
    expect(listed.alerts[0].sentAt).not.toBeNull();
    expect((await run('list')).stdout).toMatch(/riverside +the service key is about to expire/);
    const unknown = await run('list', '--integration', 'lakeside');
    expect(unknown).toMatchObject({ exitCode: 2 });
    expect(unknown.stderr).toContain('There is no client "lakeside"');
    const { stdout } = await run('show', 'riverside');
    expect(stdout).toContain('Sent by email and webhook.');
    expect(stdout).toContain('on   keyExpires: ');
    expect(stdout).toContain('off  runFailed: ');
    expect(stdout).not.toContain('anna@example.org');
  });

  it("tests a client's own channel, and says so if there is none", async () => {
    const none = await run('test-own', 'riverside');
    expect(none.exitCode).toBe(2);
    expect(none.stderr).toContain('does not have its own alert channel. Nothing was sent.');
    await writeSettings(mailServer.url, { webhook: { url: webhook.url } });
    const tested = await run('test-own', 'riverside', '--json');
    expect(JSON.parse(tested.stdout)).toEqual({
      channels: [{ channel: 'webhook', ok: true, problem: null }],
    });
    expect(webhook.bodies).toHaveLength(1);
    expect(mailServer.mails).toEqual([]);
  });

  it('are checked on request by what the service knows: no channel sends twice', async () => {
    webhook.answer(500);
    const made = await runCommand(
      tokensCommand,
      ['tokens', 'create', '--role', 'admin', '--name', 'check'],
      { cwd: folder },
    );
    const authorization = `Bearer ${made.stdout.trim()}`;
    const argv = ['serve', '--port', '0', '--json'];
    const service = startCommand(serveCommand, argv, { cwd: folder });
    await expect.poll(() => mailServer.mails.length).toBe(1);
    const { url } = z.object({ url: z.string() }).parse(JSON.parse(service.stdout()));
    const checked = await fetch(`${url}/v1/alerts/check`, {
      ...{ method: 'POST', headers: { authorization } },
    });
    expect(await checked.json()).toMatchObject({ alerts: [{ sent: false }] });
    service.stop();
    await service.ended;
    expect(mailServer.mails).toHaveLength(1);
  });

  it('ends with 3 while something could not be sent', async () => {
    webhook.answer(500);
    const { exitCode, stdout } = await run('check');
    expect(exitCode).toBe(3);
    expect(stdout).toContain('not yet');
  });

  it('says that the settings name no channel', async () => {
    await writeFile(join(folder, 'donor-sync.yaml'), 'integrations: []');
    for (const word of ['test', 'check']) {
      const { exitCode, stderr } = await run(word);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('alerts.email or alerts.webhook');
    }
  });

  it('shows no part of a mail server’s address that is not one', async () => {
    await writeSettings('mail.example:secret-password');
    const { exitCode, stderr } = await run('test');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('alerts.email.smtp');
    expect(stderr).not.toContain('secret-password');
  });

  function run(...argv: string[]) {
    return runCommand(alertsCommand, ['alerts', ...argv], { cwd: folder });
  }

  async function writeSettings(smtp: string, own?: object): Promise<void> {
    const partner = { baseUrl: 'http://127.0.0.1:9', apiKey: 'key', expiresOn: '2020-01-01' };
    const settings = {
      database: 'sqlite:store.db',
      alerts: {
        email: { to: ['anna@example.org'], from: 'sync@example.org', smtp },
        webhook: { url: webhook.url },
        // The alert about the end of the audit is also sent once a day. `audit-end.test.ts` tests this.
        on: ['keyExpires'],
      },
      integrations: [
        { id: 'riverside', partner, crm: { kind: 'memory', name: 'test' }, alerts: own },
      ],
    };
    await writeFile(join(folder, 'donor-sync.yaml'), JSON.stringify(settings));
  }
});
