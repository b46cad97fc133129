/** Sends the requests of the API and of the pages, and records the responses. */
import { z } from 'zod';
import { mayActAs } from '../../src/core/role.ts';
import { ROUTES } from '../interfaces/api/route-table.ts';
import type { Entry } from './entries.ts';
import { readNotices } from './notices.ts';
import { createReplacer } from './placeholders.ts';
import { type Cases, type CaseTable, fill, type Request } from './requests.ts';
import { shorten } from './shorten.ts';
import { type OpenWorld, PRINCIPALS, type Principal, readRights, type World } from './world.ts';

type Kind = 'api' | 'page';

interface Step {
  route: string;
  name: string;
  request: Request;
  principal: Principal;
  /** True if the principal uses a session and no access token. */
  isSignedIn: boolean;
}

/**
 * Sends the requests of all cases for each principal, and records the responses. For each route, one copy of the
 * world serves the cases that only read or that must be refused. Each case that may change something has its own
 * copy.
 */
export async function recordHttp(world: World, kind: Kind, table: CaseTable): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const [route, cases] of Object.entries(table)) {
    const steps = stepsOf(kind, route, cases);
    const isReading = route.startsWith('GET ') || (kind === 'api' && route.endsWith('/preview'));
    const changing = steps.filter((step) => !isReading && isAllowed(step));
    const others = steps.filter((step) => !changing.includes(step));
    const groups = [others, ...changing.map((step) => [step])];
    for (const group of groups.filter(({ length }) => length > 0)) {
      const open = await world.open();
      try {
        for (const step of group) entries.push(await send(world, open, kind, step));
      } finally {
        await open.close();
      }
    }
  }
  return entries;
}

function stepsOf(kind: Kind, route: string, cases: Cases): Step[] {
  // An owner who is a user always has access to all clients. Only a token of an earlier version can be an owner with
  // limited access.
  const principals = PRINCIPALS.filter((one) => kind === 'api' || one !== 'limited owner');
  const isForUsers = kind === 'api' && ROUTES[route]?.by === 'person';
  return Object.entries(cases).flatMap(([name, request]) =>
    principals.flatMap((principal) => {
      const step = { route, name, request, principal };
      const signedIn = { ...step, isSignedIn: true };
      if (kind === 'page') return [signedIn];
      const isUser = principal !== 'nobody' && principal !== 'limited owner';
      return [{ ...step, isSignedIn: false }, ...(isForUsers && isUser ? [signedIn] : [])];
    }),
  );
}

/** Returns true if the principal's role is sufficient according to the table of routes. */
function isAllowed({ route, principal }: Step): boolean {
  const { role: needed } = ROUTES[route] ?? { role: null };
  const { role } = readRights(principal);
  return needed === null || (role !== null && mayActAs(role, needed));
}

async function send(world: World, open: OpenWorld, kind: Kind, step: Step): Promise<Entry> {
  const { route, name, request, principal, isSignedIn } = step;
  const [method = 'GET'] = route.split(' ');
  const path = fill(request.path, world.values);
  const content = {
    headers: {
      ...(isSignedIn
        ? { cookie: open.cookieOf(principal), origin: open.url }
        : open.headersOf(principal)),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...bodyOf(request, world.values),
  };
  const digest = path.includes(DIGEST) ? await readDigest(open.url + path, content) : '';
  const response = await fetch(open.url + path.replace(DIGEST, digest), {
    ...{ method, redirect: 'manual' },
    ...content,
  });
  const replace = createReplacer(world.known);
  const text = await response.text();
  const headers = ['location', 'retry-after', 'allow'].flatMap((header) => {
    const value = response.headers.get(header);
    return value === null ? [] : [[header, replace(value)]];
  });
  return {
    ...{
      kind,
      as: kind === 'api' && isSignedIn ? `${principal}, signed in` : principal,
      request: `${method} ${request.path.replaceAll('{', '<').replaceAll('}', '>')}`,
    },
    case: name,
    status: response.status,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    body: readBody(response, text, replace),
  };
}

/** A placeholder for the digest in the same action's preview. */
const DIGEST = '{digest}';

const previewSchema = z.object({ preview: z.object({ digest: z.string() }) });

/**
 * Requests an action's preview and returns its digest. A refused preview has no digest, and the action must then be
 * refused for the same reason.
 */
async function readDigest(url: string, content: RequestInit): Promise<string> {
  const { origin, pathname } = new URL(url);
  const response = await fetch(`${origin}${pathname}/preview`, { method: 'POST', ...content });
  const { data } = previewSchema.safeParse(await response.json());
  return data?.preview.digest ?? 'none';
}

function bodyOf({ body, form, text }: Request, values: World['values']) {
  if (body !== undefined) return { body: fill(JSON.stringify(body), values) };
  if (text !== undefined) return { body: text };
  if (form === undefined) return {};
  const filled = Object.entries(form).map(([name, value]) => [name, fill(value, values)]);
  return { body: new URLSearchParams(Object.fromEntries(filled)) };
}

/** Returns the document, the messages on a page, or the first lines of a file. */
function readBody(response: Response, text: string, replace: (text: string) => string): unknown {
  const type = response.headers.get('content-type') ?? '';
  if (text === '') return null;
  if (type.includes('json')) return shorten(JSON.parse(text), replace);
  if (type.includes('html')) return readNotices(text).map(replace);
  if (/css|javascript|zip/.test(type)) return type;
  if (response.url.endsWith('/metrics')) return readMetrics(text).map(replace);
  if (type.includes('event-stream')) {
    return text.split('\n').map((line) => {
      const data = line.startsWith('data: ') ? line.slice('data: '.length) : null;
      return data === null ? line : shorten(JSON.parse(data), replace);
    });
  }
  return shorten(text.split('\n'), replace);
}

/** Returns only names and labels, because the values include the requests and seconds of the recording itself. */
function readMetrics(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('donor_sync'));
  const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  return [...new Set(names.filter((name) => !/_http_|_bucket/.test(name)))].sort();
}
