/** The edge for requests to the running service. Paths, IDs, cursors, cookies, tokens and bodies are unusual. */
import { z } from 'zod';
import { openHttpWorld } from '../../../test/interfaces/api/http-world.ts';
import type { Random } from '../../../test/simulation/random.ts';
import { type Edge, requireThat } from './edge.ts';

const HEADERS = [
  'cookie',
  'authorization',
  'x-forwarded-for',
  'idempotency-key',
  'last-event-id',
] as const;

const failureSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
});

export async function openRequestEdge(): Promise<Edge> {
  const world = await openHttpWorld({ isIdle: true, trustedProxies: ['127.0.0.1'] });
  const token = await world.addToken('admin');
  const hook = await world.addHook();
  await world.addPeople(3);
  // Pages are left out, because their JSX can only be loaded by a build or by vitest.
  const paths = [
    ...['/v1/runs?cursor=', '/v1/runs/', '/v1/runs?integration=riverside&status=', '/v1/holds?'],
    ...['/v1/audit?cursor=', '/v1/integrations/', '/v1/runs/a/contacts?outcome='],
    ...[`${hook}?contact=`, '/hooks/riverside/'],
  ];
  const forms = [
    '/v1/integrations/riverside/runs',
    '/v1/holds/a/approve',
    '/v1/holds/batches/a/reject',
    hook,
  ];
  return {
    name: 'requests',
    share: 4,
    examples: [
      'donor_sync_session=abc; other="d e"',
      '__Host-donor_sync_session=abc',
      'eyJhIjoxfQ',
      '{"contact":"7","full":false}',
      'WzEsImEiXQ',
      '?limit=5&cursor=',
    ],
    async read({ bytes, random }) {
      const reply = await fetch(world.url + targetOf(bytes, paths, random), {
        redirect: 'manual',
        headers: headersOf(bytes, token, random),
        signal: AbortSignal.timeout(10_000),
      });
      await check(reply);
      const sent = await fetch(world.url + random.pick([hook, ...forms]), {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headersOf(bytes, token, random), 'content-type': random.pick(TYPES) },
        body: new Uint8Array(bytes),
        signal: AbortSignal.timeout(10_000),
      });
      await check(sent);
    },
    close: world.close,
  };
}

const TYPES = [
  'application/json',
  'text/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=a',
] as const;

function targetOf(bytes: Buffer, paths: readonly string[], random: Random): string {
  const text = bytes.toString('utf8').slice(0, 1_000);
  const tail = random.chance(0.5)
    ? encodeURIComponent(text.toWellFormed())
    : text.replace(/[\s#\\]/g, '');
  return (random.one(paths) ?? '/') + tail;
}

/** Returns headers that contain only allowed characters and a separate IP address for each caller. */
function headersOf(bytes: Buffer, token: string, random: Random): Record<string, string> {
  const value = bytes
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\xa0-\xff]/g, '')
    .trim()
    .slice(0, 2_000);
  const from = Array.from({ length: 4 }, () => random.int(1, 250)).join('.');
  const known = random.chance(0.7) ? { authorization: `Bearer ${token}` } : {};
  return { 'x-forwarded-for': from, ...known, [random.pick(HEADERS)]: value };
}

/** Fails if a response is an internal error, or if a refusal is not one of donor-sync's errors. */
async function check(reply: Response): Promise<void> {
  const text = await reply.text();
  if (reply.status >= 500)
    throw new Error(`${reply.status} at ${reply.url}: ${text.slice(0, 200)}`);
  const isJson = reply.headers.get('content-type')?.includes('json') ?? false;
  if (reply.status < 400 || !isJson) return;
  requireThat(
    failureSchema.safeParse(JSON.parse(text)).success,
    `a refusal of another form: ${text}`,
  );
}
