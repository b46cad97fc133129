import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type HubspotSandbox, startHubspotSandbox } from '../../../sandbox/hubspot/index.ts';
import { type PartnerSandbox, startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { connectCommand } from '../../../src/interfaces/cli/commands/connect/connect.ts';
import { disconnectCommand } from '../../../src/interfaces/cli/commands/disconnect.ts';
import { serveCommand } from '../../../src/interfaces/cli/commands/serve.ts';
import { createBrowser } from '../../helpers/browser.ts';
import { findFreePort } from '../../helpers/free-port.ts';
import { runCommand, type Started, startCommand } from './run-command.ts';

const connectedSchema = z.object({
  connected: z.string(),
  findings: z.array(z.object({ subject: z.string(), ok: z.boolean() })),
});

describe('donor-sync connect', () => {
  let folder: string;
  let port: number;
  let crm: HubspotSandbox;
  let partner: PartnerSandbox;
  const started: Started[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-connect-'));
    port = await findFreePort();
    crm = await startHubspotSandbox({ contacts: 0, donors: 10, ratePer10s: 0 });
    partner = await startPartnerSandbox({ donors: 10, rate: 0 });
    await writeSettings(`http://127.0.0.1:${port}`);
  });

  afterEach(async () => {
    for (const one of started.splice(0)) {
      one.stop();
      await one.ended;
    }
    await crm.close();
    await partner.close();
    await rm(folder, { recursive: true });
  });

  it('takes the person back itself where no service runs, and says what is missing', async () => {
    const connecting = start(connectCommand, 'connect', 'riverside', '--json');
    const page = await decide(await addressOf(connecting), 'allow');
    expect(page.text).toContain('is connected to HubSpot account');
    const { exitCode, stdout } = await connecting.ended;
    expect(exitCode).toBe(0);
    const { connected, findings } = connectedSchema.parse(JSON.parse(stdout));
    expect(connected).toBe('riverside');
    const found = new Map(findings.map(({ subject, ok }) => [subject, ok]));
    expect(found.get('sign-in')).toBe(true);
    expect(found.get('field donor_id')).toBe(false);
  });

  it('prints no ticket on stdout, where logs are made of it', async () => {
    const connecting = start(connectCommand, 'connect', 'riverside');
    const address = await addressOf(connecting);
    await decide(address, 'allow');
    const { stdout } = await connecting.ended;
    expect(stdout).toContain('"riverside" is connected.');
    expect(stdout).toContain('donor-sync plan riverside');
    expect(stdout).not.toContain('ticket');
  });

  it('has a running service take the person back', async () => {
    const service = start(serveCommand, 'serve', '--json', '--port', String(port));
    await expect.poll(service.stdout).toContain('ready');
    const connecting = start(connectCommand, 'connect', 'riverside');
    await decide(await addressOf(connecting), 'allow');
    expect((await connecting.ended).exitCode).toBe(0);
  });

  it('comes back to another port if asked to', async () => {
    const other = await findFreePort();
    const connecting = start(connectCommand, 'connect', 'riverside', '--port', String(other));
    const address = await addressOf(connecting);
    expect(new URL(address).port).toBe(String(other));
    await decide(address, 'allow');
    expect((await connecting.ended).exitCode).toBe(0);
  });

  it('opens the address in a browser if asked to', async () => {
    const opener = join(folder, 'xdg-open');
    await writeFile(opener, `#!/bin/sh\nprintf %s "$1" > "${join(folder, 'opened')}"\n`);
    await chmod(opener, 0o755);
    const connecting = start(connectCommand, 'connect', 'riverside', '--open');
    const address = await addressOf(connecting);
    await expect.poll(() => readFile(join(folder, 'opened'), 'utf8').catch(() => '')).toBe(address);
  });

  it('ends and says why when the person does not let it in', async () => {
    const connecting = start(connectCommand, 'connect', 'riverside');
    await decide(await addressOf(connecting), 'deny');
    const { exitCode, stderr } = await connecting.ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain('did not grant donor-sync access (access_denied');
  });

  it('ends without a change when it is stopped', async () => {
    const connecting = start(connectCommand, 'connect', 'riverside', '--json');
    await addressOf(connecting);
    connecting.stop();
    const { exitCode, stdout } = await connecting.ended;
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'consent_not_finished' } });
  });

  it('says what to do when a stranger has the port', async () => {
    const stranger = await listen(port);
    const { exitCode, stderr } = await run(connectCommand, 'connect', 'riverside');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--port N');
    stranger.close();
  });

  it('wants a service where the public address is not of this machine', async () => {
    // A host name that never resolves (RFC 6761).
    await writeSettings('https://sync.invalid');
    const { exitCode, stderr } = await run(connectCommand, 'connect', 'riverside');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('donor-sync serve');
  });

  it('knows which integrations sign in by themselves', async () => {
    const { exitCode, stderr } = await run(connectCommand, 'connect', 'hillside');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('it does not have to be connected');
  });

  describe('and donor-sync disconnect', () => {
    it('takes back what connecting gave', async () => {
      const connecting = start(connectCommand, 'connect', 'riverside');
      await decide(await addressOf(connecting), 'allow');
      await connecting.ended;
      const first = await run(disconnectCommand, 'disconnect', 'riverside', '--yes', '--json');
      expect(JSON.parse(first.stdout)).toEqual({ disconnected: 'riverside', problem: null });
      const second = await run(disconnectCommand, 'disconnect', 'riverside', '--yes');
      expect(second.exitCode).toBe(2);
      expect(second.stderr).toContain('is not connected');
    });

    it('asks first', async () => {
      const connecting = start(connectCommand, 'connect', 'riverside');
      await decide(await addressOf(connecting), 'allow');
      await connecting.ended;
      const { exitCode, stderr } = await run(disconnectCommand, 'disconnect', 'riverside');
      expect(exitCode).toBe(2);
      expect(stderr).toContain('--yes');
    });
  });

  type CreateCommand = Parameters<typeof startCommand>[0];

  function start(createIt: CreateCommand, ...argv: string[]): Started {
    const one = startCommand(createIt, argv, { cwd: folder, env: { PATH: `${folder}:/bin` } });
    started.push(one);
    return one;
  }

  function run(createIt: CreateCommand, ...argv: string[]) {
    return runCommand(createIt, argv, { cwd: folder });
  }

  async function writeSettings(publicUrl: string): Promise<void> {
    const { clientId, clientSecret, baseUrl, token } = crm;
    const oauth = { type: 'oauth', clientId, clientSecret };
    const at = { kind: 'hubspot', url: baseUrl };
    const { baseUrl: partnerUrl, apiKey } = partner;
    const key = { baseUrl: partnerUrl, apiKey };
    const settings = {
      server: { publicUrl },
      database: 'sqlite:store.db',
      integrations: [
        { id: 'riverside', partner: key, crm: { ...at, auth: oauth } },
        { id: 'hillside', partner: key, crm: { ...at, auth: { type: 'token', token } } },
      ],
    };
    await writeFile(join(folder, 'donor-sync.yaml'), JSON.stringify(settings));
  }
});

/** Returns the address that a command prints for the user. */
async function addressOf({ stderr }: Started): Promise<string> {
  const pattern = /http:\S+ticket=\S+/;
  await expect.poll(stderr).toMatch(pattern);
  return pattern.exec(stderr())?.[0] ?? '';
}

async function decide(address: string, decision: 'allow' | 'deny') {
  const browser = createBrowser();
  return browser.decide(await browser.open(address), decision);
}

function listen(port: number): Promise<Server> {
  const server = createServer((_, response) => response.end());
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}
