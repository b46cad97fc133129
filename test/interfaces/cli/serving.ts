import { z } from 'zod';
import type { CliProcess, CliWorld } from '../../helpers/cli.ts';

/** `donor-sync serve` in a process of its own, ready. */
export interface ServingCli extends CliProcess {
  url: string;
  /** The one-time link; null where there is a token. */
  signInUrl: string | null;
  /** Asks as the browser that followed the link; the path begins with a slash. */
  ask(path: string, options?: { method?: string; body?: object }): Promise<Response>;
}

const readySchema = z.strictObject({
  ready: z.literal(true),
  url: z.string(),
  signInUrl: z.string().optional(),
});

/** Starts to serve at a free port and resolves once it is ready. */
export async function startServing(
  world: CliWorld,
  options: readonly string[] = [],
): Promise<ServingCli> {
  const started = await world.start(['serve', '--port', '0', '--json', ...options]);
  const line = new Promise<string>((resolve) => started.child.stdout.once('data', resolve));
  const first = await Promise.race([line, started.ended]);
  if (typeof first !== 'string') throw new Error(`it does not serve: ${first.stderr}`);
  const { url, signInUrl = null } = readySchema.parse(JSON.parse(first));
  let cookie: string | null = null;
  return {
    ...started,
    url,
    signInUrl,
    async ask(path, { method = 'GET', body } = {}) {
      cookie ??= signInUrl && (await followLink(signInUrl));
      return fetch(url + path, {
        method,
        headers: { cookie: cookie ?? '', origin: url, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    },
  };
}

/** The cookie that the link brings; empty if it brings none. */
export async function followLink(link: string): Promise<string> {
  const { headers } = await fetch(link, { method: 'POST', redirect: 'manual' });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}
