/**
 * Follows the steps at the end of each guide: an invitation from the command line, its link in a browser, and a
 * signed-in owner.
 */
import { type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Running } from '../../../scripts/replay-dockerfile/process.ts';

const PASSWORD = 'copper lantern vivid otter';
const READY_TRIES = 240;
const READY_INTERVAL_MS = 250;

export interface FirstStart {
  /**
   * Runs `donor-sync …` next to the service, as the guide describes. Waits until the command has ended. Returns its
   * stdout.
   */
  run(args: readonly string[]): Promise<string>;
  serve(): Running;
  /** The address at which the service listens on this machine. */
  port: number;
  /** The address that the user's browser opens: the address of the machine, or of the proxy in front of the machine. */
  publicUrl: string;
}

const invitedSchema = z.object({ link: z.string() });

/**
 * Follows the steps from an empty installation to an owner who signs in again with the password. Then stops the
 * service.
 */
export async function walkToOwner({ run, serve, port, publicUrl }: FirstStart): Promise<void> {
  const browser = createBrowser(port, publicUrl);
  const who = ['--name', 'Anna Kowalski', '--email', 'anna@example.org', '--role', 'owner'];
  const { link } = invitedSchema.parse(
    JSON.parse(await run(['users', 'invite', ...who, '--json'])),
  );
  expect(link.startsWith(`${publicUrl}/join/`)).toBe(true);
  const serving = serve();
  try {
    await untilReady(browser, serving);
    const join = link.slice(publicUrl.length);
    expect((await browser.get(join)).body).toContain('Welcome, Anna');
    expect(await browser.post(join, { fresh: PASSWORD })).toMatchObject({ status: 303 });
    expect((await browser.get('/users')).body).toContain('Anna Kowalski');
    expect(await browser.post('/sign-out', {})).toMatchObject({ status: 303 });
    expect((await browser.get('/users')).status).toBe(303);
    const signedIn = { email: 'anna@example.org', password: PASSWORD };
    expect(await browser.post('/sign-in', signedIn)).toMatchObject({ status: 303 });
    expect((await browser.get('/users')).body).toContain('Anna Kowalski');
    serving.child.kill('SIGTERM');
    expect(await serving.ended).toBe(0);
  } finally {
    serving.child.kill('SIGKILL');
    await serving.ended.catch(() => undefined);
  }
}

type Browser = ReturnType<typeof createBrowser>;

async function untilReady(browser: Browser, serving: Running): Promise<void> {
  for (let tries = 0; tries < READY_TRIES && !serving.hasEnded(); tries += 1) {
    const ready = await browser.get('/readyz').catch(() => null);
    if (ready?.status === 200) return;
    await sleep(READY_INTERVAL_MS);
  }
  throw new Error(`It did not get ready:\n${serving.output()}`);
}

/** Creates a browser that sends requests to that address. For HTTPS, its requests look like requests from a proxy. */
function createBrowser(port: number, publicUrl: string) {
  const { host, protocol } = new URL(publicUrl);
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' };
  const cookies = new Map<string, string>();

  async function ask(path: string, method: string, form?: Record<string, string>) {
    const headers: OutgoingHttpHeaders = {
      ...{ host, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(protocol === 'https:' ? forwarded : {}),
      ...(form === undefined
        ? {}
        : { origin: publicUrl, 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const sent = request({ host: '127.0.0.1', port, path, method, headers });
    sent.end(form === undefined ? undefined : new URLSearchParams(form).toString());
    const reply = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject);
    });
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      cookies.set(name, value);
    }
    return { status: reply.statusCode, body: await text(reply) };
  }

  return {
    get: (path: string) => ask(path, 'GET'),
    post: (path: string, form: Record<string, string>) => ask(path, 'POST', form),
  };
}
