/** Tests passwords and sessions from other machines. Without TLS, the service refuses them for every address. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createFirstVisit } from '../../../src/interfaces/api/request/secret.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { createFakeClock } from '../../helpers/fake-clock.ts';
import { type HttpWorld, type HttpWorldOptions, openHttpWorld } from './http-world.ts';
import { invite, join, PASSWORD, SESSION } from './people-world.ts';

const open = closedAfterTest((options: HttpWorldOptions = {}) =>
  openHttpWorld({ isIdle: true, ...options }),
);

const HTTPS = 'https://sync.example.org';
const LAN = 'http://sync.lan:8787';

/** Sends a request as a browser that uses this host name for the service. */
function asUnder(
  { url }: Pick<HttpWorld, 'url'>,
  host: string,
  path: string,
  { form, headers = {} }: { form?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<{ status: number; text: string; cookie: string }> {
  const body = form && new URLSearchParams(form).toString();
  const content = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { host, ...content, ...headers },
  };
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, url), options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const cookie = SESSION.exec(answer.headers['set-cookie']?.join() ?? '')?.[0] ?? '';
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, text, cookie });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const typed = { email: 'olga@example.org', password: PASSWORD, to: '/' };

describe('a server that is opened with plain http from the network', () => {
  it('shows no field for a password, accepts no password, and explains how to sign in', async () => {
    const world = await open({ publicUrl: LAN });
    const { path } = await invite(world, 'Olga', 'owner');
    for (const at of ['/sign-in', path]) {
      const page = await asUnder(world, 'sync.lan:8787', at);
      expect(page.status).toBe(403);
      expect(page.text).not.toContain('type="password"');
      expect(page.text).toContain('server.publicUrl');
    }
    const joining = await asUnder(world, 'sync.lan:8787', path, { form: { fresh: PASSWORD } });
    expect([joining.status, joining.cookie]).toEqual([403, '']);
    // The link still works, because the service did not read the refused request.
    const atHome = await asUnder(world, 'localhost:8787', path, { form: { fresh: PASSWORD } });
    expect(atHome.status).toBe(303);
    const signingIn = await asUnder(world, 'sync.lan:8787', '/sign-in', { form: typed });
    expect([signingIn.status, signingIn.cookie]).toEqual([403, '']);
  });

  it('takes the cookie of a session for nothing', async () => {
    const world = await open({ publicUrl: LAN });
    const { cookie } = await join(world, 'Olga', 'owner');
    const headers = { cookie };
    expect((await asUnder(world, 'localhost', '/v1/runs', { headers })).status).toBe(200);
    expect((await asUnder(world, 'sync.lan:8787', '/v1/runs', { headers })).status).toBe(401);
  });

  it('lets users in where the settings allow it', async () => {
    const world = await open({ publicUrl: LAN, plainHttp: 'allow' });
    await join(world, 'Olga', 'owner');
    const { status, cookie } = await asUnder(world, 'sync.lan:8787', '/sign-in', { form: typed });
    expect(status).toBe(303);
    expect(cookie).not.toBe('');
  });

  it('lets users in who come through a proxy that the settings trust, and not by its plain http', async () => {
    const world = await open({ publicUrl: LAN, trustedProxies: ['127.0.0.1'] });
    await join(world, 'Olga', 'owner');
    const through = (proto: string) =>
      asUnder(world, 'sync.lan:8787', '/sign-in', {
        form: typed,
        headers: { 'x-forwarded-proto': proto },
      });
    expect((await through('https')).status).toBe(303);
    expect((await through('http')).status).toBe(403);
  });
});

describe('where the public address is https', () => {
  it('lets users in under that name, and under no other name of the network', async () => {
    const world = await open({ publicUrl: HTTPS });
    const { path } = await invite(world, 'Olga', 'owner');
    const joined = await asUnder(world, 'sync.example.org', path, { form: { fresh: PASSWORD } });
    expect(joined.status).toBe(303);
    const headers = { 'x-forwarded-proto': 'http' };
    const plain = await asUnder(world, 'sync.example.org', '/sign-in', { headers });
    expect(plain.status).toBe(403);
  });
});

describe('the link of the first visit', () => {
  const clock = createFakeClock(Date.now());

  it('lets a browser in under the https address as on the machine itself, and by plain http never', async () => {
    for (const { publicUrl, host, status } of [
      { publicUrl: HTTPS, host: 'sync.example.org', status: 303 },
      { publicUrl: LAN, host: 'sync.lan:8787', status: 403 },
      { publicUrl: LAN, host: 'localhost:8787', status: 303 },
    ]) {
      const visit = createFirstVisit(clock);
      const world = await open({ publicUrl, withoutToken: visit });
      expect((await asUnder(world, host, visit.path, { form: {} })).status).toBe(status);
    }
  });
});
