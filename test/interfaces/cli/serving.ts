import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { CliProcess, CliWorld } from '../../helpers/cli.ts';

/** `donor-sync serve` in a separate process that is ready. */
export interface ServingCli extends CliProcess {
  url: string;
  /** Null if an owner can already sign in. */
  signInUrl: string | null;
  /** Sends a request as the owner whose account was created through the link. The path starts with a slash. */
  ask(path: string, options?: { method?: string; body?: object }): Promise<Response>;
}

const readySchema = z.strictObject({
  ready: z.literal(true),
  url: z.string(),
  linkFile: z.string().optional(),
});

/** Starts `serve` on a free port. Resolves when the service is ready. */
export async function startServing(
  world: CliWorld,
  options: readonly string[] = [],
): Promise<ServingCli> {
  const out = ['--out', world.path(`link-${randomUUID()}`)];
  const started = await world.start(['serve', '--port', '0', '--json', ...out, ...options]);
  const line = new Promise<string>((resolve) => started.child.stdout.once('data', resolve));
  const first = await Promise.race([line, started.ended]);
  if (typeof first !== 'string') throw new Error(`it does not serve: ${first.stderr}`);
  const { url, linkFile } = readySchema.parse(JSON.parse(first));
  const signInUrl = linkFile === undefined ? null : (await readFile(linkFile, 'utf8')).trim();
  let cookie = '';
  return {
    ...started,
    url,
    signInUrl,
    async ask(path, { method = 'GET', body } = {}) {
      cookie ||= signInUrl === null ? '' : (await followLink(signInUrl)).cookie;
      cookie ||= await signIn(url);
      return fetch(url + path, {
        method,
        headers: { cookie, origin: url, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
  };
}

const OWNER = { email: 'dana@example.org', password: 'copper lantern vivid otter' };

/** Follows the link and creates the owner's account. The returned cookie is empty if none was set. */
export async function followLink(
  link: string,
  fresh = OWNER.password,
): Promise<{ cookie: string; leadsTo: string | null }> {
  const visit = await post(link, {});
  const account = { name: 'Dana Reyes', email: OWNER.email, fresh };
  return post(new URL('/first-visit', link).href, account, visit.cookie);
}

/** Signs in as the owner whose account was created through the link. */
async function signIn(url: string): Promise<string> {
  return (await post(`${url}/sign-in`, { ...OWNER, to: '/' })).cookie;
}

async function post(url: string, form: Record<string, string>, cookie = '') {
  const { headers } = await fetch(url, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(form) },
    headers: { cookie, origin: new URL(url).origin },
  });
  const first = headers.getSetCookie().find((each) => !each.includes('_device')) ?? '';
  return { cookie: first.split(';')[0] ?? '', leadsTo: headers.get('location') };
}
